// SPDX-License-Identifier: Apache-2.0
// The waits of watch.hpp for messages, as a process shows them and as its neighbours judge them.
#include <bit>

#include "sets/run/watch.hpp"
#include "sets/run/watch_post.hpp"

namespace lapwing::sets {

void RunWatch::show(std::span<const MessageNeed> needs, WaitKind kind, const MessageRequest& first) {
  of_message_ = first;
  waits_for_message_ = true;
  for (std::size_t i = 0; i < needs.size(); ++i) own_->needs_messages[i].store(needs[i]);
  own_->missing.store(static_cast<std::uint32_t>(needs.size()), std::memory_order_relaxed);
  begin(kind);
}

void RunWatch::receives_unseen() { own_->unseen_receives.store(1, std::memory_order_release); }

void RunWatch::wait_for_message(MessageChannels* of, int rank, int tag, const char* call,
                                const void* returns_to) {
  end();
  MessageNeed need;
  if (!messages_.need_of_receive(of, rank, tag, &need)) return;
  show({&need, 1}, WaitKind::messages,
       {.channels = of, .rank = rank, .tag = tag, .call = call, .returns_to = returns_to});
}

void RunWatch::wait_for_match(MessageChannels* of, int rank, int tag, std::uint64_t number, const char* call,
                              const void* returns_to) {
  end();
  MessageNeed need;
  if (!messages_.need_of_send(of, rank, tag, number, &need)) return;
  show({&need, 1}, WaitKind::messages,
       {.channels = of, .rank = rank, .tag = tag, .call = call, .returns_to = returns_to, .receives = false});
}

// Where fewer messages can be on their way than receives are waited for, one of these has none.
bool RunWatch::wait_for_receives(int count, const MPI_Request* requests) {
  std::vector<MessageNeed> needs;
  const MessageRequest* first = nullptr;
  for (int i = 0; i < count; ++i) {
    const MessageRequest* const one = messages_.requests.find(requests[i]);
    MessageNeed need;
    if (!one || !one->active || !messages_.need_of(*one, &need)) continue;
    MessageNeed* same = nullptr;
    if (one->receives) {
      for (MessageNeed& other : needs)
        if (other.same(need)) same = &other;
    }
    if (same) {
      ++same->number;
    } else if (needs.size() < most_needs) {
      needs.push_back(need);
    }
    if (!first) first = one;
  }
  if (!first) return false;
  end();
  show(needs, WaitKind::messages, *first);
  return true;
}

bool RunWatch::wait_for_any(int count, const MPI_Request* requests) {
  std::vector<MessageNeed> needs;
  const MessageRequest* first = nullptr;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    const MessageRequest* const one = messages_.requests.find(requests[i]);
    if (one && !one->active) continue;
    MessageNeed need;
    if (!one || !messages_.need_of(*one, &need)) return false;
    bool known = false;
    if (one->receives) {
      for (const MessageNeed& other : needs) known = known || other.same(need);
    }
    if (!known && needs.size() == most_needs) return false;
    if (!known) needs.push_back(need);
    if (!first) first = one;
  }
  if (!first) return false;
  end();
  show(needs, WaitKind::one_message, *first);
  return true;
}

bool RunWatch::lacks_message(const Seen& seen, std::size_t one) const {
  const Post& post = *posts_[one];
  const bool all = seen.all[one].kind == WaitKind::messages;
  const std::size_t needs = post.missing.load(std::memory_order_relaxed);
  for (std::size_t n = 0; n < needs && n < most_needs; ++n)
    if (never_comes(seen, one, n) == all) return all;
  return !all && needs > 0;
}

// All that could act are stuck, and what they have done so far is not enough.
bool RunWatch::never_comes(const Seen& seen, std::size_t one, std::size_t n) const {
  const MessageNeed need = posts_[one]->needs_messages[n].load();
  const bool synchronous = need.kind == MessageNeed::Kind::synchronous;
  std::uint64_t done = 0;
  const auto add = [&](std::size_t other, unsigned place) {
    bool known = false;
    const MessageCounts::Block* const block =
        MessageCounts::find(posts_[other]->messages, need.comm, place, &known);
    if (!block) return known;
    if (!synchronous) {
      done += need.column == MessageNeed::all_columns
                  ? MessageCounts::sum(block->sent)
                  : block->sent[need.column % MessageCounts::columns].load(std::memory_order_acquire);
    } else {
      done += block->begun[need.column % MessageCounts::columns].load(std::memory_order_acquire) +
              block->begun_any.load(std::memory_order_acquire);
    }
    return true;
  };
  for (std::uint64_t left = need.places; left != 0; left &= left - 1) {
    const auto other = static_cast<std::size_t>(std::countr_zero(left));
    if (other >= posts_.size() || !seen.all[other].stuck) return false;
    if (!add(other, static_cast<unsigned>(one))) return false;
    if (!synchronous) continue;
    if (posts_[other]->unseen_receives.load(std::memory_order_acquire) != 0) return false;
    if (!add(other, MessageCounts::any_place)) return false;
  }
  return synchronous ? done < need.number : done <= need.number;
}

}  // namespace lapwing::sets
