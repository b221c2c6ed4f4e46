// SPDX-License-Identifier: Apache-2.0
// How much of a wait strips would have hidden, as the plain way shows it: a model
// of what the program would have done had its receive returned before the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lapwing::transfer {

/// When the program first touched each of up to eight equal parts of a message.
struct Touches {
  static constexpr std::size_t most = 8;
  static constexpr std::uint64_t never = UINT64_MAX;

  std::size_t parts = 0;
  /// Nanoseconds of the program's own time, time in MPI left out, from the return of
  /// the receive; in the order of addresses.
  std::array<std::uint64_t, most> after{};
};

/// The order in which strips would arrive: that of the touches, or of addresses.
enum class Arrival : std::uint8_t { as_used, up, down };

/// Of a receive that waited for `waited` nanoseconds, the time that the program would
/// have gained had the parts arrived one by one in this order.
/// The cost of strips is taken off; 0 where nothing remains.
std::uint64_t saving(std::uint64_t waited, const Touches& touches, Arrival arrival = Arrival::as_used);

}  // namespace lapwing::transfer
