// SPDX-License-Identifier: Apache-2.0
// Hidden tasks: what moves objects stands in the queues among the tasks, and is
// run at once by whoever makes it ready.
#pragma once

#include <lapwing/tasks/pack.hpp>

#include <cstdint>
#include <vector>

#include "tasks/object.hpp"
#include "tasks/ranks/wire.hpp"

namespace lapwing::tasks::ranks {

struct Hidden {
  enum Kind : std::uint8_t { send, receive, part, drop } kind;
  detail::Handle what;
  std::uint32_t version = 0;  // to send, or to receive
  int to = 0;
  std::uint64_t place = 0;  // of the task whose part it is
  Arrived data = {};        // that has come
  bool landed = false;      // the value is where it shall be
};

/// How an object's value travels, if it does: behind what is said of it, or by itself.
enum class Form : std::uint8_t { absent, packed, bulk };

/// A version that is only looked at for its shape.
constexpr std::uint32_t shape_only = 0x80000000;

/// Combines the parts that came from another rank.
void fold_parts(Object& object, Record& record);

}  // namespace lapwing::tasks::ranks
