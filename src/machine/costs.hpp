// SPDX-License-Identifier: Apache-2.0
// The costs of messages and guards on a machine, and from which sizes on hiding a message pays (HUNT 5.1).
#pragma once

#include <cstddef>
#include <cstdint>

#include "options/table.hpp"

namespace lapwing::machine {

/// Of one way to guard pages. All zero: not measured.
struct GuardCosts {
  double close_us = 0, close_ns_per_byte = 0;  ///< M(N): closing N bytes at once
  double open_us = 0, open_ns_per_byte = 0;    ///< opening N bytes at once
  double fault_us = 0;  ///< I: from a touch of a closed page until the program goes on; a helper is woken

  bool measured() const { return close_us > 0 && fault_us > 0; }
  double closing_us(double bytes) const { return close_us + 1e-3 * close_ns_per_byte * bytes; }
  double opening_us(double bytes) const { return open_us + 1e-3 * open_ns_per_byte * bytes; }
};

/// LogGP parameters of a transport, the speed of memory, and the guards. Zero: not measured.
struct Costs {
  double send_overhead_us = 0, receive_overhead_us = 0;  ///< o_s, o_r: processor time of a small message
  double send_ns_per_byte = 0, receive_ns_per_byte = 0;  ///< processor time of each byte
  double gap_us = 0;                                     ///< g: between two small messages of a series
  double round_trip_us = 0;                              ///< RTT of 8 bytes
  double gap_ns_per_byte = 0;                            ///< G
  double copy_ns_per_byte = 0;                           ///< memcpy of more than the caches hold
  double spare_cores = 0;                                ///< beside the ranks; found by trying
  GuardCosts userfaultfd, mprotect;

  double overhead_us() const { return send_overhead_us + receive_overhead_us; }
};

/// A threshold that no message reaches.
inline constexpr std::size_t never = SIZE_MAX;

/// Sizes in bytes, for the engine; the defaults are those of the options.
struct Thresholds {
  /// From here on deferring a transfer can pay.
  std::size_t guard = options::default_bytes("LAPWING_THRESHOLD_GUARD");
  /// From here on decomposing it can pay.
  std::size_t strip = options::default_bytes("LAPWING_THRESHOLD_STRIP");
  /// Bytes of the first strip.
  std::size_t first = options::default_bytes("LAPWING_STRIP_FIRST");
};

/// Under which a message travels.
struct Circumstances {
  bool same_node = false;  ///< the sender's processor is one of this node's
  bool spare_core = true;  ///< the helper takes no time from the program
  /// C: how long the program computes on each byte. 0: all of it takes as long as the transfer.
  double compute_ns_per_byte = 0;
  double least_gain = 0.02;  ///< share of the plain way's time that is to be gained
};

/// The two inequalities of HUNT 5.1: by how many microseconds they hold (negative: not).
/// The first: o + M(bytes) + I/2 + M(first) < RTT + G * first.
double slack_of_first(const Costs& costs, const GuardCosts& guard, double bytes, double first);
/// The second: RTT + G * first + I/2 + C(first) > RTT + G * rest + I + M(rest), with rest = bytes - first.
double slack_of_second(const Costs& costs, const GuardCosts& guard, double bytes, double first,
                       double compute_ns_per_byte);
/// The least first strip for which both hold; `never` where there is none within the message.
std::size_t least_first_strip(const Costs& costs, const GuardCosts& guard, std::size_t bytes,
                              double compute_ns_per_byte);

/// Microseconds that a receive of `bytes` bytes and their use save over the plain way: deferred whole and
/// used after an independent computation, and in strips that are used in order as they land.
double saved_whole_us(const Costs& costs, const GuardCosts& guard, std::size_t bytes,
                      const Circumstances& in);
double saved_in_strips_us(const Costs& costs, const GuardCosts& guard, std::size_t bytes,
                          const Circumstances& in);

/// The least sizes from which on all messages gain, or `never`. Costs that were not measured leave the
/// defaults.
Thresholds thresholds_of(const Costs& costs, const GuardCosts& guard, const Circumstances& in);

/// Bytes that travel at once as the header of a stripped message (transfer/wire/wire.hpp), those of its
/// payload at the beginning, and the largest strip.
inline constexpr std::size_t header_travels = 8288, header_begins = 4096, largest_strip = 16384;

}  // namespace lapwing::machine
