// SPDX-License-Identifier: Apache-2.0
// A deferred call is receives and sends on the communicator's wire: messages of the engine's,
// with strips, guards and windows, so each block is retired where the program touches it.
#include "transfer/collectives/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "transfer/engine.hpp"
#include "transfer/operations.hpp"
#include "transfer/posting.hpp"
#include "transfer/relay.hpp"

namespace lapwing::transfer {
namespace {

// The block that stays is copied between looks at the messages, so much at a time.
constexpr std::size_t copied_at_once = 256 << 10;

/// The block that stays on its process.
class OwnBlock {
 public:
  OwnBlock(const Lowering& all, int rank, MPI_Comm wire, int tag)
      : from_{all.kept_from.buffer, all.kept_from.count, all.kept_from.type, rank, tag, wire, {}},
        to_(all.kept_to),
        bytes_(all.keeps ? all.kept_from.bytes : 0),
        done_(!all.keeps) {
    if (done_) return;
    const char* source = contiguous_base(from_.buffer, from_.count, from_.type);
    char* target = contiguous_base(to_.buffer, to_.count, to_.type);
    if (!source || !target || bytes_ != to_.bytes) return;
    source_ = source;
    target_ = target;
  }

  bool done() const { return done_; }
  /// MPI's error where the two sides do not fit.
  int copy_some() {
    if (!source_) {
      done_ = true;
      return carry(from_, to_.buffer, to_.count, to_.type);
    }
    const std::size_t length = std::min(copied_at_once, bytes_ - copied_);
    std::memmove(target_ + copied_, source_ + copied_, length);
    copied_ += length;
    done_ = copied_ == bytes_;
    return MPI_SUCCESS;
  }

 private:
  SendArguments from_;
  Block to_;
  std::size_t bytes_, copied_ = 0;
  bool done_;
  const char* source_ = nullptr;  // where both sides are one run
  char* target_ = nullptr;
};

int first_error(int rc, const std::vector<MPI_Status>& statuses) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(rc, &error_class);
  if (error_class != MPI_ERR_IN_STATUS) return rc;
  for (const MPI_Status& status : statuses) {
    if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING) return status.MPI_ERROR;
  }
  return rc;
}

class Exchange {
 public:
  Exchange(Engine& engine, MPI_Comm wire, int rank, int tag, const Lowering& messages, const Caller& caller)
      : engine_(engine), wire_(wire), rank_(rank), tag_(tag), messages_(messages), caller_(caller) {
    requests_.reserve(messages.comes.size() + messages.leaves.size());
  }

  int run() {
    int rc = receive();
    if (messages_.passes_on && rc == MPI_SUCCESS) return pass_on();
    if (rc == MPI_SUCCESS) rc = send();
    return rc == MPI_SUCCESS ? finish() : give_up(rc);
  }

 private:
  int receive() {
    int rc = MPI_SUCCESS;
    // MPI forbids it, but a plain call ends.
    const bool overlap = messages_.coming_overlap();
    for (const auto& [peer, block] : messages_.comes) {
      ReceiveArguments a{block.buffer, block.count, block.type, peer, tag_, wire_, caller_};
      a.half = true;
      a.apart = overlap;
      rc = ireceive(a, &requests_.emplace_back(MPI_REQUEST_NULL), [&](MPI_Request* r) { return post(a, r); });
      if (rc != MPI_SUCCESS) break;
    }
    return rc;
  }

  int send() {
    int rc = MPI_SUCCESS;
    for (const auto& [peer, block] : messages_.leaves) {
      SendArguments a{block.buffer, block.count, block.type, peer, tag_, wire_, caller_};
      a.half = a.of_all = true;
      rc = isend(a, &requests_.emplace_back(MPI_REQUEST_NULL), [&](MPI_Request* r) { return post(a, r); });
      if (rc != MPI_SUCCESS) break;
    }
    return rc;
  }

  int wait() {
    std::vector<MPI_Status> statuses(requests_.size());
    const int rc = wait_all_here(static_cast<int>(requests_.size()), requests_.data(), statuses.data());
    return rc == MPI_SUCCESS ? rc : first_error(rc, statuses);
  }

  int finish() {
    OwnBlock own(messages_, rank_, wire_, tag_);
    const auto count = static_cast<int>(requests_.size());
    std::vector<MPI_Status> statuses(requests_.size());
    int all = count == 0, rc = MPI_SUCCESS, kept = MPI_SUCCESS;
    while (!own.done()) {
      if (const int copied = own.copy_some(); copied != MPI_SUCCESS) kept = copied;
      if (!all && rc == MPI_SUCCESS) rc = test_all(count, requests_.data(), &all, statuses.data());
    }
    if (!all && rc == MPI_SUCCESS) rc = wait_all_here(count, requests_.data(), statuses.data());
    return rc == MPI_SUCCESS ? kept : first_error(rc, statuses);
  }

  // MPI has refused to start a message: nothing may come any more into what is the program's again.
  int give_up(int rc) {
    const std::size_t receives = std::min(requests_.size(), messages_.comes.size());
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      if (i < receives) {
        cancel(&requests_[i]);
      } else {
        request_free(&requests_[i]);
      }
    }
    requests_.resize(receives);
    wait();
    return rc;
  }

  // A message that comes in strips leaves in strips while it comes. All else is waited for, and then sent:
  // also where it was too long, so that those who wait for it do not wait in vain.
  int pass_on() {
    int failed = MPI_SUCCESS;
    const bool passed = passed_while_it_comes(&failed);
    const int received = wait();
    if (passed || failed != MPI_SUCCESS) return received != MPI_SUCCESS ? received : failed;
    requests_.clear();
    const int sent = send();
    const int left = sent == MPI_SUCCESS ? wait() : sent;
    return received != MPI_SUCCESS ? received : left;
  }

  bool passed_while_it_comes(int* failed) {
    std::vector<int> onward;
    for (const auto& [peer, block] : messages_.leaves) onward.push_back(peer);
    const MPI_Request request = requests_.front();
    bool passed = false;
    engine_.drive([&] {
      Tracked* const coming = engine_.requests().find(request);
      if (!coming) return true;  // so short that MPI alone moves it
      if (coming->awaits_header() && !engine_.look_for_header(*coming, request)) return false;
      if (coming->state() == Tracked::State::stripped)
        passed = Relay::start(engine_, *coming->incoming, onward, wire_, tag_, coming->site, failed);
      return true;
    });
    return passed;
  }

  Engine& engine_;
  const MPI_Comm wire_;
  const int rank_, tag_;
  const Lowering& messages_;
  const Caller& caller_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

int exchange(Engine& engine, MPI_Comm wire, int rank, int tag, const Lowering& messages,
             const Caller& caller) {
  return Exchange(engine, wire, rank, tag, messages, caller).run();
}

}  // namespace lapwing::transfer
