/* SPDX-License-Identifier: Apache-2.0
 *
 * Code compiled with `lwcc --sets=check|run` calls these. Programs do not call
 * these by hand; for those there is lapwing/sets.h.
 *
 * The compiler describes each place once, in constants of the program, and calls
 * the runtime where a process takes a branch, where branches meet, and before
 * each call that a group of processes makes together. No call here communicates
 * visibly: a split may start a vote, which only the next collective call, or a
 * query of the current set, completes. All are safe before MPI_Init and after
 * MPI_Finalize, where they do nothing.
 */
#ifndef LAPWING_COMPILED_SETS_H
#define LAPWING_COMPILED_SETS_H

#ifdef __cplusplus
extern "C" {
#endif

/** A line of the program. `function` is the name that its author gave it. */
typedef struct lapwing_place {
  const char* file;
  const char* function;
  int line;
} lapwing_place;

/** Where branches meet. Its address is its identity. */
typedef struct lapwing_merge_site {
  lapwing_place place;
} lapwing_merge_site;

/** One merge as a split sees it: the branches all of whose processes come to it.
 *  Bit b of word b/64 stands for branch b. */
typedef struct lapwing_split_merge {
  const lapwing_merge_site* site;
  const unsigned long long* branches;
} lapwing_split_merge;

/** Where processes part: `branches` ways, and at most `branches` - 1 merges in
 *  the order in which control may reach them. The last one has all branches; it
 *  is null where only the function's end joins them (lapwing_sets_leave). `ways`
 *  has a line for each branch, where that branch goes on; null where none is known. */
typedef struct lapwing_split_site {
  lapwing_place place;
  int branches;
  int merges;
  const lapwing_split_merge* merge;
  const int* ways;
} lapwing_split_site;

/** A call through a pointer. `arguments` has a letter for each: p, i, f, o; `slot`
 *  is the entry of a virtual table, or -1. `looked_up` and `may_split` are the
 *  library's, 0 at first. */
typedef struct lapwing_pointer_site {
  lapwing_split_site split; /**< without merges: lapwing_sets_called() is the only one */
  const char* arguments;
  int slot;
  unsigned looked_up;
  int may_split;
} lapwing_pointer_site;

enum {
  LAPWING_TARGET_TAKEN = 1,  /**< this file takes its address */
  LAPWING_TARGET_REACHES = 2 /**< it may come to a group's call */
};

/** A function that may be called through a pointer. `arguments` ends with * where
 *  more may follow; `slot` is its entry in a virtual table, or -1. */
typedef struct lapwing_target {
  const void* function;
  const char* arguments;
  int slot;
  int flags;
} lapwing_target;

/** Flags of a lapwing_call_site. */
enum {
  LAPWING_CALL_FORTRAN = 1, /**< handles are integers */
  LAPWING_CALL_SIBLING = 2  /**< a sibling branch holds a call that plain MPI would match with this one */
};

/** A call that a group of processes makes together, in code that the compiler
 *  has seen. */
typedef struct lapwing_call_site {
  lapwing_place place;
  const char* routine; /**< "MPI_Bcast" */
  int flags;
} lapwing_call_site;

/** The calling process takes `branch` (0 to branches - 1) of the split. `comms`
 *  communicators, the handles of which `handles` points to (MPI_Comm, or
 *  MPI_Fint if `fortran`), are those on which the branches communicate as far as
 *  the compiler can tell; none means MPI_COMM_WORLD. Each member of the current
 *  set passes the same ones. A split that is met again before its last merge (a
 *  loop's exit) divides the set further; the last merge restores the set from
 *  before the first. */
void lapwing_sets_split(const lapwing_split_site* site, int branch, int comms, const void* handles,
                        int fortran);

/** Control has reached a place where branches meet. Does nothing for splits that
 *  do not meet there. Never communicates. */
void lapwing_sets_merge(const lapwing_merge_site* site);

/** Brackets the body of a function that splits: leave() merges whatever has been
 *  split since the enter() that gave `depth`, however control left the scopes.
 *  Stands before each return and in the clean-up of an exception. */
unsigned lapwing_sets_enter(void);
void lapwing_sets_leave(unsigned depth);

/** Brackets a call through a pointer: processes that call different functions part
 *  there, and meet behind the call. The depth is for lapwing_sets_called(). */
unsigned lapwing_sets_call_through(lapwing_pointer_site* site, const void* function);
void lapwing_sets_called(unsigned depth);

/** Each file tells of functions that may be called through pointers, before MPI_Init. */
void lapwing_sets_targets(const lapwing_target* targets, int count);

/** Stands directly before an MPI call of instrumented code that its group makes
 *  together (collectives, communicators, windows, files): the next such call of
 *  this thread is this one. A call without this mark comes from code that was
 *  not compiled so, and acts on its communicator as it is. */
void lapwing_sets_call(const lapwing_call_site* site);

/** Emitted once into each instrumented file as a definition with `common`
 *  meaning: 1 check, 2 run. The library finds it at MPI_Init (see
 *  lapwing_sets_mode in sets.h for what the environment may say instead). */
void lapwing_sets_declare_mode(int mode);

#ifdef __cplusplus
}
#endif
#endif
