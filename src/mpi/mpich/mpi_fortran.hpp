// SPDX-License-Identifier: Apache-2.0
// MPICH: Fortran's special addresses, and how its arguments become C's: those of
// mpi_f08, and those of mpif.h, which only compiled code meets.
#pragma once

#include <mpi.h>

// Of the library with the wrappers, which only Fortran programs have.
extern "C" __attribute__((weak)) void *MPIR_F_MPI_BOTTOM, *MPIR_F_MPI_IN_PLACE;

namespace lapwing::mpi {

inline bool is_fortran_bottom(const void* address) {
  return address == &MPIR_F08_MPI_BOTTOM || (&MPIR_F_MPI_BOTTOM && address == MPIR_F_MPI_BOTTOM);
}
inline bool is_fortran_in_place(const void* address) {
  return address == &MPIR_F08_MPI_IN_PLACE || (&MPIR_F_MPI_IN_PLACE && address == MPIR_F_MPI_IN_PLACE);
}

/// Both kinds of status have the layout of MPI_Status, so C writes them in place.
inline MPI_Status* fortran_status(void* status) {
  return status == MPI_F08_STATUS_IGNORE || status == MPI_F_STATUS_IGNORE || !status
             ? MPI_STATUS_IGNORE
             : static_cast<MPI_Status*>(status);
}
inline MPI_Status* fortran_statuses(void* statuses) {
  return statuses == MPI_F08_STATUSES_IGNORE ? MPI_STATUSES_IGNORE : static_cast<MPI_Status*>(statuses);
}

/// Libraries from which a Fortran program's calls reach the C functions.
inline constexpr const char* fortran_callers[] = {"libmpichfort"};

/// The wrapper of MPI_Waitany that Lapwing's stands in for.
inline constexpr const char* waitany_library = "libmpichfort";
inline constexpr const char* waitany_symbol = "mpi_waitany_f08_";

}  // namespace lapwing::mpi
