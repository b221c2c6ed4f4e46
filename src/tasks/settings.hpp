// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lapwing/tasks/options.hpp>

namespace lapwing::tasks {

/// The program's options, with the values of LAPWING_TASKS_* variables in their place.
/// An unknown one, or a value that makes no sense, throws Error.
Options settle(Options asked);

}  // namespace lapwing::tasks
