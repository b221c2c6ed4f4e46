/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 2 of 9: tasks.
 *
 * A task is a group of processes that run one data-parallel program; to the calls
 * of part 3 it is one process of MPI's (HPF/MPI, section 1.2). Tasks are numbered
 * from 0, processes of a task have ranks from 0. A lapwing_tasks is a
 * communicator of tasks: messages on one never meet those on another.
 */
#ifndef LAPWING_ARRAY_TASKS_H
#define LAPWING_ARRAY_TASKS_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lapwing_tasks lapwing_tasks;

/** Every process of `comm` says which task it belongs to; tasks are numbered 0 to
 *  n - 1 without gaps, processes by their rank in `comm`. Collective over `comm`. */
int lapwing_tasks_create(MPI_Comm comm, int task, lapwing_tasks** out);

/** `sizes[t]` consecutive ranks of `comm` are task t; together they are all of
 *  `comm`. Collective over `comm`. */
int lapwing_tasks_of_sizes(MPI_Comm comm, int tasks, const int* sizes, lapwing_tasks** out);

/** Programs that were started together (mpiexec -n 4 producer : -n 2 consumer) are
 *  tasks, in the order of the command line. Collective over MPI_COMM_WORLD. */
int lapwing_tasks_of_programs(lapwing_tasks** out);

/** The same tasks, with messages of their own. Collective over all processes. */
int lapwing_tasks_dup(lapwing_tasks* tasks, lapwing_tasks** out);

/** Waits for the transfers of this process that are not complete. Collective over
 *  all processes; sets `*tasks` to null. After MPI_Finalize it only frees memory, and
 *  does not communicate. */
int lapwing_tasks_free(lapwing_tasks** tasks);

/** The task of the calling process, and the number of tasks: MPI_Comm_rank and
 *  MPI_Comm_size of a program of tasks. -1 if `tasks` is null. Local. */
int lapwing_tasks_rank(const lapwing_tasks* tasks);
int lapwing_tasks_size(const lapwing_tasks* tasks);

/** The caller's rank within its task, and the processes of task `task`; -1 where
 *  there is no such task. Local. */
int lapwing_tasks_process_rank(const lapwing_tasks* tasks);
int lapwing_tasks_processes(const lapwing_tasks* tasks, int task);

/** The communicator of the caller's task: the program's to use, Lapwing's to free. Local. */
MPI_Comm lapwing_tasks_comm(const lapwing_tasks* tasks);

/** How data moves in transfers that are begun from now on. Every process of a task
 *  chooses the same. Between two tasks the sender's choice is taken, unless it is
 *  AUTOMATIC: then the receiver's. */
enum lapwing_array_strategy {
  LAPWING_STRATEGY_AUTOMATIC = 0,  /**< the least of the estimated costs */
  LAPWING_STRATEGY_PARALLEL = 1,   /**< packed strips, many partners at once, in rounds */
  LAPWING_STRATEGY_PACKED = 2,     /**< one packed message for each partner */
  LAPWING_STRATEGY_DIRECT = 3,     /**< one message for each partner, as an MPI datatype */
  LAPWING_STRATEGY_CENTRALIZED = 4 /**< gathered to one process, sent whole, scattered */
};
int lapwing_tasks_strategy(lapwing_tasks* tasks, int strategy);

/** Nanoseconds that this process spent in the steps of section 2.1, and how many
 *  transfers that was. Of a receive, step 5 is the transmission and step 6 the
 *  unpacking; here both sides' transmission is `transmission`. */
struct lapwing_array_steps {
  uint64_t transfers;
  uint64_t inquiry_ns;      /**< 1: the description of the array is made ready */
  uint64_t call_ns;         /**< 2: the call, from the program into the library */
  uint64_t exchange_ns;     /**< 3: descriptors */
  uint64_t schedule_ns;     /**< 4 */
  uint64_t packing_ns;      /**< 5, and unpacking */
  uint64_t transmission_ns; /**< 6: what remains of the time until the transfer was complete */
  uint64_t messages;        /**< sent by this process, those of step 3 included */
  uint64_t bytes;           /**< of these messages */
};

/** Begins (1) or ends (0) the timing of transfers on `tasks`, and sets the sums to
 *  zero. Off, it costs nothing. Local. */
int lapwing_tasks_time_steps(lapwing_tasks* tasks, int on);
int lapwing_tasks_steps(const lapwing_tasks* tasks, struct lapwing_array_steps* steps);

#ifdef __cplusplus
}
#endif
#endif
