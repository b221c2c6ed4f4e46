// SPDX-License-Identifier: Apache-2.0
#include "mpi/error_handlers.hpp"

#include <link.h>
#include <mpi.h>

#include <atomic>
#include <cstddef>

#include "mpi/looks.hpp"
#include "mpi/references.hpp"

namespace lapwing::mpi {
namespace {

// In C, Fortran's interfaces and Open MPI's C++ bindings.
constexpr const char* setters[] = {"MPI_Comm_set_errhandler",
                                   "PMPI_Comm_set_errhandler",
                                   "MPI_Errhandler_set",
                                   "PMPI_Errhandler_set",
                                   "mpi_comm_set_errhandler",
                                   "pmpi_comm_set_errhandler",
                                   "mpi_errhandler_set",
                                   "pmpi_errhandler_set",
                                   "MPI_Comm_create_from_group",
                                   "PMPI_Comm_create_from_group",
                                   "mpi_comm_create_from_group",
                                   "pmpi_comm_create_from_group",
                                   "MPI_Intercomm_create_from_groups",
                                   "PMPI_Intercomm_create_from_groups",
                                   "mpi_intercomm_create_from_groups",
                                   "pmpi_intercomm_create_from_groups",
                                   "_ZN3MPI",
                                   "_ZNK3MPI",
                                   nullptr};

int count_loaded(dl_phdr_info* info, std::size_t, void* loaded) {
  *static_cast<unsigned long long*>(loaded) = info->dlpi_adds;
  return 1;
}

}  // namespace

bool handlers_never_change() {
  static std::atomic<unsigned long long> known{0};  // libraries loaded when it was asked, and the answer
  unsigned long long loaded = 0;
  dl_iterate_phdr(count_loaded, &loaded);
  unsigned long long answer = known.load(std::memory_order_relaxed);
  if (answer >> 1 == loaded) return answer & 1;
  const bool never = !refers_to(setters, libraries_of_mpi) && errors_are_fatal(MPI_COMM_WORLD) &&
                     errors_are_fatal(MPI_COMM_SELF);
  known.store(loaded << 1 | static_cast<unsigned long long>(never), std::memory_order_relaxed);
  return never;
}

}  // namespace lapwing::mpi
