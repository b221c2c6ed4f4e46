// SPDX-License-Identifier: Apache-2.0
// MPICH: Fortran's special addresses, and how its arguments become C's. Only
// mpi_f08 needs them: the other interfaces call the C functions.
#pragma once

#include <mpi.h>

namespace lapwing::mpi {

inline bool is_fortran_bottom(const void* address) { return address == &MPIR_F08_MPI_BOTTOM; }
inline bool is_fortran_in_place(const void* address) { return address == &MPIR_F08_MPI_IN_PLACE; }

/// type(MPI_Status) has the layout of MPI_Status, so C writes it in place.
inline MPI_Status* fortran_status(void* status) {
  return status == MPI_F08_STATUS_IGNORE ? MPI_STATUS_IGNORE : static_cast<MPI_Status*>(status);
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
