// SPDX-License-Identifier: Apache-2.0
#include "entry/sets/declared.hpp"

#include <fmt/format.h>

#include "entry/p2p/p2p.hpp"
#include "entry/refuse.hpp"
#include "guard/devices.hpp"
#include "mpi/references.hpp"
#include "sets/declared/declared.hpp"
#include "sets/declared/tree.hpp"
#include "sets/messages.hpp"
#include "sets/votes/shortcut.hpp"
#include "transfer/retire.hpp"

namespace declared = lapwing::sets::declared;
namespace transfer = lapwing::transfer;
using declared::Declared;
using declared::Key;
using DeclaredKind = declared::Kind;
using declared::Range;
using declared::Transfer;
using lapwing::entry::refuse;
using lapwing::sets::Messages;

namespace {

constexpr const char* why_not_started =
    "it is called before MPI_Init or after MPI_Finalize, or not every program of this job was linked with "
    "Lapwing";

Declared& started(const char* routine, const void* returns_to) {
  if (!Declared::get()) refuse(routine, returns_to, why_not_started);
  return *Declared::get();
}

// The communicator, the count and the partner of one declaration, checked; and
// its place in the code.
struct Call {
  const char* routine;
  const void* returns_to;
  declared::Comm* comm;

  std::unique_ptr<Transfer> transfer(DeclaredKind kind, int count, MPI_Datatype type, MPI_Comm handle,
                                     int partner) {
    started(routine, returns_to);
    if (handle == MPI_COMM_NULL) refuse(routine, returns_to, "the communicator is MPI_COMM_NULL");
    comm = declared::Comm::of(handle);
    if (!comm)
      refuse(
          routine, returns_to,
          "nothing can be declared on this communicator yet. All its members call lapwing_declare_open(comm) "
          "once, after it has been made");
    if (count < 0) refuse(routine, returns_to, fmt::format("the count is {}", count));
    if (type == MPI_DATATYPE_NULL) refuse(routine, returns_to, "the datatype is MPI_DATATYPE_NULL");
    if (partner < 0 || partner >= comm->size())
      refuse(routine, returns_to,
             fmt::format("there is no rank {} in {}, which has {}", partner, comm->name(), comm->size()));
    auto made = std::make_unique<Transfer>(count, type);
    made->kind = kind;
    made->returns_to = returns_to;
    made->terms = {made->layout.bytes(), -1, DeclaredKind::send};
    return made;
  }
};

// A deferred transfer of the engine's must not own memory that MPI and copies
// are about to touch under a lock.
void open_memory(const Range& range) {
  if (range.begin != range.end)
    transfer::retire_overlapping(reinterpret_cast<const void*>(range.begin), range.end - range.begin);
}

void add_leg(Transfer& made, Key key, int world_rank, bool outgoing) {
  key.peer = world_rank;
  declared::Leg leg;
  leg.key = key;
  leg.outgoing = outgoing;
  made.legs.push_back(leg);
}

// Declared data are copied by the processor.
void check_memory(const Call& call, const Range& range) {
  const auto* memory = reinterpret_cast<const void*>(range.begin);
  if (lapwing::guard::reachable(memory, range.end - range.begin)) return;
  refuse(
      call.routine, call.returns_to,
      fmt::format("the buffer at {} is a device's, which the processor cannot read: copy it to host memory "
                  "and give that, or allocate it so that both reach it",
                  memory));
}

void submit(const Call& call, std::unique_ptr<Transfer> made) {
  for (const Range& range : {made->reads, made->writes}) {
    open_memory(range);
    check_memory(call, range);
  }
  const std::lock_guard guard(Messages::lock());
  Declared::get()->declare(std::move(made));
}

void reduce(Call call, const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm) {
  auto made = call.transfer(DeclaredKind::reduction, count, type, comm, root);
  if (op == MPI_OP_NULL) refuse(call.routine, call.returns_to, "the operation is MPI_OP_NULL");
  const std::lock_guard guard(Messages::lock());
  const int rank = call.comm->rank(), size = call.comm->size();
  const bool at_root = rank == root;
  if (send == MPI_IN_PLACE && !at_root)
    refuse(call.routine, call.returns_to, "MPI_IN_PLACE is given at a process that is not the root");
  made->op = op;
  made->from = send == MPI_IN_PLACE ? recv : send;
  made->to = recv;
  made->reads = made->layout.range(made->from);
  if (at_root) made->writes = made->layout.range(recv);
  made->terms = {made->layout.bytes(), root, DeclaredKind::reduction};
  const Key key = call.comm->next_collective();
  int commutes = 0;
  PMPI_Op_commutative(op, &commutes);
  if (commutes) {
    const auto around = declared::tree(rank, size, root);
    for (const int child : around.children) add_leg(*made, key, call.comm->world_rank(child), false);
    if (around.parent >= 0) add_leg(*made, key, call.comm->world_rank(around.parent), true);
  } else if (at_root) {
    made->own = static_cast<std::size_t>(rank);
    for (int other = 0; other < size; ++other)
      if (other != rank) add_leg(*made, key, call.comm->world_rank(other), false);
  } else {
    add_leg(*made, key, call.comm->world_rank(root), true);
  }
  submit(call, std::move(made));
}

void broadcast(Call call, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  auto made = call.transfer(DeclaredKind::broadcast, count, type, comm, root);
  const std::lock_guard guard(Messages::lock());
  made->from = made->to = buffer;
  made->terms = {made->layout.bytes(), root, DeclaredKind::broadcast};
  const auto around = declared::tree(call.comm->rank(), call.comm->size(), root);
  const Key key = call.comm->next_collective();
  if (around.parent >= 0) {
    add_leg(*made, key, call.comm->world_rank(around.parent), false);
    made->writes = made->layout.range(buffer);
  }
  for (const int child : around.children) add_leg(*made, key, call.comm->world_rank(child), true);
  if (!around.children.empty()) made->reads = made->layout.range(buffer);
  submit(call, std::move(made));
}

}  // namespace

