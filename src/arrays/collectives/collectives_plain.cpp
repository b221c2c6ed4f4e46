// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "arrays/collectives/collectives.hpp"
#include "arrays/transfers/progress.hpp"

namespace lapwing::arrays {
namespace {

bool first(const TaskComm& comm) { return comm.rank() == 0; }

void hand_on(TaskComm& comm, void* buffer, int count, MPI_Datatype type) {
  if (comm.processes() == 1) return;
  const MPI_Comm own = inner(comm).own();
  complete([&](MPI_Request* r) { PMPI_Ibcast(buffer, count, type, 0, own, r); });
}

}  // namespace

void finish(MPI_Request request) {
  Progress::wait([&] {
    int done = 0;
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

TaskComm& inner(TaskComm& comm) {
  if (comm.collective) return *comm.collective;
  // Behind the barrier no process waits for another's progress.
  plain_barrier(comm);
  TaskComm::create(comm.all(), comm.task(), &comm.collective);
  const std::lock_guard guard(Progress::lock());
  Progress::open(comm.collective);
  return *comm.collective;
}

Error agree(TaskComm& comm, const Error& mine) {
  int size = 0, me = 0;
  PMPI_Comm_size(comm.all(), &size);
  PMPI_Comm_rank(comm.all(), &me);
  int failed = mine ? me : -1;
  complete(
      [&](MPI_Request* r) { PMPI_Iallreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm.all(), r); });
  if (failed < 0) return {};
  std::array<char, 512> sentence{};
  std::strncpy(sentence.data() + 1, mine.text.c_str(), sentence.size() - 2);
  sentence[0] = static_cast<char>(mine.code);
  complete([&](MPI_Request* r) {
    PMPI_Ibcast(sentence.data(), static_cast<int>(sentence.size()), MPI_CHAR, failed, comm.all(), r);
  });
  return {static_cast<Code>(sentence[0]), sentence.data() + 1};
}

void plain_barrier(TaskComm& comm) {
  complete([&](MPI_Request* r) { PMPI_Ibarrier(comm.all(), r); });
}

void plain_broadcast(TaskComm& comm, void* buffer, int count, MPI_Datatype type, int root) {
  inner(comm);
  if (first(comm))
    complete([&](MPI_Request* r) { PMPI_Ibcast(buffer, count, type, root, comm.leaders(), r); });
  if (comm.task() != root) hand_on(comm, buffer, count, type);
}

void plain_reduce(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                  int root) {
  inner(comm);
  const bool result = root == any || root == comm.task();
  if (first(comm))
    complete([&](MPI_Request* r) {
      if (root == any)
        PMPI_Iallreduce(send, receive, count, type, op, comm.leaders(), r);
      else
        PMPI_Ireduce(send, receive, count, type, op, root, comm.leaders(), r);
    });
  if (result) hand_on(comm, receive, count, type);
}

void plain_gather(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type, int root) {
  inner(comm);
  if (first(comm))
    complete([&](MPI_Request* r) {
      PMPI_Igather(send, count, type, receive, count, type, root, comm.leaders(), r);
    });
  if (comm.task() == root) hand_on(comm, receive, count * comm.tasks(), type);
}

void plain_scatter(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type, int root) {
  inner(comm);
  if (first(comm))
    complete([&](MPI_Request* r) {
      PMPI_Iscatter(send, count, type, receive, count, type, root, comm.leaders(), r);
    });
  hand_on(comm, receive, count, type);
}

void plain_allgather(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type) {
  inner(comm);
  if (first(comm))
    complete(
        [&](MPI_Request* r) { PMPI_Iallgather(send, count, type, receive, count, type, comm.leaders(), r); });
  hand_on(comm, receive, count * comm.tasks(), type);
}

void plain_alltoall(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type) {
  inner(comm);
  if (first(comm))
    complete(
        [&](MPI_Request* r) { PMPI_Ialltoall(send, count, type, receive, count, type, comm.leaders(), r); });
  hand_on(comm, receive, count * comm.tasks(), type);
}

}  // namespace lapwing::arrays
