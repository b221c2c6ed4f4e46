// SPDX-License-Identifier: Apache-2.0
// The looks of watch.hpp.
#include <algorithm>
#include <cstring>
#include <utility>

#include "progress/policy.hpp"
#include "sets/messages.hpp"
#include "sets/report/report_text.hpp"
#include "sets/run/collectives.hpp"
#include "sets/run/watch.hpp"
#include "sets/run/watch_post.hpp"
#include "transfer/accounts/places.hpp"

namespace lapwing::sets {
namespace {

constexpr int looks_for_words = 8;

std::string words_of_message(const MessageRequest& request) {
  const int rank = request.rank, tag = request.tag;
  const std::string from = rank == MPI_ANY_SOURCE
                               ? "from any rank"
                               : (request.receives ? "from rank " : "to rank ") + std::to_string(rank);
  return from + (tag == MPI_ANY_TAG ? " with any tag" : " with tag " + std::to_string(tag));
}

bool acts_no_more(WaitKind kind) { return kind == WaitKind::finalize || kind == WaitKind::gone; }

}  // namespace

// The main thread does not go on meanwhile, nor does a helper pass votes on.
template <typename Act>
bool RunWatch::while_it_waits(std::uint64_t turn, Act act) {
  if (at_hand.threads && !at_hand.lock.try_lock()) return false;
  looked_at_.store(true);
  const bool waits = own_->turn.load() == turn;
  if (waits) act();
  looked_at_.store(false);
  if (at_hand.threads) at_hand.lock.unlock();
  return waits;
}

std::int64_t RunWatch::look(bool) {
  const std::uint64_t now = own_->turn.load(std::memory_order_acquire);
  const bool waits = now % 2 == 0 && now == std::exchange(turn_, now);
  if (!waits) {
    before_->all.clear();
    told_ = 0;
    return progress::between_watches;
  }
  while_it_waits(now, [this] { publish_ballots(); });
  if (!finds_itself_stuck()) {
    told_ = 0;
  } else if (own_->text_at.load(std::memory_order_relaxed) != now) {
    while_it_waits(now, [this] { say_where(); });
  } else if (++told_ > 1) {
    // The lowest rank says it, once all have put down where they are.
    bool all = true;
    const Post* first = nullptr;
    for (std::size_t i = 0; i < posts_.size(); ++i) {
      const Seen::One& one = before_->all[i];
      if (!one.stuck || one.kind == WaitKind::gone) continue;
      if (!first && !acts_no_more(one.kind)) first = posts_[i];
      all = all && posts_[i]->text_at.load(std::memory_order_acquire) == one.turn;
    }
    if (first == own_ && (all || told_ > looks_for_words)) report(*before_);
  }
  return progress::between_watches;
}

// Whether this process is stuck, at this look as at the one before.
bool RunWatch::finds_itself_stuck() {
  Seen now = see();
  find_stuck(&now);
  const bool same = !before_->all.empty() && now.same(*before_);
  *before_ = now;
  bool any = false;
  for (const Seen::One& one : now.all) any = any || (one.stuck && !acts_no_more(one.kind));
  const auto me = static_cast<std::size_t>(places_[static_cast<std::size_t>(Messages::rank())]);
  return any && same && now.all[me].stuck;
}

RunWatch::Seen RunWatch::see() const {
  Seen seen;
  seen.all.resize(posts_.size());
  for (std::size_t i = 0; i < posts_.size(); ++i) {
    Seen::One& one = seen.all[i];
    one.turn = posts_[i]->turn.load(std::memory_order_acquire);
    const bool waits = one.turn > 0 && one.turn % 2 == 0;
    one.kind = waits ? posts_[i]->kind.load(std::memory_order_relaxed) : WaitKind::free;
    if (posts_[i] != own_ && Messages::board()->has_ended(ranks_[i])) one.kind = WaitKind::gone;
    one.stuck = one.kind != WaitKind::free;
  }
  return seen;
}

// The largest set of which each needs something that others of it will never do.
void RunWatch::find_stuck(Seen* seen) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < posts_.size(); ++i) {
      if (!seen->all[i].stuck || acts_no_more(seen->all[i].kind) || is_stuck(*seen, i)) continue;
      seen->all[i].stuck = false;
      changed = true;
    }
  }
}

