// SPDX-License-Identifier: Apache-2.0
// Open MPI: Fortran's special addresses, and how its arguments become C's.
#pragma once

#include <mpi.h>

#include "mpi/binding.hpp"

namespace lapwing::mpi {

/// Common blocks of mpif.h, and bind(C) variables of mpi_f08.
struct FortranNames {
  const void* bottom = variable("mpi_fortran_bottom_");
  const void* in_place = variable("mpi_fortran_in_place_");
  const void* status_ignore = variable("mpi_fortran_status_ignore_");
  const void* statuses_ignore = variable("mpi_fortran_statuses_ignore_");
};
inline const FortranNames& fortran_names() {
  static const FortranNames names;
  return names;
}

inline bool is_fortran_bottom(const void* address) { return address && address == fortran_names().bottom; }
inline bool is_fortran_in_place(const void* address) {
  return address && address == fortran_names().in_place;
}

/// A Fortran status has the layout of MPI_Status, so C writes it in place.
inline MPI_Status* fortran_status(void* status) {
  return status && status == fortran_names().status_ignore ? MPI_STATUS_IGNORE
                                                           : static_cast<MPI_Status*>(status);
}
inline MPI_Status* fortran_statuses(void* statuses) {
  return statuses && statuses == fortran_names().statuses_ignore ? MPI_STATUSES_IGNORE
                                                                 : static_cast<MPI_Status*>(statuses);
}

/// Libraries from which a Fortran program's calls reach the entry points.
inline constexpr const char* fortran_callers[] = {"libmpi_usempif08"};

/// The wrapper of MPI_Waitany that Lapwing's stands in for.
inline constexpr const char* waitany_library = "libmpi_mpifh";
inline constexpr const char* waitany_symbol = "ompi_waitany_f";

}  // namespace lapwing::mpi
