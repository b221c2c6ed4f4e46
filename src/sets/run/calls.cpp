// SPDX-License-Identifier: Apache-2.0
// The calls that groups make, in run mode.
#include "sets/run/collectives.hpp"
#include "sets/run/passing_on.hpp"
#include "sets/run/run.hpp"

namespace lapwing::sets {

// A process inside MPI passes no votes on, and those that need them may be the ones
// it waits for. Those on which it depends in turn may wait for it in MPI before
// they vote: so a helper does it meanwhile. Without one the votes come first.
void Run::hand_over() {
  {
    const Guard guard;
    if (!owes()) return;
    move();
  }
  if (may_have_helper_) {
    if (!helper_) helper_ = std::make_unique<Helper>(owes_votes, [this] { return progress(); });
    helper_->wake_if_idle();
    return;
  }
  wait_for_votes([&] {
    move();
    return !owes();
  });
}

bool Run::before(const GroupCall& call, int* result, Made* made) {
  if (watch_ && call.operation == Operation::psend_init) watch_->messages().sends_often(call.comm, call.peer);
  if (is_partitioned(call.operation) || is_access(call.operation)) return false;
  if (call.operation == Operation::finalize) {
    if (call.site) end_ = place_of(call);
    return false;
  }
  made_ = &call;
  const bool done = divided_call(call, result, made);
  made_ = nullptr;
  if (done && watch_) {
    watch_->leave();
    watch_->made(*result == MPI_SUCCESS ? *made : Made{});
  }
  return done;
}

bool Run::divided_call(const GroupCall& call, int* result, Made* made) {
  if (call.way == Way::blocking) hand_over();
  if (call.comm == MPI_COMM_NULL) {  // of a window or a file
    const bool of_all = call.operation == Operation::win_fence || call.operation == Operation::win_free;
    if (watch_ && of_all) watch_->enter(call.win, call);
    return false;
  }
  Family* family = nullptr;
  {
    const Guard guard;
    family = Family::find(call.comm);
    if (!family) refuse_stale(call);
    if (!family && call.site && world_ && world_->stack.everywhere()) family = Family::of(call.comm);
  }
  if (!family) return false;
  if (family->excluded || !call.site) {
    if (!family->excluded) settle(*family);
    if (watch_) watch_->enter(*family, *family->table.all(), call);
    return false;
  }
  Set* set = acting(*family);
  settle(*family);
  learn(*family, *set);
  if (watch_) watch_->enter(*family, *set, call);
  return !set->full() && carry_out(*family, *set, call, result, made);
}

void Run::after(const GroupCall& call, int result, const Made& made) {
  if (watch_) watch_->leave();
  if (watch_) watch_->made(result == MPI_SUCCESS ? made : Made{});
  if (watch_ && call.operation == Operation::win_free) watch_->freed(call.win);
  if (result != MPI_SUCCESS || made.comm == MPI_COMM_NULL || call.way == Way::immediate) return;
  // Of a communicator with two groups, or with strangers, nothing is kept.
  if (call.operation < Operation::comm_dup || call.operation > Operation::dist_graph_create_adjacent) return;
  const Guard guard;
  Family::born(made.comm);
}

}  // namespace lapwing::sets
