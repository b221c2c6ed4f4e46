// SPDX-License-Identifier: Apache-2.0
// Declared communication as the C and the Fortran API enter it, and when it
// starts and stops.
#pragma once

#include <mpi.h>

#include "lapwing/shortcut.h"
#include "transfer/settings.hpp"

namespace lapwing::entry {

/// Whether the program calls anything of declare.h or shortcut.h; found out once.
bool declares();

/// At the end of MPI_Init, on every rank alike, after start_sets(): starts where
/// anybody declares and the room is open.
/// `threads`: several of the program's may call MPI at a time.
void start_declared(const transfer::Settings& settings, bool threads);
/// At the beginning of MPI_Finalize; nothing if it was not started. Everything
/// declared has happened then, or the job has ended.
void stop_declared();

/// As in declare.h; `here` is where the call returns to in the program.
void declare_open(const void* here, MPI_Comm comm);
void declare_send(const void* here, const void* buffer, int count, MPI_Datatype type, int dest, int tag,
                  MPI_Comm comm);
void declare_recv(const void* here, void* buffer, int count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm);
void declare_bcast(const void* here, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
void declare_reduce(const void* here, const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                    int root, MPI_Comm comm);
void declare_allreduce(const void* here, const void* send, void* recv, int count, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm);
void complete_declared(const void* here);
lapwing_shortcut* begin_shortcut(const void* here, MPI_Comm comm, int choice);

}  // namespace lapwing::entry
