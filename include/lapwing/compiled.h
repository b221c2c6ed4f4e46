/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiled code calls these functions: LapwingPass.so splits blocking calls into a start
 * and a wait, and moves waits. Programs do not call these by hand.
 *
 * Every start takes the arguments of the call that it replaces and gives a
 * token: null where nothing is left to wait for (small messages, which go as
 * the program wrote them, MPI_PROC_NULL, or a job that stands aside). A start
 * may also make the program's own call; the wait for its token then only tells how
 * soon the data was needed. A token
 * is waited for exactly once; a wait for null costs one comparison, which the
 * pass emits inline. Buffers are used in place: the pass has proved that no instruction
 * touches them before the wait, so nothing is guarded and nothing copied.
 *
 * Errors: a start that fails gives null and, in Fortran, sets `ierror`, as the
 * call itself would. An error that shows only at the wait is said on stderr, and
 * the communicator's error handler is called as by MPI. Where the program looks
 * at the error of a call, compiled code asks lapwing_may_split or lapwing_may_sink
 * first, and makes the program's own call where the answer is 0.
 */
#ifndef LAPWING_COMPILED_H
#define LAPWING_COMPILED_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lapwing_token lapwing_token;

/* Starts of split calls, C. `lapwing_start_recv` posts the receive and returns
 * at once; its status is written at the wait. `lapwing_start_recv_matched`
 * returns once the message is matched, with its status complete: what the
 * sender did before sending has then happened, and only the payload is still on
 * its way. These may go as the blocking call where the message is small.
 * `lapwing_post_*` never block, whatever the size: for starts that stand earlier
 * than the call did, for the halves of a send-receive, and for calls that the
 * program itself wrote as non-blocking. `lapwing_pair_recv` or `lapwing_pair_recv_matched`
 * is the receiving half of a send-receive, and `lapwing_pair_send` or `lapwing_pair_copy` its
 * sending half where the receiving one is the very next start: where nothing is split, the two go as the one
 * call that they were. `lapwing_pair_copy` sends a copy, so that the buffer may be
 * received into at once. */
lapwing_token* lapwing_start_send(const void*, int, MPI_Datatype, int dest, int tag, MPI_Comm);
lapwing_token* lapwing_start_ssend(const void*, int, MPI_Datatype, int dest, int tag, MPI_Comm);
lapwing_token* lapwing_start_recv(void*, int, MPI_Datatype, int source, int tag, MPI_Comm, MPI_Status*);
lapwing_token* lapwing_start_recv_matched(void*, int, MPI_Datatype, int source, int tag, MPI_Comm,
                                          MPI_Status*);
lapwing_token* lapwing_post_send(const void*, int, MPI_Datatype, int dest, int tag, MPI_Comm);
lapwing_token* lapwing_post_ssend(const void*, int, MPI_Datatype, int dest, int tag, MPI_Comm);
lapwing_token* lapwing_post_recv(void*, int, MPI_Datatype, int source, int tag, MPI_Comm, MPI_Status*);
lapwing_token* lapwing_pair_send(const void*, int, MPI_Datatype, int dest, int tag, MPI_Comm);
lapwing_token* lapwing_pair_copy(const void*, int, MPI_Datatype, int dest, int tag, MPI_Comm);
lapwing_token* lapwing_pair_recv(void*, int, MPI_Datatype, int source, int tag, MPI_Comm, MPI_Status*);
lapwing_token* lapwing_pair_recv_matched(void*, int, MPI_Datatype, int source, int tag, MPI_Comm,
                                         MPI_Status*);

/* The same for Fortran: scalars by value, handles as integers, the sentinels
 * (MPI_BOTTOM, MPI_STATUS_IGNORE) of any of the three interfaces; `ierror` may
 * be null. */
lapwing_token* lapwing_start_send_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint dest, MPI_Fint tag,
                                   MPI_Fint comm, MPI_Fint* ierror);
lapwing_token* lapwing_start_ssend_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint dest, MPI_Fint tag,
                                    MPI_Fint comm, MPI_Fint* ierror);
lapwing_token* lapwing_start_recv_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint source, MPI_Fint tag,
                                   MPI_Fint comm, MPI_Fint* status, MPI_Fint* ierror);
lapwing_token* lapwing_start_recv_matched_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint source,
                                           MPI_Fint tag, MPI_Fint comm, MPI_Fint* status, MPI_Fint* ierror);
lapwing_token* lapwing_post_send_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint dest, MPI_Fint tag,
                                  MPI_Fint comm, MPI_Fint* ierror);
lapwing_token* lapwing_post_ssend_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint dest, MPI_Fint tag,
                                   MPI_Fint comm, MPI_Fint* ierror);
