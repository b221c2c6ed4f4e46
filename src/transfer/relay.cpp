// SPDX-License-Identifier: Apache-2.0
#include "transfer/relay.hpp"

#include <algorithm>
#include <cstring>

#include "transfer/engine.hpp"

namespace lapwing::transfer {

bool Relay::start(Engine& engine, Incoming& incoming, const std::vector<int>& ranks, MPI_Comm comm, int tag,
                  Site* site, int* failed) {
  const CommInfo& info = engine.comms().of(comm);
  const std::size_t total = incoming.total();
  // Each transfer counts the copy as its own.
  if (!incoming.may_be_passed_on() || !engine.staging_permits(ranks.size() * total)) return false;
  const auto refuses = [&](int rank) { return engine.never_strips(info.world_rank(rank)); };
  if (std::any_of(ranks.begin(), ranks.end(), refuses)) return false;
  std::unique_ptr<Relay> relay(new Relay(std::shared_ptr<char[]>(new char[total])));
  incoming.copy_landed(relay->copy_.get());
  for (const int rank : ranks) {
    auto transfer = std::make_shared<Outgoing>(engine.next_id(), relay->copy_.get(), total,
                                               info.world_rank(rank), incoming.plan(), site);
    transfer->comm = comm;
    transfer->tag = tag;
    transfer->follow(relay->copy_, 0);
    if (*failed = engine.start_outgoing(transfer, rank, SendMode::standard, nullptr); *failed != MPI_SUCCESS)
      break;
    relay->onward_.push_back(std::move(transfer));
    ++engine.stats.deferred_sends;
    engine.stats.bytes_deferred += total;
  }
  incoming.pass_on(std::move(relay));
  return true;
}

void Relay::landed(const Strip& strip, const char* from) {
  std::memcpy(copy_.get() + strip.offset, from, strip.length);
}

void Relay::release(std::size_t strips) {
  for (const auto& transfer : onward_) transfer->release_strips(strips);
}

}  // namespace lapwing::transfer
