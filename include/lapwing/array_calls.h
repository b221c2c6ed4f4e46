/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 3 of 9: transfers between tasks.
 *
 * The calls have MPI's names and meaning, with tasks in the place of processes and
 * a distributed array in the place of a buffer: every process of a task makes the
 * same calls in the same order, each with its own local memory. `local` is the
 * local memory of the calling process and `elements` its size; a process that
 * holds nothing may give null and 0. Two transfers between two tasks with the same
 * tag do not overtake each other. A send may wait for its receive, as in MPI.
 *
 * Calls may be made by any thread that may call MPI, one at a time in each task
 * for the sake of the order. They work with and without 'lapwing run'.
 */
#ifndef LAPWING_ARRAY_CALLS_H
#define LAPWING_ARRAY_CALLS_H

#include "lapwing/array_distributions.h"
#include "lapwing/array_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAPWING_ANY_TASK (-1)
#define LAPWING_ANY_TAG (-1)
/** As MPI_PROC_NULL: nothing happens. */
#define LAPWING_TASK_NULL (-2)

/** Null where nothing is pending. */
typedef struct lapwing_array_request lapwing_array_request;

struct lapwing_array_status {
  int task; /**< the sender, also where any was asked for */
  int tag;
  int error;        /**< enum lapwing_array_error */
  int64_t elements; /**< that this process sent or received */
};

int lapwing_array_send(const void* local, int64_t elements, const lapwing_distribution* array, int dest,
                       int tag, lapwing_tasks* tasks);
/** `status` may be null, as everywhere. */
int lapwing_array_recv(void* local, int64_t elements, const lapwing_distribution* array, int source, int tag,
                       lapwing_tasks* tasks, struct lapwing_array_status* status);
int lapwing_array_sendrecv(const void* send_local, int64_t send_elements,
                           const lapwing_distribution* send_array, int dest, int send_tag, void* recv_local,
                           int64_t recv_elements, const lapwing_distribution* recv_array, int source,
                           int recv_tag, lapwing_tasks* tasks, struct lapwing_array_status* status);

/** The non-blocking ones. Descriptors, schedules and strips move on as messages
 *  arrive: by a thread of Lapwing's where MPI has MPI_THREAD_MULTIPLE, and else
 *  within its calls. */
int lapwing_array_isend(const void* local, int64_t elements, const lapwing_distribution* array, int dest,
                        int tag, lapwing_tasks* tasks, lapwing_array_request** request);
int lapwing_array_irecv(void* local, int64_t elements, const lapwing_distribution* array, int source, int tag,
                        lapwing_tasks* tasks, lapwing_array_request** request);

/** Several arrays as one transfer: as many messages as one would take. */
int lapwing_array_isend_many(int arrays, const void* const* local, const int64_t* elements,
                             const lapwing_distribution* const* array, int dest, int tag,
                             lapwing_tasks* tasks, lapwing_array_request** request);
int lapwing_array_irecv_many(int arrays, void* const* local, const int64_t* elements,
                             const lapwing_distribution* const* array, int source, int tag,
                             lapwing_tasks* tasks, lapwing_array_request** request);

/** Persistent requests: steps 1 to 4 are taken once. They do not wait for the
 *  other task, the first start does. A persistent send meets a persistent
 *  receive only; both name their partner and their tag. */
int lapwing_array_send_init(const void* local, int64_t elements, const lapwing_distribution* array, int dest,
                            int tag, lapwing_tasks* tasks, lapwing_array_request** request);
int lapwing_array_recv_init(void* local, int64_t elements, const lapwing_distribution* array, int source,
                            int tag, lapwing_tasks* tasks, lapwing_array_request** request);
int lapwing_array_start(lapwing_array_request* request);
int lapwing_array_startall(int count, lapwing_array_request* const* requests);

/** Completion. A request that is not persistent becomes null; a persistent one can
 *  be started again. Null requests are complete. */
