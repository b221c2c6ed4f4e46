// SPDX-License-Identifier: Apache-2.0
// The header of MPI 5's standard ABI, as an MPI on this machine has it. Fortran is no part of that ABI:
// integers stand for handles by the functions that it has for any language.
#pragma once

#include <mpi_abi.h>

using MPI_Fint = int;

#define LAPWING_HANDLE_AS_INTEGER(KIND)                                                            \
  inline MPI_##KIND PMPI_##KIND##_f2c(MPI_Fint integer) { return PMPI_##KIND##_fromint(integer); } \
  inline MPI_Fint PMPI_##KIND##_c2f(MPI_##KIND handle) { return PMPI_##KIND##_toint(handle); }
LAPWING_HANDLE_AS_INTEGER(Comm)
LAPWING_HANDLE_AS_INTEGER(File)
LAPWING_HANDLE_AS_INTEGER(Group)
LAPWING_HANDLE_AS_INTEGER(Message)
LAPWING_HANDLE_AS_INTEGER(Op)
LAPWING_HANDLE_AS_INTEGER(Request)
LAPWING_HANDLE_AS_INTEGER(Win)
#undef LAPWING_HANDLE_AS_INTEGER
inline MPI_Datatype PMPI_Type_f2c(MPI_Fint integer) { return PMPI_Type_fromint(integer); }
inline MPI_Fint PMPI_Type_c2f(MPI_Datatype type) { return PMPI_Type_toint(type); }
