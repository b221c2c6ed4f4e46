// SPDX-License-Identifier: Apache-2.0
// The MPICH family: Fortran's special addresses, and how its arguments become C's: those of
// mpi_f08, and those of mpif.h, which only compiled code meets.
#pragma once

#include <mpi.h>

#include "mpi/binding.hpp"

namespace lapwing::mpi {

/// Variables of the library with the wrappers, which only Fortran programs have and not
/// every member of the family. The library sets those that are pointers when MPI begins.
struct FortranNames {
  const void* f08_bottom = variable("MPIR_F08_MPI_BOTTOM");
  const void* f08_in_place = variable("MPIR_F08_MPI_IN_PLACE");
  void* const* bottom = pointer("MPIR_F_MPI_BOTTOM");
  void* const* in_place = pointer("MPIR_F_MPI_IN_PLACE");
  void* const* status_ignore = pointer("MPI_F_STATUS_IGNORE");
  void* const* f08_status_ignore = pointer("MPI_F08_STATUS_IGNORE");
  void* const* f08_statuses_ignore = pointer("MPI_F08_STATUSES_IGNORE");

  static void* const* pointer(const char* name) { return static_cast<void* const*>(variable(name)); }
};
inline const FortranNames& fortran_names() {
  static const FortranNames names;
  return names;
}

inline bool leads_to(void* const* pointer, const void* address) { return pointer && *pointer == address; }

inline bool is_fortran_bottom(const void* address) {
  const FortranNames& names = fortran_names();
  return address && (address == names.f08_bottom || leads_to(names.bottom, address));
}
inline bool is_fortran_in_place(const void* address) {
  const FortranNames& names = fortran_names();
  return address && (address == names.f08_in_place || leads_to(names.in_place, address));
}

/// Both kinds of status have the layout of MPI_Status, so C writes them in place.
inline MPI_Status* fortran_status(void* status) {
  const FortranNames& names = fortran_names();
  return !status || leads_to(names.f08_status_ignore, status) || leads_to(names.status_ignore, status)
             ? MPI_STATUS_IGNORE
             : static_cast<MPI_Status*>(status);
}
inline MPI_Status* fortran_statuses(void* statuses) {
  return leads_to(fortran_names().f08_statuses_ignore, statuses) ? MPI_STATUSES_IGNORE
                                                                 : static_cast<MPI_Status*>(statuses);
}

/// Libraries from which a Fortran program's calls reach the C functions.
inline constexpr const char* fortran_callers[] = {"libmpichfort|libmpifort|libmpifort_*"};

/// The wrapper of MPI_Waitany that Lapwing's stands in for.
inline constexpr const char* waitany_library = fortran_callers[0];
inline constexpr const char* waitany_symbol = "mpi_waitany_f08_";

}  // namespace lapwing::mpi
