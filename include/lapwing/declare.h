/* SPDX-License-Identifier: Apache-2.0
 *
 * Declared communication (SOS: MIPS 4).
 *
 * A declaration says that a transfer can happen, and returns at once. It then
 * happens when both sides can, in any order that the data allow. The program
 * text says which order that is: a declared send sends the value that its
 * variable has at that point, a use after a declared receive sees the value
 * received, and several declarations on one variable follow each other. Before
 * the program itself reads or writes a variable that is declared, it says so
 * with lapwing_use() or lapwing_define(); only these can block.
 *
 * Sizes must be equal on both sides, senders are named (there is no any-source).
 * On one communicator and tag, the n-th send to a process meets its n-th receive;
 * broadcasts and reductions are declared by all members in the same order.
 * Declared communication never meets MPI_Send and its kin.
 *
 * Errors end the job with a sentence that names the places: unequal sizes, a
 * declaration that the other process never made (known at the latest when that
 * process reaches MPI_Finalize), a communicator that was not opened.
 * Every function may be called by any thread that may call MPI; none before
 * MPI_Init or after MPI_Finalize.
 */
#ifndef LAPWING_DECLARE_H
#define LAPWING_DECLARE_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes `comm`, an intracommunicator, usable in declarations and short-cuts.
 *  Collective over `comm`; once for each communicator, MPI_COMM_WORLD excepted,
 *  which always is. */
void lapwing_declare_open(MPI_Comm comm);

/** `count` elements of `type` at `buffer`, with the values that they have here in
 *  program order, go to rank `dest` of `comm`. MPI_PROC_NULL: nothing happens.
 *  Returns at once. The buffer must stay in existence until a define of it, or
 *  lapwing_complete(), has returned. */
void lapwing_declare_send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);

/** The message of rank `source` of `comm` becomes the value of `buffer` here in
 *  program order. Returns at once; read the buffer after lapwing_use(). */
void lapwing_declare_recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm);

/** The value at `root` becomes that of all members. Declared by all members of `comm`. */
void lapwing_declare_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

/** The values at `send` of all members, combined by `op` in an order that does
 *  not depend on time (in order of ranks where `op` does not commute), become
 *  the value of `recv` at `root`; `recv` counts at the root only. MPI_IN_PLACE as in MPI. `op` must
 *  stay in existence until lapwing_complete() has returned, if it is the program's own. */
void lapwing_declare_reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                            MPI_Comm comm);

/** As a reduction to rank 0 followed by a broadcast from there. */
void lapwing_declare_allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm);

/** Before `size` bytes at `address` are read: returns once no declaration made so
 *  far has still to write there. A few instructions where nothing is pending. */
void lapwing_use(const void* address, size_t size);

/** Before `size` bytes at `address` are written: returns once no declaration made
 *  so far has still to read or write there. A send that waits for its receiver is
 *  copied instead, as long as the copies of this process fit LAPWING_STAGING. */
void lapwing_define(const void* address, size_t size);

/** Returns once every declaration of this process has happened. */
void lapwing_complete(void);

/** Declarations of this process that have not happened yet. */
int lapwing_declared_pending(void);

/** Lets declared communication proceed, for programs that compute long without a
 *  call of Lapwing's where there is no thread for it (MPI without
 *  MPI_THREAD_MULTIPLE, or LAPWING_HELPER=off). Never blocks. */
void lapwing_declared_progress(void);

/** Prints to stderr the state of each declaration of this process that has not
 *  happened yet, and where it was made. LAPWING_DECLARED=trace prints every
 *  change of state as it happens. */
void lapwing_declared_print(void);

#ifdef __cplusplus
}
#endif
#endif
