// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 8: arrays in files.
#include <time.h>

#include "arrays/files/array_file.hpp"
#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using lapwing::entry::refused;
using lapwing::entry::view_of;

namespace {

using Pass = arrays::Error(const std::shared_ptr<arrays::TaskComm>&, const char*, std::int64_t,
                           const arrays::Operand&, const arrays::Error&);

int pass_file(const char* routine, Pass* pass, const char* path, const arrays::Operand& array,
              std::int64_t offset, lapwing_tasks* tasks) {
  if (!tasks) return refused(routine, arrays::Code::argument, "the tasks are null");
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(routine, error);
  const arrays::Error error = pass(tasks->comm, path, offset, array, {});
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
  return pass_file(__func__, arrays::write_array, path, {local, elements, view_of(array)}, offset, tasks);
}

LAPWING_ENTRY int lapwing_array_read(const char* path, int64_t offset, void* local, int64_t elements,
                                     const lapwing_distribution* array, lapwing_tasks* tasks) {
  return pass_file(__func__, arrays::read_array, path, {local, elements, view_of(array)}, offset, tasks);
}
