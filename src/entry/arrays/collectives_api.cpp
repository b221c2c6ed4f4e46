// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 4: collectives over tasks.
#include <fmt/format.h>

#include "arrays/collectives/collectives.hpp"
#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using arrays::Code;
using arrays::Operand;
using lapwing::entry::view_of;

namespace {

arrays::Error check(const lapwing_tasks* tasks, int root, int count = 0) {
  if (!tasks) return {Code::argument, "the tasks are null"};
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return error;
  if (!tasks->comm->has(root)) return tasks->comm->no_task(root);
  if (count < 0) return {Code::argument, fmt::format("the count is {}", count)};
  return {};
}

arrays::Error check_local(const lapwing_tasks* tasks, const Operand& array) {
  if (!array.view) return {Code::argument, "the distribution is null"};
  const arrays::TaskComm& comm = *tasks->comm;
  open_memory(array);
  return arrays::check_local(*array.view, comm.party(comm.task()), comm.rank(), array.local, array.elements);
}

// The operand of a reduction, and, at tasks that get the result, the memory for it.
arrays::Error check_both(const lapwing_tasks* tasks, const Operand& array, void* result, bool gets) {
  arrays::Error error = check_local(tasks, array);
  return error || !gets ? error : check_local(tasks, {result, array.elements, array.view});
}

// All processes must know an error that one finds in its arguments before any of
// them waits for another.
arrays::Error agree(const lapwing_tasks* tasks, const arrays::Error& mine) {
  if (!arrays::errors_return) return mine;
  return arrays::agree(*tasks->comm, mine);
}

}  // namespace

#define LAPWING_CHECK(error) \
  if (const arrays::Error found = (error)) return arrays::report(__func__, found)

LAPWING_ENTRY int lapwing_tasks_barrier(lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, 0));
  arrays::plain_barrier(*tasks->comm);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_bcast(void* buffer, int count, MPI_Datatype type, int root,
                                      lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, root, count));
  arrays::plain_broadcast(*tasks->comm, buffer, count, type, root);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                       int root, lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, root, count));
  arrays::plain_reduce(*tasks->comm, send, recv, count, type, op, root);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_allreduce(const void* send, void* recv, int count, MPI_Datatype type,
                                          MPI_Op op, lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, 0, count));
  arrays::plain_reduce(*tasks->comm, send, recv, count, type, op, arrays::any);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_gather(const void* send, void* recv, int count, MPI_Datatype type, int root,
                                       lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, root, count));
  arrays::plain_gather(*tasks->comm, send, recv, count, type, root);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_scatter(const void* send, void* recv, int count, MPI_Datatype type, int root,
                                        lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, root, count));
  arrays::plain_scatter(*tasks->comm, send, recv, count, type, root);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_allgather(const void* send, void* recv, int count, MPI_Datatype type,
                                          lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, 0, count));
  arrays::plain_allgather(*tasks->comm, send, recv, count, type);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_alltoall(const void* send, void* recv, int count, MPI_Datatype type,
                                         lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, 0, count));
  arrays::plain_alltoall(*tasks->comm, send, recv, count, type);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_array_bcast(void* local, int64_t elements, const lapwing_distribution* array,
                                      int root, lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, root));
  const Operand operand{local, elements, view_of(array)};
  LAPWING_CHECK(agree(tasks, check_local(tasks, operand)));
  return arrays::report(__func__, arrays::broadcast(*tasks->comm, operand, root));
}

LAPWING_ENTRY int lapwing_array_reduce(const void* send_local, void* recv_local, int64_t elements,
                                       const lapwing_distribution* array, MPI_Op op, int root,
                                       lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, root));
  const Operand operand{send_local, elements, view_of(array)};
  const bool gets = tasks->comm->task() == root;
  LAPWING_CHECK(agree(tasks, check_both(tasks, operand, recv_local, gets)));
  return arrays::report(__func__, arrays::reduce(*tasks->comm, operand, recv_local, op, root));
}

