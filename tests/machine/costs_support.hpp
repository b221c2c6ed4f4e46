// SPDX-License-Identifier: Apache-2.0
// Costs for the tests: those of HUNT's Table 1, and of links of this kind of machine.
#pragma once

#include "machine/costs.hpp"

namespace lapwing::machine {

/// HUNT, Table 1: o, G in microseconds a KB, RTT, I, mprotect.
inline Costs costs_of_hunt(double overhead, double gap_us_per_kb, double round_trip, double fault,
                           double mprotect) {
  Costs costs;
  costs.send_overhead_us = costs.receive_overhead_us = overhead / 2;
  costs.gap_ns_per_byte = 1e3 * gap_us_per_kb / 1024;
  costs.round_trip_us = round_trip;
  costs.spare_cores = 1;
  costs.mprotect.close_us = mprotect;
  costs.mprotect.fault_us = fault;
  return costs;
}

/// A link of so many nanoseconds a byte, with the guards and the processors of a small machine.
inline Costs link_of(double gap_ns_per_byte, double processor_ns_per_byte) {
  Costs costs;
  costs.send_overhead_us = costs.receive_overhead_us = 3;
  costs.send_ns_per_byte = costs.receive_ns_per_byte = processor_ns_per_byte;
  costs.gap_us = 2;
  costs.round_trip_us = 15;
  costs.gap_ns_per_byte = gap_ns_per_byte;
  costs.copy_ns_per_byte = 0.1;
  costs.spare_cores = 1;
  costs.userfaultfd = {8, 0.003, 3, 0.06, 20};
  costs.mprotect = {6, 0.002, 4, 0.5, 25};
  return costs;
}

}  // namespace lapwing::machine
