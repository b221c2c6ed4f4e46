// SPDX-License-Identifier: Apache-2.0
// The machines that are simulated, and how a program is run on them.
#pragma once

#include <string>

namespace lapwing::tasks::replay {

/// Seconds, but for what says otherwise.
struct Machine {
  std::string name;
  bool messages = false;  // or one address space, with caches
  // Task management.
  double create = 0;      // by the main program, each task
  double run = 0;         // by the processor that runs a task, to find and to end it
  double assign = 0;      // by the main processor, to send a task to another
  double accept = 0;      // by the other processor, to get it
  double completion = 0;  // by the main processor, to hear that it has ended
  // Messages.
  double latency = 0;   // on the way
  double overhead = 0;  // of the sender, and of the receiver
  double per_byte = 0;  // the sender is busy for it
  double copy = 0;      // a byte, by a processor that broadcasts to itself alone
  // One address space: a cache line, and what it costs to get one.
  double line = 64;  // bytes
  int cluster = 1;   // processors that are near each other
  double near = 0, far = 0, far_dirty = 0;
};

/// The Stanford DASH and the iPSC/860 by the appendices of the Jade paper. The cost of managing
/// a task is not there: it is fitted to the rows of Panel Cholesky with
/// placement (Tables 5, 10 and 14), most of all on 1, 2 and 32 processors.
Machine dash();
Machine ipsc();
/// Threads of a machine like today's; plausible figures, not measured ones.
Machine threads();
/// Ranks of a machine like today's; the same.
Machine ranks();

struct Rules {
  int processors = 1;
  bool locality = true;
  bool place = false;      // tasks go where their locality object is at home
  bool omit_main = false;  // objects are at home on all processors but the main one
  bool replicate = true;
  bool concurrent = true;  // fetches of one task
  bool broadcast = true;
  bool work_free = false;
  int target = 1;       // tasks for each processor
  double patience = 0;  // before the only task of another processor is taken
  // Jade 3.2.1 and 3.4.3: what an end lets run is there for idle processors while the ending one is still
  // busy with it. Off: the ending processor has the first look.
  bool eager = false;
  bool moving_owner = false;  // one address space: the owner is who wrote last, not where the object lies
  double scale = 1;           // of all that was computed
};

struct Outcome {
  double seconds = 0;       // of the measured part
  double task_seconds = 0;  // in tasks; on shared memory with what their accesses cost
  long tasks = 0, targeted = 0, on_target = 0;
  long messages = 0, object_messages = 0;
  double object_bytes = 0;
  double object_latency = 0, task_latency = 0;
  long broadcasts = 0;
};

}  // namespace lapwing::tasks::replay
