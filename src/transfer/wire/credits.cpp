// SPDX-License-Identifier: Apache-2.0
// What receivers tell senders: credits, how the data was scanned, and what to
// do about a header that MPI itself truncated.
#include <algorithm>
#include <cstring>

#include "transfer/engine.hpp"
#include "transfer/planted.hpp"

namespace lapwing::transfer {
namespace {

enum class Scan : std::uint8_t {
  unknown,
  up,
  down,
  middle,  ///< touched early, at neither end
  none     ///< not touched before all had landed
};

struct Credit {
  std::uint32_t id;
  std::uint32_t site;
  std::uint64_t landed;
  Scan scan;
  // The receiver's hints, with the last credit.
  Scan order;
  bool last;
  std::uint32_t first, largest, train;
};

void put(const Hints& hints, Credit& credit) {
  if (hints.order) credit.order = *hints.order == Direction::up ? Scan::up : Scan::down;
  credit.first = hints.first;
  credit.largest = hints.largest;
  credit.train = hints.train;
}

Hints hints_in(const Credit& credit) {
  Hints hints;
  if (credit.order != Scan::unknown) hints.order = credit.order == Scan::up ? Direction::up : Direction::down;
  hints.first = credit.first;
  hints.largest = credit.largest;
  hints.train = credit.train;
  return hints;
}

struct Drain {
  std::uint32_t id;
  std::uint32_t first, largest;
  std::uint64_t total;
  std::uint8_t direction;
};

// Where the program touched the closed pages first tells from which end it
// reads them; no touch, that it came after all had landed.
Scan observed_scan(const guard::Region& region) {
  const std::uintptr_t touched = region.first_fault.load(std::memory_order_relaxed);
  if (touched == 0) return Scan::none;
  const auto from = reinterpret_cast<std::uintptr_t>(region.begin());
  const auto length = static_cast<std::uintptr_t>(region.end() - region.begin());
  if (length < 4 * 4096) return Scan::middle;
  if (touched - from < length / 4) return Scan::up;
  if (touched - from >= length - length / 4) return Scan::down;
  return Scan::middle;
}

}  // namespace

void Engine::send_credit(const Incoming& transfer, std::uint32_t site_key, std::uint64_t landed, bool last) {
  if (planted::is(planted::lost_credit) && !last) return;
  Credit credit{transfer.id(), site_key, landed, Scan::unknown, Scan::unknown, last, 0, 0, 0};
  if (last && transfer.region()) credit.scan = observed_scan(*transfer.region());
  if (Site* site = transfer.site()) {
    const Hints& called = transfer.destination().hints;
    const Hints hints = called.over(site->hints);
    if (last) put(hints, credit);
    site->hinted |= hints.any();
    site->by_call |= called.any();
    site->scans_up += credit.scan == Scan::up;
    site->scans_down += credit.scan == Scan::down;
  }
  control_->send(transfer.source(), credit_kind, &credit, sizeof credit);
}

void Engine::on_credit(int source, const char* data, std::size_t size) {
  Credit credit;
  if (size != sizeof credit) return;
  std::memcpy(&credit, data, sizeof credit);
  left_uncredited_.erase({source, credit.id});
  for (const auto& transfer : outgoing_) {
    if (transfer->id() == credit.id && transfer->destination() == source) transfer->credit(credit.landed);
  }
  Site* site = sites_.by_key(credit.site);
  if (site && credit.last) site->told = hints_in(credit);
  if (!site || credit.scan == Scan::unknown) return;
  if (credit.scan == Scan::none) {
    site->grain.touched_late();
    return;
  }
  site->grain.touched_early();
  if (credit.scan == Scan::middle) return;
  // Recent votes weigh more, so that a site that turns round is followed.
  site->up_votes -= site->up_votes / 4;
  site->down_votes -= site->down_votes / 4;
  (credit.scan == Scan::up ? site->up_votes : site->down_votes) += 4;
  site->direction = site->down_votes > site->up_votes ? Direction::down : Direction::up;
}

void Engine::note_truncated() {
  // Which receive it was is not known here, nor from whom; every sender pushes
  // what it still holds for us, and what was not truncated finds its payload
  // waiting. This is an error path: most programs end in it.
  if (!governor_->expects()) return;
  // Control messages keep their order, so a sender that handles this one knows
  // every credit that was given before it.
  remembering_ = true;
  for (const auto& transfer : incoming_) seen_.insert({transfer->source(), transfer->id()});
  for (int rank = 0; rank < world_size_; ++rank) {
    if (rank != world_rank_) control_->send(rank, truncated_kind, nullptr, 0);
  }
  on_truncated(world_rank_, nullptr, 0);
  listening_ = true;
  wake_helper();
}

void Engine::on_truncated(int source, const char*, std::size_t) {
  for (const auto& transfer : outgoing_) {
    if (transfer->destination() != source || transfer->credited() != 0 || transfer->drained) continue;
    offer_drain(source, transfer->id(), {transfer->plan(), transfer->total()});
    transfer->drained = true;
    transfer->release_credit();
  }
  for (auto it = left_uncredited_.lower_bound({source, 0});
       it != left_uncredited_.end() && it->first.first == source; it = left_uncredited_.erase(it))
    offer_drain(source, it->first.second, it->second);
}

void Engine::offer_drain(int destination, std::uint32_t id, const Left& left) {
  const Drain drain{id, static_cast<std::uint32_t>(left.plan.first()),
                    static_cast<std::uint32_t>(left.plan.largest()), left.total,
                    static_cast<std::uint8_t>(left.plan.direction())};
  control_->send(destination, drain_kind, &drain, sizeof drain);
}

void Engine::on_drain(int source, const char* data, std::size_t size) {
  Drain drain;
  if (size != sizeof drain) return;
  std::memcpy(&drain, data, sizeof drain);
  if (seen_.count({source, drain.id})) return;  // its header came after all
  HeaderBytes header{};
  Trailer trailer{};
  trailer.magic = trailer_magic;
  trailer.id = drain.id;
  trailer.total = drain.total;
  trailer.first = drain.first;
  trailer.largest = drain.largest;
  trailer.direction = drain.direction;
  std::memcpy(header.data() + 2 * edge_bytes, &trailer, sizeof trailer);
  auto orphan = std::make_shared<Incoming>(*this, header, source, Destination{}, nullptr);
  incoming_.push_back(orphan);
  orphans_[{source, drain.id}] = orphan;
}

}  // namespace lapwing::transfer
