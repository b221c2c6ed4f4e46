// SPDX-License-Identifier: Apache-2.0
#include "sets/check/check.hpp"

#include <unistd.h>

#include <cstdlib>
#include <mutex>

#include "sets/check/areas.hpp"
#include "sets/check/buffer_watch.hpp"
#include "sets/check/call_signature.hpp"
#include "sets/check/deadlock.hpp"
#include "sets/check/epochs.hpp"
#include "sets/check/freed_handles.hpp"
#include "sets/check/in_flight.hpp"
#include "sets/check/leaks.hpp"
#include "sets/check/mpi_errors.hpp"
#include "sets/check/overlaps.hpp"
#include "sets/check/p2p_watch.hpp"
#include "sets/check/path.hpp"
#include "sets/check/pending.hpp"
#include "sets/check/waiting.hpp"
#include "sets/check/wrong_end.hpp"
#include "sets/circle_make.hpp"
#include "sets/messages.hpp"
#include "sets/orders/history.hpp"
#include "sets/orders/orders.hpp"
#include "sets/report/report.hpp"
#include "sets/report/report_text.hpp"
#include "sets/windows/locks.hpp"
#include "sets/windows/one_sided.hpp"

namespace lapwing::sets {
namespace {

using Guard = std::lock_guard<Lock>;

bool finalized = false;
bool left = false;  ///< all processes have come to the end of main without it

/// This thread's call, between before() and after(); no circle if it is not followed.
struct Current {
  Circle* circle = nullptr;
  std::uint64_t number = 0;
  std::uint64_t agreed_id = 0;  ///< of what it has made, where both sides had to agree on it
  Areas areas{};                ///< its memory, where requests are followed
  BufferWatch* watch = nullptr;
};
thread_local Current current;

pid_t checked_process = 0;

Circle* circle_of(const GroupCall& call) {
  const Guard guard(Messages::lock());
  if (call.win != MPI_WIN_NULL) return Circles::of(call.win);
  if (call.file != MPI_FILE_NULL) return Circles::of(call.file);
  if (call.comm == MPI_COMM_NULL) return nullptr;
  Circle* circle = Circles::of(call.comm);
  return circle && call.operation == Operation::comm_create_group ? group_circle(*circle, call.group)
                                                                  : circle;
}

// The other side of these is not in sight, or not of this job.
bool joins_strangers(Operation operation) {
  return operation == Operation::comm_spawn || operation == Operation::comm_spawn_multiple ||
         operation == Operation::comm_accept || operation == Operation::comm_connect;
}

// No process waits in MPI_Comm_free, in any MPI; that all have called it is seen at
// the end. A call that returns at once is looked at when it is waited for.
bool returns_at_once(const GroupCall& call) {
  return call.way == Way::immediate || call.way == Way::persistent || call.operation == Operation::comm_free;
}

std::uint64_t open_call(Circle& circle, const GroupCall& call) {
  const Signature signature = call_signature(call, circle);
  const Told told = call_told(call, circle);
  const Blocks blocks = call_blocks(call, circle);
  const Guard guard(Messages::lock());
  return circle.open(signature, told, blocks);
}

void wait_for_all(Circle& circle, std::uint64_t number) {
  CallWait wait(circle, number);
  block(wait);
  const Guard guard(Messages::lock());
  circle.close(number);
}

// The leaders of the two groups of an intercommunicator wait for each other, and
// the others for their leaders.
void meet_other_leader(const Circle& circle, const GroupCall& call) {
  if (call.operation != Operation::intercomm_create || call.root != circle.me) return;
  Signature signature;
  signature.say(Signature::operation, 1);
  const Told told = call_told(call, circle);
  Circle* pair = nullptr;
  std::uint64_t number = 0;
  {
    const Guard guard(Messages::lock());
    const Circle* peers = call.peer_comm == MPI_COMM_NULL ? nullptr : Circles::of(call.peer_comm);
    if (!peers || call.peer < 0 || static_cast<std::size_t>(call.peer) >= peers->peers.size()) return;
    pair = pair_circle(*peers, peers->peers[static_cast<std::size_t>(call.peer)], call.tag);
    if (!pair) return;
    number = pair->open(signature, told);
  }
  wait_for_all(*pair, number);
}

// Calls `then` with the kind and the handle that the call frees, if it frees one.
template <typename Then>
void with_freed(const GroupCall& call, Then then) {
  const Guard guard(Messages::lock());
  switch (call.operation) {
    case Operation::comm_free:
    case Operation::comm_disconnect:
      return then(HandleKind::communicator, call.comm);
    case Operation::win_free:
      return then(HandleKind::window, call.win);
    case Operation::file_close:
      return then(HandleKind::file, call.file);
    default:
      return;
  }
}

// Another thread may be given the handle as soon as MPI has freed it.
void unbind_freed(const GroupCall& call) {
  with_freed(call, [](HandleKind, auto handle) { Circles::unbind(handle); });
}

void note_freed(const GroupCall& call) {
  with_freed(call,
             [&](HandleKind kind, auto handle) { Leaks::note_freed(kind, handle, told_of_call(call)); });
}

// Handles that the program has to free. Under the lock of Messages.
void note_made(const Made& made, const Told& maker) {
  if (made.comm != MPI_COMM_NULL) Leaks::note_made(HandleKind::communicator, made.comm, maker);
  if (made.win != MPI_WIN_NULL) Leaks::note_made(HandleKind::window, made.win, maker);
  if (made.file != MPI_FILE_NULL) Leaks::note_made(HandleKind::file, made.file, maker);
}

// On a communicator that is not followed; a leak there is not reported.
void note_made_unfollowed(const Made& made) {
  const Guard guard(Messages::lock());
  if (made.comm != MPI_COMM_NULL) FreedHandles::note_made(HandleKind::communicator, made.comm);
  if (made.win != MPI_WIN_NULL) FreedHandles::note_made(HandleKind::window, made.win);
  if (made.file != MPI_FILE_NULL) FreedHandles::note_made(HandleKind::file, made.file);
}

void bind_again(const GroupCall& call, Circle* circle) {
  with_freed(call, [circle](HandleKind, auto handle) { Circles::bind(handle, circle); });
}

// The memory of a collective call must be free for it. Requests are followed where one thread calls MPI.
void check_memory(const GroupCall& call, const Circle& circle) {
  if (!p2p_watched || call.operation > Operation::reduce_scatter_block) return;
  current.areas = areas_of(call, circle);
  const Told told = call_told(call, circle);
  InFlight::check_own(current.areas.list, told);
  if (call.way != Way::persistent) InFlight::check(current.areas.list, told);
}

// The call is about to begin: MPI gets memory of the checker's to write to.
void watch_memory(const GroupCall& call, Made* made) {
  const bool persistent = call.way == Way::persistent;
  if ((!persistent && call.way != Way::immediate) || !call.replaceable || !BufferWatch::wanted() ||
      current.areas.list.empty())
    return;
  current.watch = persistent ? BufferWatch::persistent(current.areas)
                             : BufferWatch::collective(current.areas, call_told(call, *current.circle));
  if (!current.watch) return;
  for (const Area& area : current.areas.list) {
    if (!area.written) continue;
    if (area.received) {
      made->receive_instead = BufferWatch::landing(current.watch, call.receive.buffer);
    } else {
      made->send_instead = BufferWatch::landing(current.watch, call.send.buffer);
    }
  }
}

// A process that ends without MPI_Finalize is missed by those that go on. If all come here, a destructor
// may still call it, and what follows is no longer looked at.
void at_exit() {
  if (finalized || job_ends || !watcher || getpid() != checked_process) return;
  int over = 0;
  PMPI_Finalized(&over);
  if (over) return;
  GroupCall call{};
  call.operation = Operation::finalize;
  call.way = Way::end;  // never as the others'
  call.name = "exit";
  call.comm = MPI_COMM_WORLD;
  Circle* world = Circles::of(MPI_COMM_WORLD);
  wait_for_all(*world, open_call(*world, call));
  left = true;
  WrongEnd::expect_finalize();
  path = nullptr;
  P2pWatch::stop();
}

// Both MPIs may crash.
void check_data(const Data& data, MPI_Comm comm, const Told& user) {
  if (!data.given || data.counts || data.buffer == MPI_IN_PLACE) return;
  if (data.one_count < 0 && MpiErrors::reports_comm(comm))
    end_job_in_turn(count_finding(account_of_place(user), data.one_count));
  if (is_missing(data) && MpiErrors::reports_comm(comm))
    end_job_in_turn(no_buffer_finding(account_of_place(user)));
}

void check_handles(const GroupCall& call) {
  const Told user = told_of_call(call);
  const Guard guard(Messages::lock());
  if (call.comm != MPI_COMM_NULL) FreedHandles::check(HandleKind::communicator, call.comm, user);
  if (call.win != MPI_WIN_NULL) FreedHandles::check(HandleKind::window, call.win, user);
  const Circle* circle = call.comm == MPI_COMM_NULL ? nullptr : Circles::of(call.comm);
  // Of an intercommunicator most arguments mean nothing in one of its groups.
  if (circle && circle->inter) return;
  const bool is_root = circle && call.root == circle->me;
  FreedHandles::check(call, is_root, user);
  if (!circle || call.operation > Operation::reduce_scatter_block) return;
  const bool takes_nothing = call.operation == Operation::exscan && circle->me == 0;
  if (!call.has_root || is_root || !takes_from_root(call.operation)) check_data(call.send, call.comm, user);
  if ((!call.has_root || is_root || !gives_to_root(call.operation)) && !takes_nothing)
    check_data(call.receive, call.comm, user);
}

}  // namespace

void Checker::start(bool provable, const transfer::Settings& settings, std::size_t watched_bytes) {
  static Checker checker;
  checked_process = getpid();
  Circles::start();
  Deadlock::start(provable);
  Epochs::start();
  Locks::start();
  Reports::start();
  make_world_circles();
  MpiErrors::start();
  Leaks::start(settings.leaks);
  Overlaps::start(settings.overlaps);
  if (provable) {
    P2pWatch::start();
    Orders::start(settings.unsafe_sends, settings.races);
  }
  if (provable && watched_bytes != 0) BufferWatch::start(watched_bytes);
  path = &path_recorder();
  watcher = &checker;
  std::atexit(at_exit);
}

bool Checker::before(const GroupCall& call, int* result, Made* made) {
  current = {};
  if (left) return false;
  check_handles(call);
  if (is_access(call.operation) || Epochs::is_one(call.operation) || call.win != MPI_WIN_NULL)
    OneSided::before(call, made);
  if (is_access(call.operation)) return false;
  if (Epochs::is_one(call.operation)) {
    const bool carried_out = Epochs::before(call, result);
    if (carried_out) OneSided::after(call, *result, *made);
    return carried_out;
  }
  if (is_partitioned(call.operation)) return false;
  Circle* circle = circle_of(call);
  if (!circle) return false;
  meet_other_leader(*circle, call);
  current.circle = circle;
  check_memory(call, *circle);
  current.number = open_call(*circle, call);
  if (!returns_at_once(call)) {
    wait_for_all(*circle, current.number);
    History::met(*circle, current.number, call_told(call, *circle));
  }
  unbind_freed(call);
  watch_memory(call, made);
  if (call.operation == Operation::finalize) {
    finalized = true;
    if (p2p_watched) OneSided::check_end();
    announce_finalize();
    P2pWatch::stop();
  }
  return false;
}

void Checker::after(const GroupCall& call, int result, const Made& made) {
  if (left) return;
  if (call.win != MPI_WIN_NULL) OneSided::after(call, result, made);
  if (is_access(call.operation)) return;
  if (Epochs::is_one(call.operation) && result == MPI_SUCCESS) return Epochs::after(call);
  if (is_partitioned(call.operation) && result == MPI_SUCCESS)
    return P2pWatch::note_partitioned(call, made.request);
  if (result == MPI_SUCCESS) note_freed(call);
  if (result == MPI_SUCCESS && call.operation == Operation::win_free && current.circle)
    OneSided::freed(*current.circle);
  if (!current.circle) return result == MPI_SUCCESS ? note_made_unfollowed(made) : void();
  if (result != MPI_SUCCESS) {
    BufferWatch::finish(current.watch, 0);
    if (call.way == Way::persistent) BufferWatch::drop(current.watch);
    return bind_again(call, current.circle);
  }
  // The two sides wait for each other here, so no lock of ours is held.
  if (call.operation == Operation::intercomm_create && made.comm != MPI_COMM_NULL)
    current.agreed_id = id_of_both_sides(*current.circle, current.number, made.comm);
  const Guard guard(Messages::lock());
  bind_made(call, made);
}

void Checker::bind_made(const GroupCall& call, const Made& made) {
  Circle& circle = *current.circle;
  const std::uint64_t number = current.number;
  Told maker;
  maker.name = call.name;
  maker.operation = call.operation;
  maker.returns_to = call.returns_to;
  maker.site = call.site;
  note_made(made, maker);
  if (made.comm != MPI_COMM_NULL && !joins_strangers(call.operation)) {
    if (call.way == Way::immediate) {
      twin_circle(circle, number, made.comm, maker);
    } else {
      comm_circle(circle, number, made.comm, maker, current.agreed_id);
    }
  }
  if (made.win != MPI_WIN_NULL) {
    Circle* const window = object_circle(circle, number, maker);
    Circles::bind(made.win, window);
    MpiErrors::watch(made.win);
    OneSided::made(made.win, window, call.comm);
  }
  if (made.file != MPI_FILE_NULL) Circles::bind(made.file, object_circle(circle, number, maker));
  // Where several threads call MPI no wait is seen, which would tell that a request is over.
  if (made.request == MPI_REQUEST_NULL || !p2p_watched) return;
  Pending pending;
  pending.kind = Pending::group;
  pending.circle = &circle;
  pending.number = number;
  pending.name = call.name;
  pending.returns_to = call.returns_to;
  if (call.way == Way::persistent) {
    // Requests are made in the same order everywhere, and started in any.
    pending.circle = object_circle(circle, number, maker);
    pending.persistent = true;
    pending.active = false;
    pending.count = static_cast<std::int64_t>(call.operation) + 1;
    pending.watch = current.watch;
  } else {
    pending.in_flight = InFlight::hold(current.areas.list, maker, made.request);
    pending.watch = current.watch;
    History::joins(&pending, maker);
  }
  PendingRequests::add(made.request, pending);
}

}  // namespace lapwing::sets