lapwing_token* lapwing_post_recv_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint source, MPI_Fint tag,
                                  MPI_Fint comm, MPI_Fint* status, MPI_Fint* ierror);
lapwing_token* lapwing_pair_send_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint dest, MPI_Fint tag,
                                  MPI_Fint comm, MPI_Fint* ierror);
lapwing_token* lapwing_pair_copy_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint dest, MPI_Fint tag,
                                  MPI_Fint comm, MPI_Fint* ierror);
lapwing_token* lapwing_pair_recv_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint source, MPI_Fint tag,
                                  MPI_Fint comm, MPI_Fint* status, MPI_Fint* ierror);
lapwing_token* lapwing_pair_recv_matched_(void*, MPI_Fint count, MPI_Fint type, MPI_Fint source, MPI_Fint tag,
                                          MPI_Fint comm, MPI_Fint* status, MPI_Fint* ierror);

/* Not 0 where the call may be split although the program looks at its error:
 * any error, at the start or at the wait, ends the job (MPI_ERRORS_ARE_FATAL),
 * so that a call that returns has returned MPI_SUCCESS. Nor are small messages
 * split. A call that is split starts by one of the calls above. */
int lapwing_may_split(int count, MPI_Datatype, int peer, MPI_Comm);
int lapwing_may_split_(MPI_Fint count, MPI_Fint type, MPI_Fint peer, MPI_Fint comm);

/* The same of a wait that is to be moved. The communicator of all its requests;
 * where compiled code does not know it, (MPI_Comm)0 and, in Fortran, -1. */
int lapwing_may_sink(MPI_Comm);
int lapwing_may_sink_(MPI_Fint comm);

/* Where a call stood that starts earlier, and behind both halves of a send-receive: waits if the transfer
 * goes the plain way, as the call itself would have; else does nothing. */
void lapwing_reach_token(lapwing_token*);

/* Retires the transfer of a token. */
void lapwing_wait(lapwing_token*);

/* Waits of the program's that were moved. Behind each start that such a wait
 * waits for stands lapwing_defer (of receives lapwing_defer_receives), which tells
 * the helper that these requests need progress; before the wait, at its new place,
 * stands lapwing_retire, which ends that. Where the wait stood before it was moved stands lapwing_reach,
 * which completes requests that go the plain way, and leaves them to the wait as complete ones. The requests,
 * and the calls on them, stay the program's; null and inactive requests, and requests that were never
 * deferred, are skipped. */
void lapwing_defer(int count, const MPI_Request*);
void lapwing_defer_receives(int count, const MPI_Request*);
void lapwing_reach(int count, const MPI_Request*);
void lapwing_retire(int count, const MPI_Request*);
void lapwing_defer_(MPI_Fint count, const MPI_Fint*);
void lapwing_defer_receives_(MPI_Fint count, const MPI_Fint*);
void lapwing_reach_(MPI_Fint count, const MPI_Fint*);
void lapwing_retire_(MPI_Fint count, const MPI_Fint*);

/* Outstanding requests of a wait that left its loop (Rid, i_cnt and
 * w_cnt): at most `LAPWING_QUEUE` at a time; pushing one more retires the
 * oldest. A queue lives on the program's stack, zeroed by compiled code. */
enum { LAPWING_QUEUE = 16 };
typedef struct lapwing_queue {
  unsigned i_cnt, w_cnt;
  lapwing_token* rid[LAPWING_QUEUE];
} lapwing_queue;
void lapwing_push(lapwing_queue*, lapwing_token*);
void lapwing_drain(lapwing_queue*);

/* Progress from the program's own loops, where a transfer crosses them: compiled code counts a loop's rounds
 * down, from 1 at first, and at 0 calls lapwing_poll, which says after how many to call again: as many as
 * take some microseconds. One lapwing_loop to a loop, on the program's stack, {1, 0} at first. Its caller
 * finds all registers as they were, so that the loop pays for the counting only. */
typedef struct lapwing_loop {
  unsigned rounds;
  unsigned long long last;
} lapwing_loop;
#ifdef __clang__
#define LAPWING_KEEPS_REGISTERS __attribute__((preserve_all))
#else
#define LAPWING_KEEPS_REGISTERS
#endif
LAPWING_KEEPS_REGISTERS unsigned lapwing_poll(lapwing_loop*);
/* Not zero while something is in flight that polls would move. */
extern int lapwing_wants_polls;

/* A loop nest that computes what does not depend on messages first. Before the nest compiled code asks
 * whether anything can be gained: is_worth() is 0 where no message, of so many `bytes` at most, is put in
 * flight. It costs little; the rest is asked only then. Compiled code says how often the nest's outermost
 * loop runs, less one, what each round touches, and what is in flight or touched by what stands between here
 * and the nest: `bytes` from `first` on, moved by `by` in each round, and by `by1` in each of `back_edges1`
 * further rounds of a loop inside. The answer is the rounds [begin, end) that may run before all others,
 * while the messages travel; none where they may depend on each other. */
