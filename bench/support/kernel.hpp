// SPDX-License-Identifier: Apache-2.0
// The computation that the benchmarks set against a transfer. It reads each
// element of the data once, in order, and folds it into a checksum by a chain
// of dependent operations whose length per element can be chosen finely: no
// vectoriser can shorten it, and no byte can be skipped without being noticed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lapwing::bench {

/// Dependent operations per element, in 1/256ths: neighbouring blocks of
/// elements differ by one operation so that the mean comes out right.
struct Work {
  std::uint32_t steps_q8 = 0;
};

/// Ranges given to the kernel begin and end at multiples of this many bytes.
inline constexpr std::size_t kernel_block = 512;
inline constexpr std::size_t kernel_elements = kernel_block / sizeof(std::uint64_t);

/// Folds bytes [from, to) of `data` into `acc`, ascending. The result depends
/// on the data, the work and the offsets alone, however the range is cut up.
std::uint64_t scan_up(const std::uint64_t* data, std::size_t from, std::size_t to, Work work,
                      std::uint64_t acc);

/// The same, descending from `to` to `from`.
std::uint64_t scan_down(const std::uint64_t* data, std::size_t from, std::size_t to, Work work,
                        std::uint64_t acc);

/// The payload: element i is a hash of i plus `round` times a constant, so that
/// each round's data differ in every element from every other round's.
void fill_payload(std::uint64_t* data, std::size_t bytes, std::uint64_t round);

/// Turns the payload of one round into that of the next, writing every element.
void advance_payload(std::uint64_t* data, std::size_t bytes);

/// What a scan of a payload must give. A scan is an affine function of its data
/// (hence of the round) and of the value that it starts from, so three scans
/// foretell all others.
class Expectation {
 public:
  Expectation() = default;
  Expectation(std::size_t bytes, Work work, bool descending);
  std::uint64_t of(std::uint64_t round, std::uint64_t start = 1) const {
    return first_ + round * per_round_ + (start - 1) * per_start_;
  }

 private:
  std::uint64_t first_ = 0;
  std::uint64_t per_round_ = 0;
  std::uint64_t per_start_ = 0;
};

/// The work with which a scan of `bytes` bytes of `data` takes `seconds`, as
/// near as it can be had; not below the bare scan.
Work calibrate(const std::uint64_t* data, std::size_t bytes, double seconds);

/// Seconds since an arbitrary start, from the monotonic clock.
double now();

}  // namespace lapwing::bench
