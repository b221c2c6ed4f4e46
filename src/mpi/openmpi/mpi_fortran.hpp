// SPDX-License-Identifier: Apache-2.0
// Open MPI: Fortran's special addresses, and how its arguments become C's.
#pragma once

#include <mpi.h>

// Common blocks of mpif.h, and bind(C) variables of mpi_f08.
extern "C" int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_status_ignore_,
    mpi_fortran_statuses_ignore_;

namespace lapwing::mpi {

inline bool is_fortran_bottom(const void* address) { return address == &mpi_fortran_bottom_; }
inline bool is_fortran_in_place(const void* address) { return address == &mpi_fortran_in_place_; }

/// A Fortran status has the layout of MPI_Status, so C writes it in place.
inline MPI_Status* fortran_status(void* status) {
  return status == &mpi_fortran_status_ignore_ ? MPI_STATUS_IGNORE : static_cast<MPI_Status*>(status);
}
inline MPI_Status* fortran_statuses(void* statuses) {
  return statuses == &mpi_fortran_statuses_ignore_ ? MPI_STATUSES_IGNORE : static_cast<MPI_Status*>(statuses);
}

/// Libraries from which a Fortran program's calls reach the entry points.
inline constexpr const char* fortran_callers[] = {"libmpi_usempif08"};

/// The wrapper of MPI_Waitany that Lapwing's stands in for.
inline constexpr const char* waitany_library = "libmpi_mpifh";
inline constexpr const char* waitany_symbol = "ompi_waitany_f";

}  // namespace lapwing::mpi
