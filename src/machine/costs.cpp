// SPDX-License-Identifier: Apache-2.0
#include "machine/costs.hpp"

#include <algorithm>
#include <cmath>

#include "progress/policy.hpp"

namespace lapwing::machine {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t least_size = 3 * page, largest_size = std::size_t{64} << 20;

std::size_t pages_up(double bytes) {
  return bytes <= 0 ? 0 : static_cast<std::size_t>(std::ceil(bytes / page)) * page;
}

/// A message on its way, in microseconds and microseconds a byte. Latency and the overhead of its first
/// message are left out: they are the same both ways.
struct Account {
  double gap, compute, plain;  ///< a byte's transfer and use; the plain way, all bytes
  double rest, header;         ///< bytes behind the header, and the time of the header
  double handling;             ///< processor time of a byte that the helper receives and opens
  double sending;              ///< and of the sender's, where it is taken from this node's program

  Account(const Costs& costs, const GuardCosts& guard, std::size_t bytes, const Circumstances& in)
      : gap(1e-3 * costs.gap_ns_per_byte),
        compute(1e-3 * (in.compute_ns_per_byte > 0 ? in.compute_ns_per_byte : costs.gap_ns_per_byte)),
        plain((gap + compute) * static_cast<double>(bytes)),
        rest(static_cast<double>(bytes) - static_cast<double>(header_travels)),
        header(gap * static_cast<double>(header_travels)),
        handling(1e-3 * (costs.receive_ns_per_byte + guard.open_ns_per_byte)),
        sending(in.same_node ? 1e-3 * costs.send_ns_per_byte : 0) {
    // In shared memory processors move the bytes: without a free one, all of the transfer's time is theirs.
    if (in.same_node && !in.spare_core) handling = std::max(handling, gap + 1e-3 * guard.open_ns_per_byte);
  }
};

/// Of a helper without a core of its own: it interrupts a program that computes when a message is matched,
/// when it has landed, and at each pause between. The half of a stop is a thread's way onto a core. A program
/// that reads what lands leaves its core to the helper while it waits.
double waking_us(const Costs& costs, const GuardCosts& guard, double transfer_us) {
  const double most_ns = costs.gap_ns_per_byte * static_cast<double>(progress::most_strips_per_look);
  const double wakes = 2 + progress::for_strips.looks_within(1e3 * transfer_us, most_ns);
  return wakes * (guard.fault_us / 2 + progress::looks_per_wake * costs.receive_overhead_us);
}

/// The first strip that the engine would choose: it covers all that is done before it can be used.
std::size_t chosen_first(const Costs& costs, const GuardCosts& guard, std::size_t bytes) {
  const double lacks = -slack_of_first(costs, guard, static_cast<double>(bytes), 0);
  const double per_byte = 1e-3 * (costs.gap_ns_per_byte - guard.close_ns_per_byte);
  if (lacks > 0 && per_byte <= 0) return largest_strip;
  return std::clamp(pages_up(lacks > 0 ? lacks / per_byte : 0), page, largest_strip);
}

/// The least size from which on `pays` holds, looked for from the largest downwards.
template <typename Pays>
std::size_t least_from(Pays pays) {
  std::size_t least = never;
  for (std::size_t bytes = largest_size; bytes >= least_size;) {
    if (!pays(bytes)) break;
    least = bytes;
    bytes -= std::max(page, bytes / 16 / page * page);
  }
  return least;
}

}  // namespace

double slack_of_first(const Costs& costs, const GuardCosts& guard, double bytes, double first) {
  return costs.round_trip_us + 1e-3 * costs.gap_ns_per_byte * first -
         (costs.overhead_us() + guard.closing_us(bytes) + guard.fault_us / 2 + guard.closing_us(first));
}

double slack_of_second(const Costs& costs, const GuardCosts& guard, double bytes, double first,
                       double compute_ns_per_byte) {
  const double rest = bytes - first, gap = 1e-3 * costs.gap_ns_per_byte;
  return gap * first + 1e-3 * compute_ns_per_byte * first -
         (gap * rest + guard.fault_us / 2 + guard.closing_us(rest));
}

