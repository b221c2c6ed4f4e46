// SPDX-License-Identifier: Apache-2.0
// What one side of a transfer is to the other: the array descriptor of the
// steps 1 and 3 of HPF/MPI 2.1.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrays/error.hpp"
#include "arrays/schedules/distribution.hpp"
#include "arrays/schedules/section.hpp"

namespace lapwing::arrays {

/// An array, the part of it that travels, and whether it takes other types.
struct View {
  Distribution distribution;
  Section section;
  bool converts = false;
};

/// One or several arrays that travel together.
struct Descriptor {
  std::vector<std::shared_ptr<const View>> views;
  std::string bytes;  ///< for the other side
  std::string key;    ///< and what only concerns this process: leading dimensions

  static std::shared_ptr<const Descriptor> of(std::vector<std::shared_ptr<const View>> views);
  /// Null with a sentence where the bytes are none.
  static std::shared_ptr<const Descriptor> read(std::span<const char> bytes, std::string* problem);
};

/// A task as sentences name it, and as checks need it.
struct Party {
  int task;
  int processes;
};

/// Why one cannot be received as the other.
Error compare(const Descriptor& from, const Party& sender, const Descriptor& to, const Party& receiver,
              int tag);

/// Why a process cannot use this array in its task: the grid, or local memory of
/// `elements` elements at `local`.
Error check_local(const View& view, const Party& mine, int rank, const void* local, std::int64_t elements);

/// Why memory of so many bytes cannot be used: it is a device's, so that only the device reads it.
/// Looks where a driver of accelerators is loaded only.
Error check_reachable(const void* memory, std::int64_t bytes, const char* name);

/// The elements that travel, as an array of its own in C order on one process.
View gathered(const View& view);

}  // namespace lapwing::arrays