bool RunWatch::is_stuck(const Seen& seen, std::size_t i) const {
  const Post& post = *posts_[i];
  const auto done = [&](std::size_t j, std::uint64_t key) -> std::uint64_t {
    if (posts_[j]->uncounted.load(std::memory_order_acquire) != 0) return ~std::uint64_t{0};
    const Count* count = count_of(*posts_[j], key, false);
    return count ? count->value.load(std::memory_order_acquire) : 0;
  };
  if (seen.all[i].kind == WaitKind::votes) {
    const std::uint32_t missing = post.missing.load(std::memory_order_relaxed);
    for (std::uint32_t n = 0; n < missing && n < most_missing; ++n) {
      const auto j = static_cast<std::size_t>(post.votes[n].process.load(std::memory_order_relaxed));
      if (j >= posts_.size() || !seen.all[j].stuck || seen.all[j].kind == WaitKind::gone ||
          posts_[j]->ballots_at.load(std::memory_order_acquire) != seen.all[j].turn)
        continue;
      if (done(j, post.votes[n].ballots.load(std::memory_order_relaxed)) <=
          post.votes[n].sequence.load(std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  if (seen.all[i].kind == WaitKind::messages || seen.all[i].kind == WaitKind::one_message)
    return lacks_message(seen, i);
  const std::uint64_t group = post.group.load(std::memory_order_relaxed),
                      number = post.number.load(std::memory_order_relaxed),
                      needs = post.needs.load(std::memory_order_relaxed),
                      members = post.members.load(std::memory_order_relaxed);
  for (std::size_t j = 0; j < posts_.size(); ++j) {
    const std::uint64_t awaited = seen.all[j].kind == WaitKind::finalize ? needs | members : needs;
    if (j == i || !seen.all[j].stuck || (awaited >> j & 1) == 0) continue;
    if (done(j, group) <= number) return true;
    const Post& other = *posts_[j];
    if (seen.all[j].kind == WaitKind::call && other.group.load(std::memory_order_relaxed) == group &&
        other.number.load(std::memory_order_relaxed) == number &&
        other.signature.load(std::memory_order_relaxed) != post.signature.load(std::memory_order_relaxed))
      return true;
  }
  return false;
}

void RunWatch::say_where() {
  Account account;
  account.rank = Messages::rank();
  account.collective = !waits_for_message_;
  if (waits_for_message_) {
    account.call = of_message_.call;
    account.group = of_message_.channels->family->name();
    account.site = transfer::place_of(of_message_.returns_to).site;
    account.details = words_of_message(of_message_);
    if (account.group != "MPI_COMM_WORLD") account.details += " on " + account.group;
  } else if (standing_.family || standing_.window) {
    account.call = standing_.name;
    if (standing_.window) {
      account.group = "a window of " + standing_.window->made_on;
    } else {
      const Set& set = *standing_.set;
      account.group = set.full() ? standing_.family->name()
                                 : Family::list(set.members()) + " of " + standing_.family->name();
    }
    account.site = standing_.site         ? describe(standing_.site->place)
                   : standing_.returns_to ? transfer::place_of(standing_.returns_to).site
                                          : "an unknown place";
    account.circle = own_->group.load();
    account.number = own_->number.load();
  } else {
    account.call = standing_.what;
    account.ended = own_->kind.load() == WaitKind::finalize;
  }
  const std::string text = account.packed();
  if (text.size() + sizeof(std::uint64_t) > sizeof own_->text) return;
  const std::uint64_t size = text.size();
  std::memcpy(own_->text, &size, sizeof size);
  std::memcpy(own_->text + sizeof size, text.data(), text.size());
  own_->text_at.store(own_->turn.load(), std::memory_order_release);
}

void RunWatch::report(const Seen& seen) {
  std::vector<Account> accounts;
  for (std::size_t i = 0; i < posts_.size(); ++i) {
    if (!seen.all[i].stuck) continue;
    Account account;
    account.rank = ranks_[i];
    account.collective = true;
    if (seen.all[i].kind == WaitKind::gone) {
      account.call = "exit";
      account.ended = true;
    } else if (posts_[i]->text_at.load(std::memory_order_acquire) == seen.all[i].turn) {
      std::uint64_t size = 0;
      std::memcpy(&size, posts_[i]->text, sizeof size);
      account = Account::unpacked(posts_[i]->text + sizeof size, size);
    } else {
      account.call = "a call of MPI's";
    }
    accounts.push_back(account);
  }
  Seen now = see();
  find_stuck(&now);
  if (now.same(seen)) end_job(stuck_finding(accounts));
}

}  // namespace lapwing::sets
