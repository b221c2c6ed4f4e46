/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks with declared accesses, in C: a serial program says what each of its parts reads and writes, and
 * those parts run in parallel with the results of the serial program. docs/tasks.md teaches it, in C++
 * first. Link with liblapwing-tasks; started by an mpiexec, the same program runs on its ranks.
 *
 *   struct step { lapwing_object left, self; int step; };
 *   static void update(void *arguments)
 *   {
 *     struct step *s = arguments;
 *     const double *left = lapwing_task_read(s->left);
 *     double *self = lapwing_task_read_write(s->self);
 *     if (left == NULL || self == NULL) return;
 *     ...
 *   }
 *   struct step s = {block[i - 1], block[i], step};
 *   LAPWING_SPAWN(update, s, lapwing_task_rd(block[i - 1]), lapwing_task_rd_wr(block[i]));
 *
 * Arguments are copied, and hold no pointers but to functions and statics: a task whose arguments point
 * into this process' memory stays on rank 0. Functions that return int return 0, or -1 after a mistake,
 * which lapwing_task_error() tells; a mistake is also said on stderr, with the task and the object.
 */
#ifndef LAPWING_TASKS_C_H
#define LAPWING_TASKS_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A shared object: bytes, or a value of the program's own kind. Copied like a number, the same on all
 *  ranks, so it may lie in arguments and in other objects. */
typedef struct lapwing_object {
  void* object;
  uint32_t generation;
  uint32_t zero;
} lapwing_object;

/** How values travel to other ranks that are not a run of bytes. A static of the program. */
typedef struct lapwing_object_kind {
  const char* name;
  size_t (*packed_size)(const void* value);
  void (*pack)(const void* value, void* bytes);
  void* (*unpack)(const void* bytes, size_t size); /* a new value */
  void (*drop)(void* value);
} lapwing_object_kind;

/* --- the main program --- */

/** Runs `program` as the main program: 0 when it and all its tasks have ended, -1 if one of them failed.
 *  `workers` threads run tasks, 0 for one a core; the variables LAPWING_TASKS_... set the rest. */
int lapwing_task_run(void (*program)(void* argument), void* argument, int workers);
/** The main program waits for all tasks so far. */
int lapwing_task_finish(void);
/** The workers of all ranks, and which of them runs the caller. */
int lapwing_task_workers(void);
int lapwing_task_worker(void);
/** The last mistake, or failure of a task, on this thread. */
const char* lapwing_task_error(void);

/* --- objects --- */

/** A new object of `size` bytes: a copy of `initial`, or zeros. The name, which may be NULL, is for messages.
 */
lapwing_object lapwing_task_create(const void* initial, size_t size, const char* name);
/** A new object that has `value`, which kind->drop() ends; a kind without pack and unpack stays on its rank.
 */
lapwing_object lapwing_task_create_of(const lapwing_object_kind* kind, void* value, const char* name);
/** Ends an object at this place of the program; else it lives until lapwing_task_run() returns. */
int lapwing_task_destroy(lapwing_object object);

/* --- declarations --- */

enum lapwing_task_rights { LAPWING_TASK_RD = 1, LAPWING_TASK_WR = 2, LAPWING_TASK_CM = 4 };

/** An access of an object, or of a part of it: `count` pieces of `width` bytes from `first` on,
 *  `stride` bytes from one to the next; count 0: all of it. */
typedef struct lapwing_task_access {
  lapwing_object object;
  int rights;
  int deferred;
  size_t first, width, count, stride;
} lapwing_task_access;

