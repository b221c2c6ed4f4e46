/* SPDX-License-Identifier: Apache-2.0
 *
 * What compiled code calls in place of blocking collectives, where LapwingPass.so
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

int lapwing_may_split_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
lapwing_token* lapwing_start_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int lapwing_call_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

int lapwing_may_split_reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                             MPI_Comm comm);
lapwing_token* lapwing_start_reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                    int root, MPI_Comm comm);
int lapwing_call_reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                        MPI_Comm comm);

int lapwing_may_split_allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm);
lapwing_token* lapwing_start_allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                       MPI_Comm comm);
int lapwing_call_allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm);

int lapwing_may_split_gather(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                             MPI_Datatype rtype, int root, MPI_Comm comm);
lapwing_token* lapwing_start_gather(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                                    MPI_Datatype rtype, int root, MPI_Comm comm);
int lapwing_call_gather(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                        MPI_Datatype rtype, int root, MPI_Comm comm);

int lapwing_may_split_gatherv(const void* send, int scount, MPI_Datatype stype, void* recv,
                              const int* rcounts, const int* displs, MPI_Datatype rtype, int root,
                              MPI_Comm comm);
lapwing_token* lapwing_start_gatherv(const void* send, int scount, MPI_Datatype stype, void* recv,
                                     const int* rcounts, const int* displs, MPI_Datatype rtype, int root,
                                     MPI_Comm comm);
int lapwing_call_gatherv(const void* send, int scount, MPI_Datatype stype, void* recv, const int* rcounts,
                         const int* displs, MPI_Datatype rtype, int root, MPI_Comm comm);

int lapwing_may_split_scatter(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                              MPI_Datatype rtype, int root, MPI_Comm comm);
lapwing_token* lapwing_start_scatter(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                                     MPI_Datatype rtype, int root, MPI_Comm comm);
int lapwing_call_scatter(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                         MPI_Datatype rtype, int root, MPI_Comm comm);

int lapwing_may_split_scatterv(const void* send, const int* scounts, const int* displs, MPI_Datatype stype,
                               void* recv, int rcount, MPI_Datatype rtype, int root, MPI_Comm comm);
lapwing_token* lapwing_start_scatterv(const void* send, const int* scounts, const int* displs,
                                      MPI_Datatype stype, void* recv, int rcount, MPI_Datatype rtype,
                                      int root, MPI_Comm comm);
int lapwing_call_scatterv(const void* send, const int* scounts, const int* displs, MPI_Datatype stype,
                          void* recv, int rcount, MPI_Datatype rtype, int root, MPI_Comm comm);

int lapwing_may_split_allgather(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                                MPI_Datatype rtype, MPI_Comm comm);
lapwing_token* lapwing_start_allgather(const void* send, int scount, MPI_Datatype stype, void* recv,
                                       int rcount, MPI_Datatype rtype, MPI_Comm comm);
int lapwing_call_allgather(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                           MPI_Datatype rtype, MPI_Comm comm);

int lapwing_may_split_allgatherv(const void* send, int scount, MPI_Datatype stype, void* recv,
                                 const int* rcounts, const int* displs, MPI_Datatype rtype, MPI_Comm comm);
lapwing_token* lapwing_start_allgatherv(const void* send, int scount, MPI_Datatype stype, void* recv,
                                        const int* rcounts, const int* displs, MPI_Datatype rtype,
                                        MPI_Comm comm);
int lapwing_call_allgatherv(const void* send, int scount, MPI_Datatype stype, void* recv, const int* rcounts,
                            const int* displs, MPI_Datatype rtype, MPI_Comm comm);

int lapwing_may_split_alltoall(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                               MPI_Datatype rtype, MPI_Comm comm);
lapwing_token* lapwing_start_alltoall(const void* send, int scount, MPI_Datatype stype, void* recv,
                                      int rcount, MPI_Datatype rtype, MPI_Comm comm);
int lapwing_call_alltoall(const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                          MPI_Datatype rtype, MPI_Comm comm);

int lapwing_may_split_alltoallv(const void* send, const int* scounts, const int* sdispls, MPI_Datatype stype,
                                void* recv, const int* rcounts, const int* rdispls, MPI_Datatype rtype,
                                MPI_Comm comm);
lapwing_token* lapwing_start_alltoallv(const void* send, const int* scounts, const int* sdispls,
                                       MPI_Datatype stype, void* recv, const int* rcounts, const int* rdispls,
                                       MPI_Datatype rtype, MPI_Comm comm);
int lapwing_call_alltoallv(const void* send, const int* scounts, const int* sdispls, MPI_Datatype stype,
                           void* recv, const int* rcounts, const int* rdispls, MPI_Datatype rtype,
                           MPI_Comm comm);

/* The same for Fortran. */
int lapwing_may_split_bcast_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm);
lapwing_token* lapwing_start_bcast_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root,
                                    MPI_Fint* comm);
