// SPDX-License-Identifier: Apache-2.0
// Collectives of compiled code, for C and Fortran.
//
// Each makes the call, in the form that has been agreed on, or says what it would
// do.
#pragma once

#include <mpi.h>

#include "entry/compiled/collective_forms.hpp"
#include "lapwing/compiled_collectives.h"

namespace lapwing::entry {

/// The purpose of a call.
struct Wish {
  enum What {
    all,    ///< it is complete when this returns
    start,  ///< `token` is what is left to wait for, or null
    ask     ///< `yes`: it would be started, and an error would end the job
  } what;
  lapwing_token* token = nullptr;
  bool yes = false;
};

int make_bcast(Wish&, void* buffer, int count, MPI_Datatype, int root, MPI_Comm);
int make_reduce(Wish&, const void* send, void* receive, int count, MPI_Datatype, MPI_Op, int root, MPI_Comm);
int make_allreduce(Wish&, const void* send, void* receive, int count, MPI_Datatype, MPI_Op, MPI_Comm);
int make_gather(Wish&, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm);
int make_gatherv(Wish&, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 const int* receive_counts, const int* places, MPI_Datatype receive_type, int root, MPI_Comm);
int make_scatter(Wish&, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm);
int make_scatterv(Wish&, const void* send, const int* send_counts, const int* places, MPI_Datatype send_type,
                  void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm);
int make_allgather(Wish&, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   int receive_count, MPI_Datatype receive_type, MPI_Comm);
int make_allgatherv(Wish&, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int* receive_counts, const int* places, MPI_Datatype receive_type, MPI_Comm);
int make_alltoall(Wish&, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm);
int make_alltoallv(Wish&, const void* send, const int* send_counts, const int* send_places,
                   MPI_Datatype send_type, void* receive, const int* receive_counts,
                   const int* receive_places, MPI_Datatype receive_type, MPI_Comm);

/// The function that the name of an MPI routine leads to in this process, profilers included.
void* program_symbol(const char* name);

}  // namespace lapwing::entry
