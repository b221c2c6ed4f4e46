// SPDX-License-Identifier: Apache-2.0
// Errors that one process of a task finds, on all of them.
#pragma once

#include <cstddef>

#include "arrays/error.hpp"
#include "arrays/task_comm.hpp"

namespace lapwing::arrays {

/// The error that the first of the failing processes of this task has, on all of them; or that their calls,
/// of which `call` is a hash, differ; `what` names what should have been equal. Collective over the task, on
/// the communicator that the program has: other transfers agree on Lapwing's own, on each process when it
/// comes to it.
Error agree_within(TaskComm& comm, const Error& mine, std::size_t call,
                   const char* what = "files, offsets or arrays");

}  // namespace lapwing::arrays