static inline lapwing_task_access lapwing_task_access_of(lapwing_object object, int rights, int deferred) {
  lapwing_task_access access = {object, rights, deferred, 0, 0, 0, 0};
  return access;
}
/** Reads, writes, both; updates in whatever order with others that say the same. */
static inline lapwing_task_access lapwing_task_rd(lapwing_object x) {
  return lapwing_task_access_of(x, LAPWING_TASK_RD, 0);
}
static inline lapwing_task_access lapwing_task_wr(lapwing_object x) {
  return lapwing_task_access_of(x, LAPWING_TASK_WR, 0);
}
static inline lapwing_task_access lapwing_task_rd_wr(lapwing_object x) {
  return lapwing_task_access_of(x, LAPWING_TASK_RD | LAPWING_TASK_WR, 0);
}
static inline lapwing_task_access lapwing_task_cm(lapwing_object x) {
  return lapwing_task_access_of(x, LAPWING_TASK_CM, 0);
}
/** The same, perhaps later: the task does not wait, and says lapwing_task_with_cont() before it uses x. */
static inline lapwing_task_access lapwing_task_df(lapwing_task_access access) {
  access.deferred = 1;
  return access;
}
/** The access is of bytes `first` to `first + size` only. */
static inline lapwing_task_access lapwing_task_part(lapwing_task_access access, size_t first, size_t size) {
  access.first = first;
  access.width = size;
  access.count = 1;
  return access;
}
/** The access is of `count` pieces of `width` bytes, `stride` bytes apart. */
static inline lapwing_task_access lapwing_task_pieces(lapwing_task_access access, size_t first, size_t width,
                                                      size_t count, size_t stride) {
  access.first = first;
  access.width = width;
  access.count = count;
  access.stride = stride;
  return access;
}

typedef struct lapwing_task_options {
  const char* name; /* in messages, with up to two numbers that are not negative */
  int64_t number, second;
  int worker;   /* that must run it; -1: any */
  int priority; /* of tasks that can run, those with the highest come first; usually 0 */
} lapwing_task_options;

/** A task that calls `body` with a copy of the arguments. The first object is its locality object.
 *  `options` may be NULL. */
int lapwing_task_spawn_at(void (*body)(void* arguments), const void* arguments, size_t size,
                          const lapwing_task_access* accesses, size_t count,
                          const lapwing_task_options* options, const char* file, int line);
#define lapwing_task_spawn(body, arguments, size, accesses, count, options) \
  lapwing_task_spawn_at(body, arguments, size, accesses, count, options, __FILE__, __LINE__)

/** For bindings of other languages: tasks that are spawned without a body call this one on their rank.
 *  Every rank sets it before lapwing_task_run(). */
void lapwing_task_bodies(void (*call)(void* arguments, size_t size));

#ifndef __cplusplus
/** The same in short: arguments is a variable, and the accesses are listed. */
#define LAPWING_SPAWN(body, arguments, ...)                                                               \
  lapwing_task_spawn(body, &(arguments), sizeof(arguments), ((const lapwing_task_access[]){__VA_ARGS__}), \
                     sizeof((const lapwing_task_access[]){__VA_ARGS__}) / sizeof(lapwing_task_access), NULL)
#endif

/* --- inside tasks, and in the main program --- */

/** The object's bytes or value, once it may be used so: the task must have declared it. NULL after a
 *  mistake, and where a task before this one in the program has failed: return then. Good until the task
 *  spawns or changes its rights. */
const void* lapwing_task_read(lapwing_object object);
void* lapwing_task_write(lapwing_object object);
void* lapwing_task_read_write(lapwing_object object);
/** The same for any access, as it was declared or less: the first of its bytes. */
void* lapwing_task_use(lapwing_task_access access);
/** Of an object of bytes that may be used. */
size_t lapwing_task_size(lapwing_object object);

/** Changes the rights of the running task: the deferred accesses in `now` become immediate, which may
 *  wait, and those in `no_more` are given up, so that later tasks need not wait for the end of this one. */
int lapwing_task_with_cont(const lapwing_task_access* now, size_t now_count,
                           const lapwing_task_access* no_more, size_t no_more_count);

/** Around a wait of the running task for something outside of its program: another thread runs other tasks on
 *  its worker meanwhile, if there is one (LAPWING_TASKS_SPARE). `lapwing_task_blocking_end` gets what
 *  `lapwing_task_blocking_begin` has returned. MPI's calls need no such words. */
int lapwing_task_blocking_begin(void);
void lapwing_task_blocking_end(int left);

/** The running task fails when it returns: tasks behind it that have not begun are skipped, and
 *  lapwing_task_run() or lapwing_task_finish() tells why. */
void lapwing_task_fail(const char* why);

#ifdef __cplusplus
}
#endif

#endif
