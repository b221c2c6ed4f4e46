// SPDX-License-Identifier: Apache-2.0
// Open MPI's header, for code that is linked with no MPI: predefined handles are addresses
// of objects inside the library, and are looked up there when Lapwing is loaded.
#pragma once

#include_next <mpi.h>

#ifdef __cplusplus
#define LAPWING_HANDLE(OBJECT) extern "C" __attribute__((visibility("hidden"))) void* lapwing_##OBJECT;
#include "handles.inc"
#undef LAPWING_HANDLE

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(TYPE, OBJECT) (static_cast<TYPE>(lapwing_##OBJECT))

// Of Open MPI 5, whose headers need not be the ones at hand.
extern "C" {
int PMPI_Isendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
                   MPI_Request*);
int PMPI_Isendrecv_replace(void*, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request*);
}
#endif
