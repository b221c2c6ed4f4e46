/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 4 of 9: collectives over tasks (HPF/MPI, section 4.1).
 *
 * All tasks of a lapwing_tasks take part, each with all of its processes. They
 * block, and are called by all in the same order.
 */
#ifndef LAPWING_ARRAY_COLLECTIVES_H
#define LAPWING_ARRAY_COLLECTIVES_H

#include "lapwing/array_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

int lapwing_tasks_barrier(lapwing_tasks* tasks);

/** With plain arguments, which every process of a task has alike: one process of
 *  each task takes part, and hands the result to the others of its task where the
 *  task is to have it. `count` elements for each task. */
int lapwing_tasks_bcast(void* buffer, int count, MPI_Datatype type, int root, lapwing_tasks* tasks);
int lapwing_tasks_reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                         lapwing_tasks* tasks);
int lapwing_tasks_allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                            lapwing_tasks* tasks);
int lapwing_tasks_gather(const void* send, void* recv, int count, MPI_Datatype type, int root,
                         lapwing_tasks* tasks);
int lapwing_tasks_scatter(const void* send, void* recv, int count, MPI_Datatype type, int root,
                          lapwing_tasks* tasks);

/** All tasks' elements, in the order of tasks, to all. */
int lapwing_tasks_allgather(const void* send, void* recv, int count, MPI_Datatype type, lapwing_tasks* tasks);
/** `count` elements in `send` for each task, and in `recv` from each, in the order of tasks. */
int lapwing_tasks_alltoall(const void* send, void* recv, int count, MPI_Datatype type, lapwing_tasks* tasks);

/** With distributed arguments. Every task gives an array of the same shape and
 *  type in the distribution that it likes. Which tasks exchange arrays, in which
 *  order and where partial results are made is planned so that the fewest
 *  expensive redistributions are paid; `op` is taken to commute and to associate. */
int lapwing_array_bcast(void* local, int64_t elements, const lapwing_distribution* array, int root,
                        lapwing_tasks* tasks);
/** `recv_local` is the result at `root`, in the same distribution as that task's
 *  `send_local`; elsewhere it is not looked at. May be the same memory. */
int lapwing_array_reduce(const void* send_local, void* recv_local, int64_t elements,
                         const lapwing_distribution* array, MPI_Op op, int root, lapwing_tasks* tasks);
int lapwing_array_allreduce(const void* send_local, void* recv_local, int64_t elements,
                            const lapwing_distribution* array, MPI_Op op, lapwing_tasks* tasks);
/** `whole` at `root` is all tasks' arrays, one after the other along dimension 0;
 *  elsewhere it may be null. Their other extents are equal. */
int lapwing_array_gather(const void* local, int64_t elements, const lapwing_distribution* array,
                         void* whole_local, int64_t whole_elements, const lapwing_distribution* whole,
                         int root, lapwing_tasks* tasks);
int lapwing_array_scatter(const void* whole_local, int64_t whole_elements, const lapwing_distribution* whole,
                          void* local, int64_t elements, const lapwing_distribution* array, int root,
                          lapwing_tasks* tasks);

/** lapwing_array_gather() with every task as the root: each has its `whole`, in the
 *  distribution that it likes. Its memory does not overlap that of `local`. */
int lapwing_array_allgather(const void* local, int64_t elements, const lapwing_distribution* array,
                            void* whole_local, int64_t whole_elements, const lapwing_distribution* whole,
                            lapwing_tasks* tasks);
/** Dimension 0 of both arrays is in as many equal parts as there are tasks: part t
 *  of what a task s sends becomes part s of what task t receives. */
int lapwing_array_alltoall(const void* send_local, int64_t send_elements,
                           const lapwing_distribution* send_array, void* recv_local, int64_t recv_elements,
                           const lapwing_distribution* recv_array, lapwing_tasks* tasks);

/** The plan of a reduction (`all` 0), an allreduce (1) or a broadcast (2) of such
 *  arrays: `from[i]` sends to `to[i]`, in this order; both have room for
 *  2 * (tasks - 1). Returns in `*steps` how many there are. Collective as the
 *  call itself. */
int lapwing_array_plan(const lapwing_distribution* array, int root, int all, lapwing_tasks* tasks, int* steps,
                       int* from, int* to);

#ifdef __cplusplus
}
#endif
#endif
