// SPDX-License-Identifier: Apache-2.0
// Run mode: follows the program's path, lets the votes of its splits travel, and
// carries collectives out on the current set.
//
// Votes move on whenever the program enters the room: at splits, group calls,
// queries, and point-to-point calls while another process still waits for votes
// that this process has to pass on. Where it is about to wait inside MPI for
// others, a helper passes them on, or where there is none, it does so before.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sets/at_hand.hpp"
#include "sets/family.hpp"
#include "sets/group_call.hpp"
#include "sets/helper.hpp"
#include "sets/messages.hpp"
#include "sets/mode.hpp"
#include "sets/run/watch.hpp"
#include "sets/votes/pairs.hpp"
#include "sets/votes/votes.hpp"
#include "transfer/settings.hpp"

namespace lapwing::sets {

class Run final : public Path, public Watcher {
 public:
  /// `helper`: a thread may be used, where MPI allows it. `one_thread`: of the program's at a time.
  static void start(transfer::Split how, bool helper, bool one_thread);
  /// Before Messages stop; collective. Ends the job if a split by hand is open.
  static void stop();
  static Run* get() { return at_hand.run; }
  ~Run() override;

  // Path
  void split(const lapwing_split_site* site, int branch, int comms, const void* handles,
             bool fortran) override;
  void merge(const lapwing_merge_site* site) override;
  unsigned call_through(const lapwing_pointer_site* site, const void* function) override;
  void called(unsigned depth) override { leave(depth); }
  unsigned enter() override;
  void leave(unsigned depth) override;

  // Watcher
  bool before(const GroupCall& call, int* result, Made* made) override;
  void after(const GroupCall& call, int result, const Made& made) override;

  // By hand
  void split_by_hand(MPI_Comm comm, int branches, int branch, const char* file, int line);
  void merge_by_hand(MPI_Comm comm, const char* file, int line);
  /// The current set of a communicator, once all votes are there; null where
  /// sets do not apply.
  Set* current(MPI_Comm comm, Family** family = nullptr);
  void exclude(MPI_Comm comm);
  MPI_Comm comm_of(Family& family, Set& set);
  /// Differs for every set that a split or a merge has made current.
  unsigned long long token(Family& family);

  /// Of each set smaller than its communicator that this process has been in, the ranks in MPI_COMM_WORLD,
  /// ascending; without those of communicators that have been freed. Waits for no vote.
  std::vector<std::vector<int>> sets_so_far();

  struct Stats {
    unsigned long long splits = 0, messages = 0, bytes = 0, sets = 0, communicators = 0;
  };
  Stats stats();

  /// The family is about to be freed.
  void unlist(Family* family) {
    std::erase(divided_, family);
    if (watch_) watch_->forget(*family);
  }

  /// One look at what has arrived, unless another thread has the lock. True if anything had.
  bool progress();

 private:
  /// The room's lock, where there can be two threads in it.
  class Guard {
   public:
    Guard() {
      if (at_hand.threads) at_hand.lock.lock();
    }
    ~Guard() {
      if (at_hand.threads) at_hand.lock.unlock();
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
  };

  /// Of control messages and of letters.
  static constexpr int vote_kind = vote_kinds, pair_kind = vote_kinds + 1;

  struct Static;  // a vote by a collective of MPI's

  Run(transfer::Split how, bool helper);
  void open(Family& family, Ballot& ballot);
  void put_off(Family& family, Ballot& ballot);
  void start_what_can(Family& family);
  void start_others();
  void drop_undivided();
  void start_ballot(Family& family, Ballot& ballot);
  void start_among_many(Family& family, Ballot& ballot);
  void test_statics();
  void start_static(Family& family, Ballot& ballot);
  bool by_collective(Family& family, Set& voters);
  void move();
  Set* known(Family& family);
  Set* narrow(Family& family, Set* set, Set* world) const;
  Set* acting(Family& family);
  void miss_voters();
  void show_missing();
  void wait_for_votes(const std::function<bool()>& done);
  bool owes() const { return votes_.owed() > 0 || !unstarted_.empty(); }
  void hand_over();
  bool divided_call(const GroupCall& call, int* result, Made* made);
  void settle(Family& family);
  void learn(Family& family, Set& set);

  const transfer::Split how_;
  const bool may_have_helper_;
  transfer::Board* const board_;
  Family* world_ = nullptr;
  unsigned first_thread_ = 0;  ///< that has initialised MPI
  Stats stats_;
  Pairs pairs_;
  std::vector<std::unique_ptr<Static>> statics_;
  std::vector<Family*> unstarted_;  ///< families with ballots that wait for an earlier one
  std::vector<Family*> divided_;    ///< all families with open splits, and some without
  Votes votes_;
  std::map<int, std::uint64_t> ended_;  ///< processes, and since when they are known to have
  std::unique_ptr<Helper> helper_;
  std::unique_ptr<RunWatch> watch_;
  std::string end_ = "MPI_Finalize";  ///< and its place
  const GroupCall* made_ = nullptr;   ///< the call that waits for votes
};

}  // namespace lapwing::sets
