// SPDX-License-Identifier: Apache-2.0
// The event record: what each call site did, gathered on rank 0 at the end.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace lapwing::transfer {

class Engine;

class Record {
 public:
  /// Why this process defers nothing; part of the report.
  static void note_standing_aside(const std::string& why);
  /// Places of the user's hints that are no call sites; on rank 0.
  static void note_unused_hints(std::vector<std::string> places);
  /// Whether calls are to be timed: only when a report is asked for.
  static bool wanted() { return wanted_; }
  static void begin(const std::string& path);
  /// Collective over `comm`, all ranks of the job: rank 0 writes the report.
  /// `engine` may be nullptr. A report that cannot be written is said, not fatal.
  static void collect(Engine* engine, MPI_Comm comm);

 private:
  static inline bool wanted_ = false;
};

}  // namespace lapwing::transfer
