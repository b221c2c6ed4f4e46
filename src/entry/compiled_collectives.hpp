// SPDX-License-Identifier: Apache-2.0
// Collectives of compiled code, for C and Fortran.
//
// Each makes the call, in the form that has been agreed on. Without a `token` it
// is complete when this returns; with one, `*token` is what is left to wait for,
// or null.
#pragma once

#include <mpi.h>

#include "entry/collectives.hpp"
#include "lapwing/compiled_collectives.h"

namespace lapwing::entry {

using Token = lapwing_token**;

int make_bcast(Token, void* buffer, int count, MPI_Datatype, int root, MPI_Comm);
int make_reduce(Token, const void* send, void* receive, int count, MPI_Datatype, MPI_Op, int root, MPI_Comm);
int make_allreduce(Token, const void* send, void* receive, int count, MPI_Datatype, MPI_Op, MPI_Comm);
int make_gather(Token, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm);
int make_gatherv(Token, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 const int* receive_counts, const int* places, MPI_Datatype receive_type, int root, MPI_Comm);
int make_scatter(Token, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm);
int make_scatterv(Token, const void* send, const int* send_counts, const int* places, MPI_Datatype send_type,
                  void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm);
int make_allgather(Token, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   int receive_count, MPI_Datatype receive_type, MPI_Comm);
int make_allgatherv(Token, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int* receive_counts, const int* places, MPI_Datatype receive_type, MPI_Comm);
int make_alltoall(Token, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm);
int make_alltoallv(Token, const void* send, const int* send_counts, const int* send_places,
                   MPI_Datatype send_type, void* receive, const int* receive_counts,
                   const int* receive_places, MPI_Datatype receive_type, MPI_Comm);

/// Whether a collective of this kind, on which the program's own error handler
/// would not be called, may be waited for later.
int may_split(Collectives::Kind kind, MPI_Comm comm);

/// What the name of an MPI routine leads to in this process, profilers included.
void* program_symbol(const char* name);

}  // namespace lapwing::entry
