// SPDX-License-Identifier: Apache-2.0
// The tokens of split calls, and those of calls that went the plain way.
#include <deque>
#include <memory>
#include <mutex>

#include "transfer/compiled/proved.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {
namespace {

using State = lapwing_token::State;

// Never freed: a token may be waited for after MPI_Finalize.
constexpr std::size_t block = 64;
std::deque<std::unique_ptr<lapwing_token[]>>& blocks() {
  static auto* all = new std::deque<std::unique_ptr<lapwing_token[]>>;
  return *all;
}

}  // namespace

// Under the lock.
lapwing_token* Proved::make(const lapwing_token& what) {
  if (!free_) {
    blocks().push_back(std::make_unique<lapwing_token[]>(block));
    for (std::size_t i = 0; i < block; ++i) {
      lapwing_token& fresh = blocks().back()[i];
      fresh.next = free_;
      free_ = &fresh;
    }
  }
  lapwing_token* const token = free_;
  free_ = token->next;
  *token = what;
  token->state = State::flying;
  token->next = token->previous = nullptr;
  return token;
}

void Proved::release(lapwing_token* token) {
  delete[] token->copy;
  std::lock_guard guard(lock_);
  token->state = State::free;
  token->next = free_;
  free_ = token;
}

std::vector<lapwing_token*> Proved::outstanding() {
  std::vector<lapwing_token*> left;
  std::lock_guard guard(lock_);
  for (const auto& some : blocks()) {
    for (std::size_t i = 0; i < block; ++i) {
      if (some[i].state == State::flying || some[i].state == State::complete) left.push_back(&some[i]);
    }
  }
  return left;
}

lapwing_token* Proved::begin_plainly(const lapwing_token& what) {
  lapwing_token* token;
  {
    std::lock_guard guard(lock_);
    token = make(what);
  }
  token->helped = false;
  token->computing_since = now_ns();
  token->waited_before = Overlap::waited();
  return token;
}

lapwing_token* Proved::went_plainly(std::uint64_t waited) {
  Overlap::add_waiting(waited);
  lapwing_token over;
  over.was_waited_for = true;
  over.bytes = threshold_;
  over.waited = waited;
  return begin_plainly(over);
}

void Proved::reach(lapwing_token* token) {
  if (token->helped || token->was_waited_for || token->request == MPI_REQUEST_NULL) return;
  const std::uint64_t begun = now_ns();
  Overlap::complete(token->request);
  token->computing_since = now_ns();
  token->was_waited_for = true;
  token->waited = token->computing_since - begun;
  Overlap::add_waiting(token->waited);
  token->waited_before = Overlap::waited();
}

void Proved::note_wait_of(const lapwing_token& token, std::uint64_t begun) {
  if (!Overlap::judged()) return;
  const std::uint64_t passed = begun - token.computing_since,
                      waited = Overlap::waited() - token.waited_before, now = now_ns();
  Overlap::add_waiting(now - begun);
  if (token.bytes < threshold_) return;
  const std::uint64_t computed = passed > waited ? passed - waited : 0;
  if (token.helped) return Overlap::went_overlapped(computed);
  Overlap::went(token.was_waited_for ? token.waited : now - begun, computed);
}

}  // namespace lapwing::transfer
