// SPDX-License-Identifier: Apache-2.0
// A recorded run (recording.hpp), read back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lapwing::tasks::replay {

struct Use {
  int object;
  std::uint8_t rights, deferred;
};

struct Step {
  double seconds;
  int object;
  std::uint8_t acquired, released;
};

struct RecordedTask {
  std::vector<Use> uses;
  std::vector<Step> steps;
  double seconds = 0;    // after the last step
  bool initial = false;  // before the first finish()
};

struct RecordedObject {
  double bytes = 0;
  std::string name;
  int index = 0;  // the number at the end of its name
};

struct Event {
  enum Kind { task, use, finish } kind;
  double before;
  int what;  // a task, or an object
  std::uint8_t rights;
};

struct Program {
  std::vector<RecordedObject> objects;
  std::vector<RecordedTask> tasks;
  std::vector<Event> events;

  /// The computation between the first and the second finish(): the measured
  /// part.
  double measured_seconds() const;
};

/// Throws std::runtime_error with the line that cannot be understood.
Program read_program(const std::string& file);

}  // namespace lapwing::tasks::replay