LAPWING_ENTRY int lapwing_array_allreduce(const void* send_local, void* recv_local, int64_t elements,
                                          const lapwing_distribution* array, MPI_Op op,
                                          lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, 0));
  const Operand operand{send_local, elements, view_of(array)};
  LAPWING_CHECK(agree(tasks, check_both(tasks, operand, recv_local, true)));
  return arrays::report(__func__, arrays::reduce(*tasks->comm, operand, recv_local, op, arrays::any));
}

LAPWING_ENTRY int lapwing_array_gather(const void* local, int64_t elements, const lapwing_distribution* array,
                                       void* whole_local, int64_t whole_elements,
                                       const lapwing_distribution* whole, int root, lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, root));
  const Operand part{local, elements, view_of(array)}, all{whole_local, whole_elements, view_of(whole)};
  LAPWING_CHECK(agree(tasks, check_local(tasks, part)));
  return arrays::report(__func__, arrays::gather(*tasks->comm, part, all, root, false));
}

LAPWING_ENTRY int lapwing_array_scatter(const void* whole_local, int64_t whole_elements,
                                        const lapwing_distribution* whole, void* local, int64_t elements,
                                        const lapwing_distribution* array, int root, lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, root));
  const Operand part{local, elements, view_of(array)}, all{whole_local, whole_elements, view_of(whole)};
  LAPWING_CHECK(agree(tasks, check_local(tasks, part)));
  return arrays::report(__func__, arrays::gather(*tasks->comm, part, all, root, true));
}

LAPWING_ENTRY int lapwing_array_allgather(const void* local, int64_t elements,
                                          const lapwing_distribution* array, void* whole_local,
                                          int64_t whole_elements, const lapwing_distribution* whole,
                                          lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, 0));
  const Operand part{local, elements, view_of(array)}, all{whole_local, whole_elements, view_of(whole)};
  arrays::Error found = check_local(tasks, part);
  if (!found) found = check_local(tasks, all);
  LAPWING_CHECK(agree(tasks, found));
  return arrays::report(__func__, arrays::allgather(*tasks->comm, part, all));
}

LAPWING_ENTRY int lapwing_array_alltoall(const void* send_local, int64_t send_elements,
                                         const lapwing_distribution* send_array, void* recv_local,
                                         int64_t recv_elements, const lapwing_distribution* recv_array,
                                         lapwing_tasks* tasks) {
  LAPWING_CHECK(check(tasks, 0));
  const Operand send{send_local, send_elements, view_of(send_array)};
  const Operand recv{recv_local, recv_elements, view_of(recv_array)};
  arrays::Error found;
  for (const Operand* each : {&send, &recv}) {
    if (!found) found = check_local(tasks, *each);
    if (!found) found = arrays::divisible(*tasks->comm, *each);
  }
  LAPWING_CHECK(agree(tasks, found));
  return arrays::report(__func__, arrays::alltoall(*tasks->comm, send, recv));
}

LAPWING_ENTRY int lapwing_array_plan(const lapwing_distribution* array, int root, int all,
                                     lapwing_tasks* tasks, int* steps, int* from, int* to) {
  LAPWING_CHECK(check(tasks, root));
  constexpr arrays::Shape shapes[] = {arrays::Shape::reduction, arrays::Shape::allreduce,
                                      arrays::Shape::broadcast};
  if (all < 0 || all > 2) return lapwing::entry::refused(__func__, Code::argument, "`all` is 0, 1 or 2");
  std::vector<arrays::Step> plan;
  LAPWING_CHECK(arrays::plan_steps(*tasks->comm, view_of(array), shapes[all], root, &plan));
  *steps = static_cast<int>(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    from[i] = plan[i].from;
    to[i] = plan[i].to;
  }
  return LAPWING_ARRAY_OK;
}
