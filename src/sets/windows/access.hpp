// SPDX-License-Identifier: Apache-2.0
// Accesses to windows, as a process that is checked records them.
//
// When it began and when it was complete at the target are told in two ways: for other processes by the
// number of acts of the History before it, for the same process by a clock of its own.
#pragma once

#include <cstdint>
#include <vector>

namespace lapwing::sets {

/// A run of bytes of a window, from its base; of a dynamic window an address.
struct ByteRange {
  std::int64_t begin = 0, length = 0;
  std::int64_t end() const { return begin + length; }
};

struct Access {
  enum Kind : std::int32_t {
    get,
    put,
    accumulate,  ///< any operation that is atomic; `op` says which
    look  ///< not an access: from here on the process may have read what others wrote by means of its own
  };
  /// Operations that go with any other; others are 1 + their place in a table.
  static constexpr std::int32_t no_op = 0, swap = -1;
  static constexpr std::uint32_t never = ~0u;

  std::uint64_t window = 0;  ///< its circle
  std::int32_t target = 0;   ///< a world rank
  Kind kind = get;
  std::int32_t op = no_op;
  std::uint32_t place = 0;                 ///< of its call in AccessRecord::places
  bool passive = false;                    ///< in an epoch of locks
  bool exclusive = false;                  ///< the lock is
  std::uint32_t from = 0, until = never;   ///< acts of the History before it began; before it was complete
  std::uint32_t begun = 0, ended = never;  ///< by the clock of the process
  std::uint32_t first_run = 0, runs = 0;   ///< in AccessRecord::runs

  bool reads() const { return kind == get || kind == accumulate; }
  bool writes() const { return kind == put || (kind == accumulate && op != no_op); }
};

/// Of one process.
struct AccessRecord {
  std::vector<Access> list;
  std::vector<ByteRange> runs;
};

}  // namespace lapwing::sets
