// SPDX-License-Identifier: Apache-2.0
#include "arrays/files/array_file.hpp"

#include <fmt/format.h>

#include "arrays/files/passage.hpp"

namespace lapwing::arrays {
namespace {

Error pass(const std::shared_ptr<TaskComm>& comm, const char* path, std::int64_t offset, const Operand& array,
           bool writes, const Error& found) {
  Passage passage(comm, path, fmt::format("{}", offset), array, writes);
  Error mine = found;
  if (!mine && offset < 0) mine = passage.here(Code::argument, fmt::format("the offset is {}", offset));
  if (Error error = passage.begin(mine)) return error;
  return passage.run_at(offset);
}

}  // namespace

Error write_array(const std::shared_ptr<TaskComm>& comm, const char* path, std::int64_t offset,
                  const Operand& array, const Error& found) {
  return pass(comm, path, offset, array, true, found);
}

Error read_array(const std::shared_ptr<TaskComm>& comm, const char* path, std::int64_t offset,
                 const Operand& array, const Error& found) {
  return pass(comm, path, offset, array, false, found);
}

}  // namespace lapwing::arrays