int lapwing_array_wait(lapwing_array_request** request, struct lapwing_array_status* status);
int lapwing_array_waitall(int count, lapwing_array_request** requests, struct lapwing_array_status* statuses);
/** `*index` is -1 where no request is pending. */
int lapwing_array_waitany(int count, lapwing_array_request** requests, int* index,
                          struct lapwing_array_status* status);
int lapwing_array_test(lapwing_array_request** request, int* done, struct lapwing_array_status* status);
int lapwing_array_testall(int count, lapwing_array_request** requests, int* done,
                          struct lapwing_array_status* statuses);
/** Frees a persistent request that is not started, and pending ones when they are complete. */
int lapwing_array_request_free(lapwing_array_request** request);

/** Returns once the elements of the box `first`, `count` (indices of the whole
 *  array) that this process receives have landed; the rest may still be on its
 *  way. For requests that receive one array, redistributions among them. Strips
 *  land in the order of the first dimension (row-major memory) or the last one
 *  (column-major), so a consumer walks along that one. */
int lapwing_array_wait_section(lapwing_array_request* request, const int64_t* first, const int64_t* count);
/** `*landed` is whether they have. Never blocks; lets transfers proceed. */
int lapwing_array_test_section(lapwing_array_request* request, const int64_t* first, const int64_t* count,
                               int* landed);

/** Lets transfers proceed where there is no thread for it. Never blocks. */
int lapwing_array_progress(void);

/** Buffered sends: they copy what is sent into the attached buffer and never wait
 *  for the receiver. `*bytes` is what one of them takes of it. As in MPI, one
 *  buffer for each process; detach waits until it is not in use any more. */
int lapwing_array_bsend(const void* local, int64_t elements, const lapwing_distribution* array, int dest,
                        int tag, lapwing_tasks* tasks);
int lapwing_array_pack_size(const lapwing_distribution* array, const lapwing_tasks* tasks, int64_t* bytes);
int lapwing_array_buffer_attach(void* buffer, int64_t bytes);
int lapwing_array_buffer_detach(void** buffer, int64_t* bytes);

/** From one distribution over the caller's task to another: a transfer of a task
 *  with itself. The two grids may hold any processes of the task. Memory of both
 *  sides must not overlap. Every process of the task makes the call. */
int lapwing_array_redistribute(const void* from_local, int64_t from_elements,
                               const lapwing_distribution* from, void* to_local, int64_t to_elements,
                               const lapwing_distribution* to, lapwing_tasks* tasks);
int lapwing_array_iredistribute(const void* from_local, int64_t from_elements,
                                const lapwing_distribution* from, void* to_local, int64_t to_elements,
                                const lapwing_distribution* to, lapwing_tasks* tasks,
                                lapwing_array_request** request);
int lapwing_array_redistribute_init(const void* from_local, int64_t from_elements,
                                    const lapwing_distribution* from, void* to_local, int64_t to_elements,
                                    const lapwing_distribution* to, lapwing_tasks* tasks,
                                    lapwing_array_request** request);

/** The elements that process `rank` of the one task sends to the other as text, or the whole
 *  transfer as a drawing in characters or as an SVG picture. Written as far as `room` goes, with a zero at
 * the end; returns the bytes of the whole, or -1. Local. */
enum lapwing_schedule_form {
  LAPWING_SCHEDULE_TEXT = 0,
  LAPWING_SCHEDULE_ASCII = 1,
  LAPWING_SCHEDULE_SVG = 2
};
int64_t lapwing_array_schedule(const lapwing_distribution* from, const lapwing_distribution* to, int rank,
                               int form, char* text, int64_t room);

/** How large `rank`'s part of that schedule is. Computes it anew. Local. */
struct lapwing_schedule_size {
  int64_t partners; /**< itself included, where elements stay */
  int64_t segments; /**< families of equal line segments: what the schedule costs */
  int64_t elements; /**< that it sends */
};
int lapwing_array_schedule_size(const lapwing_distribution* from, const lapwing_distribution* to, int rank,
                                struct lapwing_schedule_size* size);

#ifdef __cplusplus
}
#endif
#endif
