/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiled code calls these in place of blocking collectives, where LapwingPass.so
 * has seen the whole program. Programs do not call these by hand.
 *
 * lapwing_start_bcast starts what MPI_Bcast does, with its arguments, and gives a
 * token for lapwing_wait (compiled.h); lapwing_call_bcast does all of it and
 * returns its error. Both take the blocking form of the collective or its
 * non-blocking one: the same on all members, which have agreed in MPI_Init and
 * decide each call by what is equal on all of them. lapwing_may_split_bcast gives
 * something else than 0 where this one takes the non-blocking form, and any error
 * ends the job: only then is it started.
 *
 * Fortran's twins take arguments by reference, as the calls do; starts have no
 * `ierror`, and that of the calls may be null.
 */
#ifndef LAPWING_COMPILED_COLLECTIVES_H
#define LAPWING_COMPILED_COLLECTIVES_H

#include "lapwing/compiled.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAPWING_COLLECTIVE(name, ...)               \
  int lapwing_may_split_##name(__VA_ARGS__);        \
  lapwing_token* lapwing_start_##name(__VA_ARGS__); \
  int lapwing_call_##name(__VA_ARGS__);
#define LAPWING_FORTRAN_COLLECTIVE(name, ...)          \
  int lapwing_may_split_##name##_(__VA_ARGS__);        \
  lapwing_token* lapwing_start_##name##_(__VA_ARGS__); \
  void lapwing_call_##name##_(__VA_ARGS__, MPI_Fint* ierror);

LAPWING_COLLECTIVE(bcast, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
LAPWING_COLLECTIVE(reduce, const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm comm)
LAPWING_COLLECTIVE(allreduce, const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm)
LAPWING_COLLECTIVE(gather, const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                   MPI_Datatype rtype, int root, MPI_Comm comm)
LAPWING_COLLECTIVE(gatherv, const void* send, int scount, MPI_Datatype stype, void* recv, const int* rcounts,
                   const int* displs, MPI_Datatype rtype, int root, MPI_Comm comm)
LAPWING_COLLECTIVE(scatter, const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                   MPI_Datatype rtype, int root, MPI_Comm comm)
LAPWING_COLLECTIVE(scatterv, const void* send, const int* scounts, const int* displs, MPI_Datatype stype,
                   void* recv, int rcount, MPI_Datatype rtype, int root, MPI_Comm comm)
LAPWING_COLLECTIVE(allgather, const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                   MPI_Datatype rtype, MPI_Comm comm)
LAPWING_COLLECTIVE(allgatherv, const void* send, int scount, MPI_Datatype stype, void* recv,
                   const int* rcounts, const int* displs, MPI_Datatype rtype, MPI_Comm comm)
LAPWING_COLLECTIVE(alltoall, const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                   MPI_Datatype rtype, MPI_Comm comm)
LAPWING_COLLECTIVE(alltoallv, const void* send, const int* scounts, const int* sdispls, MPI_Datatype stype,
                   void* recv, const int* rcounts, const int* rdispls, MPI_Datatype rtype, MPI_Comm comm)

LAPWING_FORTRAN_COLLECTIVE(bcast, void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root,
                           MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(reduce, void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                           MPI_Fint* root, MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(allreduce, void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                           MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(gather, void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                           MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(gatherv, void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                           MPI_Fint* rcounts, MPI_Fint* displs, MPI_Fint* rtype, MPI_Fint* root,
                           MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(scatter, void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                           MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(scatterv, void* send, MPI_Fint* scounts, MPI_Fint* displs, MPI_Fint* stype,
                           void* recv, MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(allgather, void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                           MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(allgatherv, void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                           MPI_Fint* rcounts, MPI_Fint* displs, MPI_Fint* rtype, MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(alltoall, void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                           MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* comm)
LAPWING_FORTRAN_COLLECTIVE(alltoallv, void* send, MPI_Fint* scounts, MPI_Fint* sdispls, MPI_Fint* stype,
                           void* recv, MPI_Fint* rcounts, MPI_Fint* rdispls, MPI_Fint* rtype, MPI_Fint* comm)

#undef LAPWING_COLLECTIVE
#undef LAPWING_FORTRAN_COLLECTIVE

#ifdef __cplusplus
}
#endif

#endif