namespace lapwing::entry {

bool declares() {
  static constexpr const char* names[] = {"lapwing_declare", "lapwing_shortcut_", nullptr};
  static const bool found = mpi::refers_to(names);
  return found;
}

void start_declared(const transfer::Settings& settings, bool threads) {
  if (!Messages::started()) return;
  // One program of several may declare: the others answer it.
  int anybody = declares();
  PMPI_Allreduce(MPI_IN_PLACE, &anybody, 1, MPI_INT, MPI_MAX, Messages::world());
  if (!anybody) return;
  Declared::start(settings.staging, settings.helper, settings.declared_trace, !threads);
  sets::Shortcut::start();
}

void stop_declared() { Declared::stop(); }

void declare_open(const void* here, MPI_Comm comm) {
  started("lapwing_declare_open", here);
  if (const std::string why = declared::Comm::open(comm); !why.empty())
    refuse("lapwing_declare_open", here, why);
}

void declare_send(const void* here, const void* buffer, int count, MPI_Datatype type, int dest, int tag,
                  MPI_Comm comm) {
  if (dest == MPI_PROC_NULL) return;
  Call call{"lapwing_declare_send", here, nullptr};
  auto made = call.transfer(DeclaredKind::send, count, type, comm, dest);
  const std::lock_guard guard(Messages::lock());
  made->from = buffer;
  made->reads = made->layout.range(buffer);
  const Key key = call.comm->next(dest, tag, true);
  add_leg(*made, key, key.peer, true);
  submit(call, std::move(made));
}

void declare_recv(const void* here, void* buffer, int count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm) {
  if (source == MPI_PROC_NULL) return;
  Call call{"lapwing_declare_recv", here, nullptr};
  if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
    refuse(call.routine, here,
           "a declared receive names its source and its tag; there is no MPI_ANY_SOURCE and no MPI_ANY_TAG");
  auto made = call.transfer(DeclaredKind::receive, count, type, comm, source);
  const std::lock_guard guard(Messages::lock());
  made->to = buffer;
  made->writes = made->layout.range(buffer);
  const Key key = call.comm->next(source, tag, false);
  add_leg(*made, key, key.peer, false);
  submit(call, std::move(made));
}

void declare_bcast(const void* here, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  broadcast({"lapwing_declare_bcast", here, nullptr}, buffer, count, type, root, comm);
}

void declare_reduce(const void* here, const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                    int root, MPI_Comm comm) {
  reduce({"lapwing_declare_reduce", here, nullptr}, send, recv, count, type, op, root, comm);
}

void declare_allreduce(const void* here, const void* send, void* recv, int count, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm) {
  const Call call{"lapwing_declare_allreduce", here, nullptr};
  declared::Comm* members = comm == MPI_COMM_NULL || !Declared::get() ? nullptr : declared::Comm::of(comm);
  if (send == MPI_IN_PLACE && members && members->rank() != 0) send = recv;
  reduce(call, send, recv, count, type, op, 0, comm);
  broadcast(call, recv, count, type, 0, comm);
}

void complete_declared(const void* here) { started("lapwing_complete", here).complete(); }

}  // namespace lapwing::entry
