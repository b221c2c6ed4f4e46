// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 8: arrays in files.
#include <time.h>

#include "arrays/files/array_file.hpp"
#include "arrays/files/hdf5_array.hpp"
#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using lapwing::entry::refused;
using lapwing::entry::view_of;

namespace {

/// Calls `pass(comm)`.
template <typename Pass>
int pass_file(const char* routine, lapwing_tasks* tasks, Pass pass) {
  if (!tasks) return refused(routine, arrays::Code::argument, "the tasks are null");
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(routine, error);
  const arrays::Error error = pass(tasks->comm);
  // All processes know it; the first one says it, unless it never comes here.
  if (error && !arrays::errors_return && tasks->comm->rank() != 0) {
    const timespec pause{1, 0};
    nanosleep(&pause, nullptr);
  }
  return arrays::report(routine, error);
}

}  // namespace

LAPWING_ENTRY int lapwing_array_write(const char* path, int64_t offset, const void* local, int64_t elements,
                                      const lapwing_distribution* array, lapwing_tasks* tasks) {
  const arrays::Operand operand{local, elements, view_of(array)};
  return pass_file(__func__, tasks,
                   [&](const auto& comm) { return arrays::write_array(comm, path, offset, operand); });
}

LAPWING_ENTRY int lapwing_array_read(const char* path, int64_t offset, void* local, int64_t elements,
                                     const lapwing_distribution* array, lapwing_tasks* tasks) {
  const arrays::Operand operand{local, elements, view_of(array)};
  return pass_file(__func__, tasks,
                   [&](const auto& comm) { return arrays::read_array(comm, path, offset, operand); });
}

LAPWING_ENTRY int lapwing_array_write_hdf5(const char* path, const char* dataset, const void* local,
                                           int64_t elements, const lapwing_distribution* array,
                                           lapwing_tasks* tasks) {
  const arrays::Operand operand{local, elements, view_of(array)};
  return pass_file(__func__, tasks,
                   [&](const auto& comm) { return arrays::write_hdf5(comm, path, dataset, operand); });
}

LAPWING_ENTRY int lapwing_array_read_hdf5(const char* path, const char* dataset, void* local,
                                          int64_t elements, const lapwing_distribution* array,
                                          lapwing_tasks* tasks) {
  const arrays::Operand operand{local, elements, view_of(array)};
  return pass_file(__func__, tasks,
                   [&](const auto& comm) { return arrays::read_hdf5(comm, path, dataset, operand); });
}
