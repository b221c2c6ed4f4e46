// SPDX-License-Identifier: Apache-2.0
// Measurements of this machine and its network, and the thresholds that follow from them.
#pragma once

#include <cstddef>
#include <string>

#include "options/table.hpp"

namespace lapwing::machine {

/// LogGP parameters of a transport and the costs of guarding (HUNT 5.1). Zero means not measured.
struct Profile {
  double overhead_us = 0;        ///< o: processor time to send and to receive one message
  double round_trip_us = 0;      ///< RTT of 8 bytes
  double gap_ns_per_byte = 0;    ///< G
  double fault_us = 0;           ///< I: a touch of a closed page, until the program goes on
  double close_us = 0;           ///< M: closing a region, whatever its size
  double close_ns_per_byte = 0;  ///< and for each byte of it
  double open_ns_per_byte = 0;   ///< opening pages, per byte
};

/// Sizes in bytes, for the engine; the defaults are those of the options.
struct Thresholds {
  /// From here on deferring a transfer can pay.
  std::size_t guard = options::default_bytes("LAPWING_THRESHOLD_GUARD");
  /// From here on decomposing it can pay.
  std::size_t strip = options::default_bytes("LAPWING_THRESHOLD_STRIP");
  /// Bytes of the first strip.
  std::size_t first = options::default_bytes("LAPWING_STRIP_FIRST");
};

/// The two inequalities of HUNT 5.1. The first: all that is done before the first
/// strip can be used, o + M(size) + I/2 + M(N1), must fit into its own transfer,
/// RTT + G * N1. The second: the first strip's transfer and use must cover the
/// second's, of which the lower bound is the bytes' way through memory.
/// Unmeasured parameters leave the defaults.
Thresholds thresholds_of(const Profile& profile);

/// Reads the numbers that it knows from a JSON object; false with a sentence if
/// the file cannot be read or holds none of them.
bool read_profile(const std::string& path, Profile* profile, std::string* why);

/// The profile and its thresholds as a JSON object.
std::string profile_as_json(const Profile& profile, const std::string& mpi, bool local);

}  // namespace lapwing::machine
