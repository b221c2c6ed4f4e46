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

// An answer that holds until another library is loaded.
class LastingAnswer {
 public:
  template <typename Ask>
  bool get(Ask ask) {
    unsigned long long loaded = 0;
    dl_iterate_phdr(count_loaded, &loaded);
    const unsigned long long known = known_.load(std::memory_order_relaxed);
    if (known >> 1 == loaded) return known & 1;
    const bool answer = ask();
    known_.store(loaded << 1 | static_cast<unsigned long long>(answer), std::memory_order_relaxed);
    return answer;
  }

 private:
  std::atomic<unsigned long long> known_{0};  // libraries loaded when it was asked, and the answer
};

}  // namespace

bool nothing_sets_handlers() {
  static LastingAnswer answer;
  return answer.get([] { return !refers_to(setters, Files::outside_mpi); });
}

bool handlers_never_change() {
  static LastingAnswer answer;
  return answer.get([] {
    return nothing_sets_handlers() && errors_are_fatal(MPI_COMM_WORLD) && errors_are_fatal(MPI_COMM_SELF);
  });
}

}  // namespace lapwing::mpi