void lapwing_call_bcast_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm,
                         MPI_Fint* ierror);

int lapwing_may_split_reduce_(void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                              MPI_Fint* root, MPI_Fint* comm);
lapwing_token* lapwing_start_reduce_(void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                                     MPI_Fint* root, MPI_Fint* comm);
void lapwing_call_reduce_(void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                          MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror);

int lapwing_may_split_allreduce_(void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                                 MPI_Fint* comm);
lapwing_token* lapwing_start_allreduce_(void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                                        MPI_Fint* comm);
void lapwing_call_allreduce_(void* send, void* recv, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op,
                             MPI_Fint* comm, MPI_Fint* ierror);

int lapwing_may_split_gather_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                              MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm);
lapwing_token* lapwing_start_gather_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                                     MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm);
void lapwing_call_gather_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                          MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror);

int lapwing_may_split_gatherv_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcounts,
                               MPI_Fint* displs, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm);
lapwing_token* lapwing_start_gatherv_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                                      MPI_Fint* rcounts, MPI_Fint* displs, MPI_Fint* rtype, MPI_Fint* root,
                                      MPI_Fint* comm);
void lapwing_call_gatherv_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcounts,
                           MPI_Fint* displs, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm,
                           MPI_Fint* ierror);

int lapwing_may_split_scatter_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                               MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm);
lapwing_token* lapwing_start_scatter_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                                      MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm);
void lapwing_call_scatter_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                           MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror);

int lapwing_may_split_scatterv_(void* send, MPI_Fint* scounts, MPI_Fint* displs, MPI_Fint* stype, void* recv,
                                MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm);
lapwing_token* lapwing_start_scatterv_(void* send, MPI_Fint* scounts, MPI_Fint* displs, MPI_Fint* stype,
                                       void* recv, MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root,
                                       MPI_Fint* comm);
void lapwing_call_scatterv_(void* send, MPI_Fint* scounts, MPI_Fint* displs, MPI_Fint* stype, void* recv,
                            MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm,
                            MPI_Fint* ierror);

int lapwing_may_split_allgather_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                                 MPI_Fint* rtype, MPI_Fint* comm);
lapwing_token* lapwing_start_allgather_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                                        MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* comm);
void lapwing_call_allgather_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                             MPI_Fint* rtype, MPI_Fint* comm, MPI_Fint* ierror);

int lapwing_may_split_allgatherv_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                                  MPI_Fint* rcounts, MPI_Fint* displs, MPI_Fint* rtype, MPI_Fint* comm);
lapwing_token* lapwing_start_allgatherv_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                                         MPI_Fint* rcounts, MPI_Fint* displs, MPI_Fint* rtype,
                                         MPI_Fint* comm);
void lapwing_call_allgatherv_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcounts,
                              MPI_Fint* displs, MPI_Fint* rtype, MPI_Fint* comm, MPI_Fint* ierror);

int lapwing_may_split_alltoall_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                                MPI_Fint* rtype, MPI_Fint* comm);
lapwing_token* lapwing_start_alltoall_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv,
                                       MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* comm);
void lapwing_call_alltoall_(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount,
                            MPI_Fint* rtype, MPI_Fint* comm, MPI_Fint* ierror);

int lapwing_may_split_alltoallv_(void* send, MPI_Fint* scounts, MPI_Fint* sdispls, MPI_Fint* stype,
                                 void* recv, MPI_Fint* rcounts, MPI_Fint* rdispls, MPI_Fint* rtype,
                                 MPI_Fint* comm);
lapwing_token* lapwing_start_alltoallv_(void* send, MPI_Fint* scounts, MPI_Fint* sdispls, MPI_Fint* stype,
                                        void* recv, MPI_Fint* rcounts, MPI_Fint* rdispls, MPI_Fint* rtype,
                                        MPI_Fint* comm);
void lapwing_call_alltoallv_(void* send, MPI_Fint* scounts, MPI_Fint* sdispls, MPI_Fint* stype, void* recv,
                             MPI_Fint* rcounts, MPI_Fint* rdispls, MPI_Fint* rtype, MPI_Fint* comm,
                             MPI_Fint* ierror);

#ifdef __cplusplus
}
#endif

#endif
