// SPDX-License-Identifier: Apache-2.0
// Arrays as datasets of HDF5 files, as the processes of a task write and read them together.
#pragma once

#include <memory>

#include "arrays/calls.hpp"

namespace lapwing::arrays {

/// Collective over the task; the same error on every process. The task's first process alone calls HDF5: it
/// makes the dataset, in one run of bytes, and all processes write into that run as into a plain file. So the
/// serial library does.
Error write_hdf5(const std::shared_ptr<TaskComm>& comm, const char* path, const char* dataset,
                 const Operand& array);
/// Likewise; what lies in chunks, is compressed or of another type the first process reads, and hands on.
Error read_hdf5(const std::shared_ptr<TaskComm>& comm, const char* path, const char* dataset,
                const Operand& array);

}  // namespace lapwing::arrays
