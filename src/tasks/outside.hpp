// SPDX-License-Identifier: Apache-2.0
// MPI's calls that wait for other processes, made by tasks. They are watched by
// liblapwing-tasks-<mpi>.so (tasks/outside), which asks for what it needs here.
#pragma once

namespace lapwing::tasks {

struct OutsideHooks {
  /// The calling thread runs a task; `main`: or the main program.
  bool (*in_task)(bool main);
  /// The running task gives its worker away, if that can be; it must come back if so.
  bool (*leave)();
  void (*come_back)();
  /// No task could run now.
  bool (*idle)();
};

/// How the program has initialised its MPI before run().
enum class Initialised { no, with_less, with_multiple };

/// The name of the function by which the library is entered: watches the calls from now on.
constexpr const char* outside_entry = "lapwing_tasks_outside_1";  // with the number of this interface
using OutsideEntry = Initialised (*)(const OutsideHooks& hooks);

/// Watches the calls of the MPI that the program is linked with, if it has initialised it.
Initialised watch_outside_calls();

}  // namespace lapwing::tasks
