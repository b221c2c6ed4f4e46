// SPDX-License-Identifier: Apache-2.0
// How a program's tasks are run. Variables LAPWING_TASKS_<NAME> stand above
// what the program asks for, so that a run can be changed without building.
#pragma once

#include <cstddef>
#include <string>

namespace lapwing::tasks {

struct Options {
  /// Threads that run tasks, the main program's among them; 0: one for each
  /// core that this process may use. LAPWING_TASKS_WORKERS.
  int workers = 0;
  /// Run a task where its locality object, the first that it declares, was last
  /// written; off: first come, first served. LAPWING_TASKS_LOCALITY=on|off.
  bool locality = true;
  /// Obey on(worker). LAPWING_TASKS_PLACEMENT=on|off.
  bool placement = true;
  /// How long, in microseconds, an idle worker leaves the only task that waits
  /// for another worker to that worker. LAPWING_TASKS_PATIENCE.
  double patience = 5;
  /// Tasks that may be unrolled and unfinished before a task that creates more must
  /// wait; 0: 1024, or 64 a worker if that is more. LAPWING_TASKS_WINDOW.
  std::size_t window = 0;
  /// KiB of the stacks that tasks run on. LAPWING_TASKS_STACK.
  std::size_t stack = 1024;
  /// Tasks that wait outside, in a call of MPI's or in blocking(), give their worker to one of so many
  /// threads more; 0: they keep it; -1: 256 where the program has initialised MPI with
  /// MPI_THREAD_MULTIPLE by itself, else 0. LAPWING_TASKS_SPARE.
  int spare = -1;
  /// Started on several ranks: they run the program together; off: each by
  /// itself. LAPWING_TASKS_RANKS=on|off.
  bool ranks = true;
  /// Ranks that read an object have copies of it; off: one after the other has
  /// the only one. LAPWING_TASKS_REPLICATION=on|off.
  bool replication = true;
  /// A version that many ranks read travels along a tree of them; off: all get
  /// it from its owner. LAPWING_TASKS_BROADCAST=on|off.
  bool broadcast = true;
  /// Tasks stay on rank 0 until they may run, and are then sent to the rank that
  /// has least to do; off: they are sent ahead. LAPWING_TASKS_SCHEDULE=central|ahead.
  bool central = false;
  /// Tasks that each worker of a rank is given at a time, so that the objects of
  /// one come while another runs (central). LAPWING_TASKS_TARGET.
  int target = 2;
  /// A task's objects are asked for all at once; off: one after the other
  /// (central). LAPWING_TASKS_CONCURRENT_FETCHES=on|off.
  bool concurrent_fetches = true;
  /// Objects of so many bytes in one run travel without being copied. LAPWING_TASKS_LARGE.
  std::size_t large = 16384;
  /// They travel in strips; off: each in one piece. LAPWING_TASKS_STRIPS=on|off.
  bool strips = true;
  /// Bytes of a strip; 0: an eighth of the object, 256 KiB to 4 MiB. LAPWING_TASKS_STRIP.
  std::size_t strip = 0;
  /// Tells on stderr which tasks cannot leave their rank. LAPWING_TASKS_REMARKS=on|off.
  bool remarks = false;
  /// Tasks that tasks spawn may run on other ranks; off: where their parent
  /// runs. LAPWING_TASKS_LEND=on|off.
  bool lend = true;
  /// Ranks of a node send each other small messages through memory that they
  /// share; off: by MPI. LAPWING_TASKS_NODE_MEMORY=on|off.
  bool node_memory = true;
  /// A file that tells what ran where and why it waited when the program ends:
  /// the task graph for .dot, a table of tasks else. LAPWING_TASKS_TRACE.
  std::string trace;
};

}  // namespace lapwing::tasks
