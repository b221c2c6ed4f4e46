// SPDX-License-Identifier: Apache-2.0
// Collectives over tasks (section 4.1).
#pragma once

#include <mpi.h>

#include <memory>
#include <mutex>
#include <vector>

#include "arrays/calls.hpp"
#include "arrays/collectives/planner.hpp"
#include "arrays/transfers/progress.hpp"

namespace lapwing::arrays {

// With plain arguments: the tasks' first processes take part, and hand the result
// to the others of their task. `root` exists.
void plain_barrier(TaskComm& comm);
void plain_broadcast(TaskComm& comm, void* buffer, int count, MPI_Datatype type, int root);
/// To all tasks where the root is `any`.
void plain_reduce(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                  int root);
void plain_gather(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type, int root);
void plain_scatter(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type, int root);
void plain_allgather(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type);
void plain_alltoall(TaskComm& comm, const void* send, void* receive, int count, MPI_Datatype type);

// With distributed arguments.
enum class Shape { reduction, allreduce, broadcast };
/// Makes the plan from the arguments of all tasks in this call, or says why there is none.
Error plan_steps(TaskComm& comm, const std::shared_ptr<const View>& view, Shape shape, int root,
                 std::vector<Step>* steps);
Error broadcast(TaskComm& comm, const Operand& array, int root);
/// To all tasks where the root is `any`.
Error reduce(TaskComm& comm, const Operand& array, void* result, MPI_Op op, int root);
/// To the root's `whole`, or from it (`back`).
Error gather(TaskComm& comm, const Operand& array, const Operand& whole, int root, bool back);

/// To every task's `whole`; both have distributions.
Error allgather(TaskComm& comm, const Operand& array, const Operand& whole);
/// Whether dimension 0 can be cut for alltoall().
Error divisible(const TaskComm& comm, const Operand& array);
Error alltoall(TaskComm& comm, const Operand& send, const Operand& receive);

/// The same tasks once more: what collectives send, and do within a task, meets
/// nothing of the program's or of requests'. Made in the first collective that
/// needs it, by all.
TaskComm& inner(TaskComm& comm);

/// An error that any process of any task has; collective.
Error agree(TaskComm& comm, const Error& mine);

/// Waits for an operation of MPI's while everything else goes on.
void finish(MPI_Request request);

/// Begins one by `begin(&request)` and waits for it. Non-blocking forms only: other transfers of this process
/// go on meanwhile.
template <typename Begin>
void complete(Begin begin) {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard guard(Progress::lock());
    begin(&request);
  }
  finish(request);
}

}  // namespace lapwing::arrays
