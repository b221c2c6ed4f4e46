// SPDX-License-Identifier: Apache-2.0
// The words of the ranks among each other.
#pragma once

#include <lapwing/tasks/abi.hpp>

#include <cstdint>

namespace lapwing::tasks::ranks {

struct Message {
  enum Kind : int {
    batch = 1,  // the home to a rank: events in the order of the program
    object,     // a version of an object
    parts,      // of a reduction
    finished,   // how many tasks have ended on a rank
    failed,     // a task threw
    fetch,      // a version of an object is wanted
    ended,      // a task that the home has sent when it was enabled
    look,       // the home asks whether anything goes on
    looked,
    spare,     // a rank has more tasks than it can run, of those that tasks spawn
    wanted,    // and another one would run so many
    lend,      // here is one
    returned,  // and what came of it
  };
};

enum class Event : std::uint8_t {
  task,
  send,       // a version of an object to another rank
  receive,    // a version comes
  object,     // and here it is
  part,       // a part of a reduction comes
  broadcast,  // a version of an object to all ranks
  drop,       // the end of an object's life
  ask,        // say when so many tasks have ended
  failure,    // tasks behind this place are skipped
  forget,     // the failure has been told to the main program
  complaint,  // what the home has found wrong, for all to say
  end,
};

/// A version that is only looked at for its shape.
constexpr std::uint32_t shape_only = 0x80000000;

inline std::uint64_t version_key(const detail::Handle& what, std::uint32_t version) {
  return std::uint64_t{what.generation} << 32 | version;
}
inline std::uint64_t part_key(std::uint64_t place) { return place | std::uint64_t{1} << 63; }

}  // namespace lapwing::tasks::ranks