// Both are linear in the first strip.
std::size_t least_first_strip(const Costs& costs, const GuardCosts& guard, std::size_t bytes,
                              double compute_ns_per_byte) {
  const auto size = static_cast<double>(bytes);
  const double by_first = 1e-3 * (costs.gap_ns_per_byte - guard.close_ns_per_byte);
  const double by_second = 1e-3 * (2 * costs.gap_ns_per_byte + compute_ns_per_byte + guard.close_ns_per_byte);
  const double lacks_first = -slack_of_first(costs, guard, size, 0);
  const double lacks_second = -slack_of_second(costs, guard, size, 0, compute_ns_per_byte);
  if ((lacks_first > 0 && by_first <= 0) || by_second <= 0) return never;
  const double least =
      std::max({lacks_first > 0 ? lacks_first / by_first : 0, lacks_second / by_second, 1.0});
  const std::size_t strip = pages_up(least);
  return strip + page <= bytes ? strip : never;
}

double saved_whole_us(const Costs& costs, const GuardCosts& guard, std::size_t bytes,
                      const Circumstances& in) {
  const Account a(costs, guard, bytes, in);
  if (a.rest <= 0) return -guard.fault_us;
  const auto size = static_cast<double>(bytes);
  double taken = 0;
  if (!in.spare_core) {
    taken = costs.receive_overhead_us + a.handling * a.rest + (in.same_node ? costs.send_overhead_us : 0) +
            a.sending * a.rest + waking_us(costs, guard, a.gap * a.rest);
  }
  const double computed = a.header + guard.closing_us(size) + a.compute * size + taken;
  const double landed = a.header + costs.overhead_us() + a.gap * a.rest;
  return a.plain - std::max(computed, landed) - guard.fault_us - guard.opening_us(a.rest);
}

double saved_in_strips_us(const Costs& costs, const GuardCosts& guard, std::size_t bytes,
                          const Circumstances& in) {
  const Account a(costs, guard, bytes, in);
  if (a.rest <= 0) return -guard.fault_us;
  const auto size = static_cast<double>(bytes), begins = static_cast<double>(header_begins);
  const double first = std::min(static_cast<double>(chosen_first(costs, guard, bytes)), a.rest);
  const double last = std::min(static_cast<double>(largest_strip), a.rest);
  const double each = costs.receive_overhead_us + guard.open_us, strips = a.rest / largest_strip;
  // Strips come no faster than the helper can handle them.
  const double flow = std::max(a.gap, each / largest_strip + a.handling);
  const double taken = in.spare_core
                           ? 0
                           : each * strips + a.handling * a.rest +
                                 (in.same_node ? costs.send_overhead_us * strips : 0) + a.sending * a.rest;
  const double returned = a.header + guard.closing_us(size);
  const double begun = std::max(returned + a.compute * begins, a.header + costs.overhead_us() + flow * first);
  const double computed = begun + guard.fault_us + a.compute * (size - begins) + taken;
  const double landed = a.header + costs.overhead_us() + flow * a.rest + guard.fault_us + a.compute * last;
  return a.plain - std::max(computed, landed);
}

Thresholds thresholds_of(const Costs& costs, const GuardCosts& guard, const Circumstances& in) {
  Thresholds t;
  if (costs.gap_ns_per_byte <= 0 || !guard.measured()) return t;
  const double compute = in.compute_ns_per_byte > 0 ? in.compute_ns_per_byte : costs.gap_ns_per_byte;
  const auto enough = [&](double saved, std::size_t bytes) {
    return saved > in.least_gain * Account(costs, guard, bytes, in).plain;
  };
  t.strip = least_from([&](std::size_t bytes) {
    return least_first_strip(costs, guard, bytes, compute) != never &&
           enough(saved_in_strips_us(costs, guard, bytes, in), bytes);
  });
  const std::size_t whole =
      least_from([&](std::size_t bytes) { return enough(saved_whole_us(costs, guard, bytes, in), bytes); });
  t.guard = std::min(whole, t.strip);
  if (t.strip != never) t.first = chosen_first(costs, guard, t.strip);
  return t;
}

}  // namespace lapwing::machine