enum {
  lapwing_interior_writes = 1,  /* of what is in flight: it is received */
  lapwing_interior_kept = 2,    /* not touched by the nest itself */
  lapwing_interior_message = 4, /* kept, and a message, which ends at `first` */
  lapwing_interior_number = 8,  /* `first` is a number, which must fit in `bytes` bits; if these are negative,
                                   in so many and without a sign */
  lapwing_interior_from = 16,   /* the next message begins at `first` */
  lapwing_interior_met = 32, /* rounds may come upon it by an address that only they find: in an index list */
  lapwing_interior_alone = 64 /* the loop writes it by no other access, and by this one at most once */
};
typedef struct lapwing_rounds {
  long long begin, end;
} lapwing_rounds;
int lapwing_interior_is_worth(unsigned long long bytes);
void lapwing_interior_begin(long long back_edges);
/* The loop inside it may be divided as well, and the one inside that: it runs equally often in each round,
 * and all that is written is written in its rounds. Of each access, the first steps are those of these loops.
 */
void lapwing_interior_inside(long long back_edges);
void lapwing_interior_access(const void* first, long long bytes, int flags, long long by, long long by1,
                             long long back_edges1, long long by2, long long back_edges2, long long by3,
                             long long back_edges3);
/* All memory that one start was ever given, where it is not known which of its messages are in flight. One
 * lapwing_given to a start, on the program's stack, all 0 at first. Its first word is the most bytes of one
 * message. */
typedef struct lapwing_given {
  long long words[26]; /* transfer/compiled/given_buffers.hpp */
} lapwing_given;
void lapwing_interior_give(lapwing_given*, const void* first, long long bytes);
void lapwing_interior_keep(const lapwing_given*, int flags);
/* Where a message of a derived datatype lies, as its start was last given it: one lapwing_layout to a start,
 * on the program's stack, all 0 at first. Its first word is the bytes of the message. */
typedef struct lapwing_layout {
  long long words[9]; /* then an access without `by` */
} lapwing_layout;
void lapwing_interior_lay_out(lapwing_layout*, const void* buffer, long long count, MPI_Datatype type);
void lapwing_interior_lay_out_(lapwing_layout*, const void* buffer, long long count, const MPI_Fint* type);
void lapwing_interior_keep_layout(const lapwing_layout*, int flags);
lapwing_rounds lapwing_interior_end(void);
lapwing_rounds lapwing_interior_end_inside(
    int loop); /* behind that: 1 is the loop inside, 2 the one inside that */
/* Behind lapwing_interior_end(): ranges of addresses that hold all that was said to be met. A round that runs
 * early and comes upon one of the first two, which hold what is kept, is put aside before it has written
 * anything; one that comes upon the third, which the nest itself writes, is the end of the early rounds. */
lapwing_rounds lapwing_interior_avoided(int which);
/* The rounds that are left where such a nest stands: all but [begin, end), and those of these that were put
 * aside. lapwing_interior_left() gives run after run, in order, and then an empty one. */
typedef struct lapwing_left {
  long long words[9]; /* transfer/compiled/rounds_left.hpp; the last is 0 at first */
} lapwing_left;
void lapwing_interior_open(lapwing_left*, long long begin, long long end, long long rounds);
/* Gives run after run of those that run early and look at their lists, in order; an empty one when that is
 * enough. */
lapwing_rounds lapwing_interior_look(lapwing_left*);
void lapwing_interior_put_aside(lapwing_left*, long long round);
void lapwing_interior_stop(lapwing_left*, long long round); /* before this one */
lapwing_rounds lapwing_interior_left(lapwing_left*);
/* Which rounds were put aside is remembered where a loop is come to again, until the last word is set to 0.
 * lapwing_interior_recall(), behind lapwing_interior_open(), is not 0 where that is known; then
 * lapwing_interior_early() gives run after run of the rounds that run early, in order, and then an empty one.
 * The `count` numbers are all that it follows from but for memory; `lists` are where rounds have read that,
 * each from begin to end. Where some of it may be written, lapwing_interior_written() says which bytes are.
 */
int lapwing_interior_recall(lapwing_left*, const long long* numbers, long long count);
void lapwing_interior_remember(lapwing_left*, const long long* numbers, long long count,
                               const lapwing_rounds* lists, long long list_count);
void lapwing_interior_written(lapwing_left*, const void* first, long long bytes);
lapwing_rounds lapwing_interior_early(lapwing_left*);

/* Behind MPI_Abort, in place of what follows it: ends the process, should MPI have returned from it. */
void lapwing_aborted(void);

#ifdef __cplusplus
}
#endif

#endif
