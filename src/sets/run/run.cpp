// SPDX-License-Identifier: Apache-2.0
#include "sets/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "sets/check/targets.hpp"
#include "sets/messages.hpp"
#include "sets/run/collectives.hpp"
#include "sets/run/passing_on.hpp"

namespace lapwing::sets {
namespace {

std::atomic<unsigned> threads{0};
// Where control is; the thread's number is from 1 on, and 0 until it has one. Read
// in every split, so without a call.
[[gnu::tls_model("initial-exec")]] thread_local Frame frame;

Frame here() {
  if (frame.thread == 0) frame.thread = threads.fetch_add(1) + 1;
  return frame;
}

}  // namespace

void Run::start(transfer::Split how, bool helper, bool one_thread) {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  at_hand.threads = level == MPI_THREAD_MULTIPLE;
  Run* const run = new Run(how, helper && at_hand.threads);
  at_hand.run = run;
  run->first_thread_ = here().thread;
  {
    const Guard guard;
    Messages::on(vote_kind,
                 [](int, const char* data, std::size_t size) { get()->votes_.arrived(data, size); });
    Messages::on(pair_kind,
                 [](int from, const char* data, std::size_t) { get()->pairs_.arrived(from, data); });
    Family::born(MPI_COMM_WORLD);
    run->world_ = Family::find(MPI_COMM_WORLD);
  }
  run->watch_ = RunWatch::make(one_thread);
  path = run;
  watcher = run;
}

void Run::stop() {
  Run* const run = get();
  if (!run) return;
  {
    const Guard guard;
    Family::each([](Family& family) {
      if (const lapwing_place* place = family.stack.by_hand())
        fail(fmt::format("MPI_Finalize: the lapwing_split of {} at {} is still open", family.name(),
                         describe(*place)));
    });
  }
  if (run->watch_) run->watch_->come_to_end(run->end_);
  // Every process has started all of its ballots, or does so on its way here.
  Messages::wait(
      [&] {
        run->move();
        bool all = run->statics_.empty() && run->votes_.owed() == 0 && run->pairs_.idle();
        Family::each([&](Family& family) { all = all && !family.waits && family.open == 0; });
        return all;
      },
      [&] { run->miss_voters(); });
  run->helper_.reset();
  if (run->watch_) run->watch_->come_to_end(run->end_);
  run->watch_.reset();
  const Guard guard;
  Family::forget_all();
  path = nullptr;
  watcher = nullptr;
  at_hand.run = nullptr;
  delete run;
}

// Ballots of a communicator start in program order, so that all members of a set
// number its ballots alike.
[[gnu::hot]] void Run::open(Family& family, Ballot& ballot) {
  if (&family != world_ && world_ && world_->stack.everywhere()) [[unlikely]] {
    ballot.narrowed = true;
    ballot.within = world_->stack.current();
  }
  if (!family.listed) [[unlikely]] {
    family.listed = true;
    divided_.push_back(&family);
  }
  if (!family.waits && !ballot.narrowed && (ballot.voters = ballot.from.get())) [[likely]] {
    start_ballot(family, ballot);
  } else {
    put_off(family, ballot);
  }
}

[[gnu::cold]] void Run::put_off(Family& family, Ballot& ballot) {
  const bool known = family.waits;
  family.waiting.push_back(BallotRef(&ballot));
  family.waits = true;
  start_what_can(family);
  if (family.waits == known) return;
  if (known) {
    std::erase(unstarted_, &family);
  } else {
    unstarted_.push_back(&family);
  }
  Votes::owed_anywhere.fetch_add(known ? -1 : 1, std::memory_order_relaxed);
}

void Run::start_what_can(Family& family) {
  while (!family.waiting.empty()) {
    auto& ballot = family.waiting.front();
    Set* voters = ballot->from.get();
    if (voters && ballot->narrowed) {
      Set* world = ballot->within.get();
      voters = world ? narrow(family, voters, world) : nullptr;
    }
    if (!voters) return;
    ballot->voters = voters;
    start_ballot(family, *ballot);
    family.waiting.pop_front();
  }
  family.waits = false;
}

Set* Run::narrow(Family& family, Set* set, Set* world) const {
  if (world->full()) return set;
  Membership members(set->members().ranks(), false);
  for (const int r : set->members().members()) {
    if (world->members().has(family.world_rank(r))) members.add(r);
  }
  return members == set->members() ? set : family.table.intern(std::move(members));
}

/// Moves votes on by the messages that have arrived; under the lock.
[[gnu::hot]] void Run::move() {
  if (board_) {
    board_->receive([this](int from, int kind, const char* data, std::size_t size) {
      kind == pair_kind ? pairs_.arrived(from, data) : votes_.arrived(data, size);
    });
  }
  pairs_.progress();
  if (!statics_.empty()) test_statics();
  if (!unstarted_.empty()) start_others();
}

[[gnu::cold]] void Run::start_others() {
  std::erase_if(unstarted_, [this](Family* family) {
    start_what_can(*family);
    if (!family->waits) Votes::owed_anywhere.fetch_sub(1, std::memory_order_relaxed);
    return !family->waits;
  });
}

bool Run::progress() {
  const bool any = Messages::progress();
  // The helper must not wait for a thread that may wait for it.
  if (at_hand.threads && !at_hand.lock.try_lock()) return any;
  move();
  if (at_hand.threads) at_hand.lock.unlock();
  return any;
}

void Run::drop_undivided() {
  std::erase_if(divided_, [](Family* family) {
    family->listed = family->stack.divided();
    return !family->listed;
  });
}

// --- the path ----------------------------------------------------------------

[[gnu::hot]] void Run::split(const lapwing_split_site* site, int branch, int comms, const void* handles,
                             bool fortran) {
  const Guard guard;
  if (comms <= 0) {
    if (world_ && !world_->excluded) open(*world_, world_->stack.split(here(), *site, branch, true));
    return;
  }
  Family* done[16];
  int count = 0;
  for (int i = 0; i < comms; ++i) {
    const MPI_Comm comm = fortran ? PMPI_Comm_f2c(static_cast<const MPI_Fint*>(handles)[i])
                                  : static_cast<const MPI_Comm*>(handles)[i];
    Family* family = Family::of(comm);
    if (!family || family->excluded || std::find(done, done + count, family) != done + count) continue;
    if (count < 16) done[count++] = family;
    family->id();
    open(*family, family->stack.split(here(), *site, branch));
  }
}

[[gnu::hot]] void Run::merge(const lapwing_merge_site* site) {
  if (divided_.empty()) return;
  const Guard guard;
  try {
    for (Family* family : divided_) family->stack.merge(here(), site);
  } catch (const Misuse& error) {
    fail(error.what());
  }
  drop_undivided();
}

// Calls of other threads, in whatever order, do not part processes.
unsigned Run::call_through(const lapwing_pointer_site* site, const void* function) {
  if (!world_ || world_->excluded || here().thread != first_thread_) return 0;
  const int branch = Targets::number(function);
  const unsigned depth = enter();
  const Guard guard;
  open(*world_, world_->stack.split(here(), site->split, branch, true));
  return depth;
}

unsigned Run::enter() {
  here();
  return ++frame.depth;
}

void Run::leave(unsigned depth) {
  here();
  frame.depth = depth;
  if (!divided_.empty()) {
    const Guard guard;
    try {
      for (Family* family : divided_) family->stack.leave(frame);
    } catch (const Misuse& error) {
      fail(error.what());
    }
    drop_undivided();
  }
  if (depth > 0) --frame.depth;
}

[[gnu::hot]] void Run::split_by_hand(MPI_Comm comm, int branches, int branch, const char* file, int line) {
  const lapwing_place place{file, "lapwing_split", line};
  const Guard guard;
  if (comm == MPI_COMM_NULL)
    fail(fmt::format("lapwing_split at {}: MPI_COMM_NULL has no set", describe(place)));
  if (branches < 1 || branches > 64 || branch < 0 || branch >= branches) {
    fail(fmt::format("lapwing_split at {}: branch {} of {}; there can be 1 to 64 branches, counted from 0",
                     describe(place), branch, branches));
  }
  Family* family = Family::of(comm);
  if (!family) return;
  family->id();
  open(*family, family->stack.split_by_hand(here(), place, branches, branch));
}

[[gnu::hot]] void Run::merge_by_hand(MPI_Comm comm, const char* file, int line) {
  const lapwing_place place{file, "lapwing_merge", line};
  const Guard guard;
  if (comm == MPI_COMM_NULL)
    fail(fmt::format("lapwing_merge at {}: MPI_COMM_NULL has no set", describe(place)));
  Family* family = Family::of(comm);
  if (!family) return;
  try {
    family->stack.merge_by_hand(place);
  } catch (const Misuse& error) {
    fail(error.what());
  }
}

void Run::exclude(MPI_Comm comm) {
  const Guard guard;
  Family* family = Family::of(comm);
  if (!family) return;
  if (family->stack.divided()) {
    fail(fmt::format("lapwing_sets_exclude: {} is divided by the split at {}", family->name(),
                     describe(family->stack.place())));
  }
  family->excluded = true;
}

// --- the current set -----------------------------------------------------------

[[gnu::hot]] Set* Run::known(Family& family) {
  Set* set = family.stack.current().get();
  if (!set || !world_ || &family == world_ || !world_->stack.everywhere()) return set;
  Set* world = world_->stack.current().get();
  return world ? narrow(family, set, world) : nullptr;
}

[[gnu::hot]] Set* Run::acting(Family& family) {
  SetComms* tried = nullptr;
  {
    const Guard guard;
    move();
    if (Set* set = known(family)) return set;
    // Sets of two have nothing to learn, and a look at the clock takes a part of what they cost.
    const BallotRef& ballot = family.stack.current().ballot();
    if (how_ == transfer::Split::automatic && ballot && ballot->voters && ballot->voters->size() > 2)
      tried = &family.comms(*ballot->voters);
    if (tried && tried->phase == SetComms::decided) tried = nullptr;
  }
  Set* set = nullptr;
  const double began = tried ? PMPI_Wtime() : 0;
  // The other's vote is about to come, as a rule.
  const int spins = board_ ? 1024 : 64;  // a look at the board is cheaper than one into MPI
  for (int spin = 0; spin < spins && !set; ++spin) {
    const Guard guard;
    move();
    set = known(family);
  }
  if (!set) {
    wait_for_votes([&] {
      move();
      return (set = known(family)) != nullptr;
    });
  }
  if (tried && !tried->samples.empty()) tried->samples.back() += PMPI_Wtime() - began;
  return set;
}

[[gnu::hot]] Set* Run::current(MPI_Comm comm, Family** found) {
  Family* family = nullptr;
  {
    const Guard guard;
    family = Family::of(comm);
    if (found) *found = family;
    if (family && !family->excluded) {
      move();
      if (Set* set = known(*family)) return set;
    }
  }
  return family && !family->excluded ? acting(*family) : nullptr;
}

MPI_Comm Run::comm_of(Family& family, Set& set) {
  hand_over();
  settle(family);
  return family.comm_of(set);
}

std::vector<std::vector<int>> Run::sets_so_far() {
  std::vector<std::vector<int>> all;
  const Guard guard;
  move();
  Family::each([&](Family& family) {
    family.stack.current().get();  // works the set out, if its votes have come
    family.table.each([&](Set& set) {
      if (set.full() || !set.members().has(family.table.me())) return;
      std::vector<int> ranks = set.members().members();
      for (int& r : ranks) r = family.world_rank(r);
      std::sort(ranks.begin(), ranks.end());
      all.push_back(std::move(ranks));
    });
  });
  return all;
}

unsigned long long Run::token(Family& family) {
  const Guard guard;
  return family.stack.serial() + 1;
}

// A process that is about to wait inside MPI must owe no other a vote of this
// communicator. All its voters are on their way to where this process is.
void Run::settle(Family& family) {
  const auto settled = [&] { return !family.waits && family.open == 0; };
  {
    const Guard guard;
    if (settled()) return;
  }
  wait_for_votes([&] {
    move();
    return settled();
  });
}

}  // namespace lapwing::sets
