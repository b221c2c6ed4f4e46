// SPDX-License-Identifier: Apache-2.0
// MPI_Send and its kin.
#include "entry/p2p.hpp"

using lapwing::entry::straight;
using lapwing::transfer::SendArguments;
using Kind = SendArguments::Kind;

#define BLOCKING(NAME, COUNT, KIND)                                                                   \
  LAPWING_ENTRY int MPI_##NAME(const void* buffer, COUNT count, MPI_Datatype type, int rank, int tag, \
                               MPI_Comm comm) {                                                       \
    if (straight(count, type)) return PMPI_##NAME(buffer, count, type, rank, tag, comm);              \
    return lapwing::transfer::send(                                                                   \
        {buffer, count, type, rank, tag, comm, LAPWING_CALLER("MPI_" #NAME), KIND},                   \
        [&] { return PMPI_##NAME(buffer, count, type, rank, tag, comm); });                           \
  }

// FAST: small ones may go straight to MPI; a persistent request is always remembered.
#define NON_BLOCKING(NAME, COUNT, KIND, OPERATION, FAST)                                                  \
  LAPWING_ENTRY int MPI_##NAME(const void* buffer, COUNT count, MPI_Datatype type, int rank, int tag,     \
                               MPI_Comm comm, MPI_Request* request) {                                     \
    if (FAST && straight(count, type)) return PMPI_##NAME(buffer, count, type, rank, tag, comm, request); \
    return lapwing::transfer::OPERATION(                                                                  \
        {buffer, count, type, rank, tag, comm, LAPWING_CALLER("MPI_" #NAME), KIND}, request,              \
        [&](MPI_Request* r) { return PMPI_##NAME(buffer, count, type, rank, tag, comm, r); });            \
  }

BLOCKING(Send, int, Kind::standard)
BLOCKING(Ssend, int, Kind::synchronous)
BLOCKING(Rsend, int, Kind::ready)
BLOCKING(Bsend, int, Kind::buffered)
NON_BLOCKING(Isend, int, Kind::standard, isend, true)
NON_BLOCKING(Issend, int, Kind::synchronous, isend, true)
NON_BLOCKING(Irsend, int, Kind::ready, isend, true)
NON_BLOCKING(Ibsend, int, Kind::buffered, isend, true)
NON_BLOCKING(Send_init, int, Kind::standard, send_init, false)
NON_BLOCKING(Ssend_init, int, Kind::synchronous, send_init, false)
NON_BLOCKING(Rsend_init, int, Kind::ready, send_init, false)
NON_BLOCKING(Bsend_init, int, Kind::buffered, send_init, false)

#if MPI_VERSION >= 4
BLOCKING(Send_c, MPI_Count, Kind::standard)
BLOCKING(Ssend_c, MPI_Count, Kind::synchronous)
BLOCKING(Rsend_c, MPI_Count, Kind::ready)
BLOCKING(Bsend_c, MPI_Count, Kind::buffered)
NON_BLOCKING(Isend_c, MPI_Count, Kind::standard, isend, true)
NON_BLOCKING(Issend_c, MPI_Count, Kind::synchronous, isend, true)
NON_BLOCKING(Irsend_c, MPI_Count, Kind::ready, isend, true)
NON_BLOCKING(Ibsend_c, MPI_Count, Kind::buffered, isend, true)
NON_BLOCKING(Send_init_c, MPI_Count, Kind::standard, send_init, false)
NON_BLOCKING(Ssend_init_c, MPI_Count, Kind::synchronous, send_init, false)
NON_BLOCKING(Rsend_init_c, MPI_Count, Kind::ready, send_init, false)
NON_BLOCKING(Bsend_init_c, MPI_Count, Kind::buffered, send_init, false)
#endif
