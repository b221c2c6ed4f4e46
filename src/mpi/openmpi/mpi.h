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
using MPI_Session = struct ompi_instance_t*;
extern "C" {
int PMPI_Session_get_num_psets(MPI_Session, MPI_Info, int*);
int PMPI_Session_get_nth_pset(MPI_Session, MPI_Info, int, int*, char*);
int PMPI_Session_get_pset_info(MPI_Session, const char*, MPI_Info*);
int PMPI_Session_call_errhandler(MPI_Session, int);
int PMPI_Group_from_session_pset(MPI_Session, const char*, MPI_Group*);
int PMPI_Isendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
                   MPI_Request*);
int PMPI_Isendrecv_replace(void*, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request*);
}
#endif
