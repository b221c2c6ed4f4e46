// SPDX-License-Identifier: Apache-2.0
// Runs the recorded messages of all processes again, in another order than they had: with standard sends that
// wait for their receives, or with a receive that takes another process' message.
//
// The rules are MPI's (MPI 4.0, section 3.5): messages of one sender on one communicator do not overtake each
// other, and a message goes to the receive that was posted first. Where a receive could take several messages
// it waits for the one that it had; only when no process can act does it take another one. A process goes on
// from a test, MPI_Waitany or MPI_Waitsome when the request that it then found complete is complete, or, when
// no process can act otherwise, without it. No process is ever held to do more than its record says: one
// whose record is not whole may do anything after its end.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "sets/orders/history.hpp"

namespace lapwing::sets {

/// One act in all records.
struct ActPlace {
  int rank = -1;
  std::uint32_t act = 0;
  bool exists() const { return rank >= 0; }
  friend bool operator==(const ActPlace& a, const ActPlace& b) { return a.rank == b.rank && a.act == b.act; }
};

class Rerun {
 public:
  /// `all`: by world rank; lives as long as this.
  explicit Rerun(const std::vector<Acts>& all);

  /// Before go_on(): standard sends wait for their receives.
  void let_sends_wait() { sends_wait_ = true; }
  /// Before go_on(): this receive waits for a message of `source`.
  void prefer(ActPlace receive, int source);

  /// Until no process can act. True: all have come to their end.
  bool go_on();

  /// After go_on() was false: acts that are messages or collective calls in which processes wait for each
  /// other, or at last for one that has come to its end.
  std::vector<ActPlace> circle() const;
  /// The message or the collective call for which the process waits in this act.
  ActPlace awaited(ActPlace here) const;
  /// This standard send waits no more.
  void release(ActPlace send);
  /// The process has come to its end.
  bool has_ended(int rank) const { return next_of(rank) >= acts(rank).size(); }
  /// The process went on without a completion that its record has at that place, as after MPI_Waitany: it may
  /// have acted in another order than its record from there on.
  bool saw_other_order(int rank) const { return processes_[static_cast<std::size_t>(rank)].saw_other_order; }
  /// None of these acts is one of a process that saw another order, or waits for such a process.
  bool is_certain(const std::vector<ActPlace>& stuck) const;
  /// The other side of a message that has been received; or none.
  ActPlace partner(ActPlace place) const { return state_of(place).partner; }

 private:
  struct State {
    ActPlace partner;
    bool released = false;  ///< a send or an act `seen` that need not wait, a receive that takes any message
    int preferred = Act::any;
  };
  struct Process {
    std::uint32_t next = 0;
    bool in_call = false;  ///< has come to its collective call
    bool saw_other_order = false;
    std::vector<State> states;
    std::deque<std::uint32_t> receives;  ///< posted and without a message
    std::deque<ActPlace> arrived;        ///< sends to it without a receive
  };
  using Meeting = std::pair<std::uint64_t, std::uint64_t>;

  const std::vector<Act>& acts(int rank) const { return all_[static_cast<std::size_t>(rank)].list; }
  const Act& act_at(ActPlace place) const { return acts(place.rank)[place.act]; }
  Process& process(int rank) { return processes_[static_cast<std::size_t>(rank)]; }
  std::uint32_t next_of(int rank) const { return processes_[static_cast<std::size_t>(rank)].next; }
  State& state_of(ActPlace place) { return process(place.rank).states[place.act]; }
  const State& state_of(ActPlace place) const {
    return processes_[static_cast<std::size_t>(place.rank)].states[place.act];
  }
  /// Its record is not whole, and it has come to the end of it.
  bool may_do_anything(int rank) const {
    return !all_[static_cast<std::size_t>(rank)].whole && has_ended(rank);
  }

  void wake(int rank);
  void advance(int rank);
  bool passes(int rank);
  bool is_complete(ActPlace place) const;
  bool meets(int rank, const Act& act);
  bool accepts(ActPlace receive, ActPlace send) const;
  void post_send(ActPlace send);
  void post_receive(ActPlace receive);
  void match(ActPlace send, ActPlace receive);
  bool take_another();
  bool pass_over_seen();
  bool suppose_unknown();
  int waits_for(ActPlace place) const;

  const std::vector<Acts>& all_;
  bool sends_wait_ = false;
  std::vector<Process> processes_;
  std::deque<int> awake_;
  std::vector<bool> is_awake_;
  std::map<Meeting, std::vector<int>> come_;
};

}  // namespace lapwing::sets
