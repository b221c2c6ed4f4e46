// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lapwing/tasks/options.hpp>

namespace lapwing::tasks {

/// What the program asks for, with what LAPWING_TASKS_* variables say instead.
/// An unknown one, or a value that makes no sense, throws Error.
Options settle(Options asked);

}  // namespace lapwing::tasks
