// SPDX-License-Identifier: Apache-2.0
// Arrays in files, as the processes of a task write and read them together.
#pragma once

#include <cstdint>
#include <memory>

#include "arrays/calls.hpp"

namespace lapwing::arrays {

/// Smaller ones make many rounds of small arrays.
struct FileSizes {
  static inline std::int64_t most_bytes = 16 << 20;  ///< on a process in a round
  static inline std::int64_t least_bytes = 1 << 20;  ///< for which a process accesses the file
};

/// The array's elements in its order, from byte `offset` of the file on. Collective over the task;
/// the same error on every process. `found` is an error that was found already.
Error write_array(const std::shared_ptr<TaskComm>& comm, const char* path, std::int64_t offset,
                  const Operand& array, const Error& found = {});
Error read_array(const std::shared_ptr<TaskComm>& comm, const char* path, std::int64_t offset,
                 const Operand& array, const Error& found = {});

}  // namespace lapwing::arrays
