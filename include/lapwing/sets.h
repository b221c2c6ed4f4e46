/* SPDX-License-Identifier: Apache-2.0
 *
 * The C API of process sets.
 *
 * A process set is those members of a communicator that run the same code. A
 * split divides the current set of a communicator by the branch that each member
 * takes, a merge restores the set from before (Gomez and Sanders' merging
 * implicit process sets, section 3). lwcc --sets=run inserts splits and merges;
 * this header is for code that is not compiled so, and for asking.
 *
 * A query waits for the votes of the open splits of its communicator, which each
 * member of the set sends as it splits; nothing else here waits. All functions
 * may be called where sets are off (LAPWING_SETS=off, another MPI job in the same
 * source): the set is then the communicator. They are called between MPI_Init
 * and MPI_Finalize, on intracommunicators whose members all belong to the job's
 * MPI_COMM_WORLD. Errors of use (a merge without a split, a call on a freed or a
 * null communicator) end the job with a sentence that names the place.
 */
#ifndef LAPWING_SETS_H
#define LAPWING_SETS_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

enum lapwing_sets_modes { LAPWING_SETS_OFF = 0, LAPWING_SETS_CHECK = 1, LAPWING_SETS_RUN = 2 };

/** The mode of this job: as compiled (--sets), unless LAPWING_SETS
 *  said otherwise; off before MPI_Init. Equal on all ranks. Local. */
int lapwing_sets_mode(void);

/** The calling process takes `branch` (0 to `branches` - 1, at most 64 of them)
 *  of a split of `comm`'s current set. Every member of that set makes this call
 *  with the same `branches`. Communicates, but does not wait. */
#define lapwing_split(comm, branches, branch) lapwing_split_at(comm, branches, branch, __FILE__, __LINE__)

/** Ends the innermost open lapwing_split() of `comm`, and of this function's
 *  caller's own: the set from before it is current again. Sets of the two sides
 *  are not waited for. Local. */
#define lapwing_merge(comm) lapwing_merge_at(comm, __FILE__, __LINE__)

void lapwing_split_at(MPI_Comm comm, int branches, int branch, const char* file, int line);
void lapwing_merge_at(MPI_Comm comm, const char* file, int line);

/** Number of processes of `comm`'s current set. A query. */
int lapwing_set_size(MPI_Comm comm);

/** The caller's number within the set, counted from 0 in order of rank. A query. */
int lapwing_set_rank(MPI_Comm comm);

/** Writes the ranks in `comm` of the set's members, ascending, into `ranks`,
 *  which has room for `room` of them; returns how many there are. A query. */
int lapwing_set_members(MPI_Comm comm, int* ranks, int room);

/** A communicator of the set's members, in the order of their ranks in `comm`;
 *  `comm` itself where the set is all of it. Lapwing owns it: do not free it, and
 *  use it only until the set's merge. Every member of the set makes this call;
 *  the first for a set communicates among them (MPI_Comm_create_group), later
 *  ones find the communicator again. A query. */
MPI_Comm lapwing_set_comm(MPI_Comm comm);

/** Gives the current set of `comm` a name among MPI's process sets: from now on, and for as long as the
 *  program runs, the sessions of its members list "lapwing://NAME", and MPI_Group_from_session_pset() makes
 *  a group of it, in the order of the ranks in MPI_COMM_WORLD. Every member of the set makes this call; no
 *  process waits for another but as in a query. `name` has letters, digits, '.', '_' and '-', up to 245 of
 *  them; the same name for another set ends the job with a sentence. Where sets are off the set is the
 *  communicator; its members then belong to MPI_COMM_WORLD. A query. */
#define lapwing_set_publish(comm, name) lapwing_set_publish_at(comm, name, __FILE__, __LINE__)
void lapwing_set_publish_at(MPI_Comm comm, const char* name, const char* file, int line);

/** The name under which sessions list the current set of `comm` where the program has given it none:
 *  "lapwing://ranks/" and the ranks of its members in MPI_COMM_WORLD ("0-3,8"), or, where that is more than
 *  255 letters, its size and a hash; "mpi://WORLD" for all processes. Writes up to `room` bytes, the last one
 *  0, into `name`, and returns how many the whole name takes with it. A query, after which sessions have it.
 */
int lapwing_set_pset_name(MPI_Comm comm, char* name, int room);

/** A token of the current set, to be checked later: lapwing_set_is_current()
 *  tells whether the set that gave it is still the current one of its
 *  communicator; lapwing_set_expect() ends the job with a sentence if it is not.
 *  0 is no set. A query. */
unsigned long long lapwing_set_token(MPI_Comm comm);
int lapwing_set_is_current(MPI_Comm comm, unsigned long long token);
#define lapwing_set_expect(comm, token) lapwing_set_expect_at(comm, token, __FILE__, __LINE__)
void lapwing_set_expect_at(MPI_Comm comm, unsigned long long token, const char* file, int line);

/** The next collective call of this thread acts on its communicator's current
 *  set, although it stands in code that was not compiled with --sets=run:
 *      lapwing_on_set(); MPI_Allreduce(...);
 *  Local. */
#define lapwing_on_set() lapwing_on_set_at(__FILE__, __LINE__)
void lapwing_on_set_at(const char* file, int line);

/** Counters of this process since MPI_Init; all grow only. */
struct lapwing_sets_stats {
  unsigned long long splits;        /**< ballots in which this process has voted */
  unsigned long long messages;      /**< sent for them over the queue; collectives of MPI's are not counted */
  unsigned long long bytes;         /**< of these messages */
  unsigned long long sets;          /**< different memberships seen */
  unsigned long long communicators; /**< made for sets */
};

/** Fills `*out`. Local. */
void lapwing_sets_get_stats(struct lapwing_sets_stats* out);

/** From now on calls on `comm` mean what plain MPI means, whatever splits are
 *  open; for libraries' own communicators. Each member calls it, at the same
 *  point of the program and outside of splits of `comm`. Local. */
void lapwing_sets_exclude(MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif
