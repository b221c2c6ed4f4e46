// SPDX-License-Identifier: Apache-2.0
// Whether the gets of one call site are deferred. Two things are compared, plainly and deferred: how long the
// program stands still for the bytes, in calls of MPI's and at closed pages, and how long it takes from one
// get to the next. Either may show the gain alone: the latter where the program also computes faster with
// what has just arrived, for it is in the cache. A get needs no agreement: its target is not asked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lapwing::transfer {

/// States: *watching* plain gets; *trying* some deferred ones; *deferring*, where that has paid, until it is
/// time to watch again; *resting*, where it has not, longer each time. Knows no clock: callers measure.
class AccessTrial {
 public:
  enum class State : std::uint8_t { watching, trying, deferring, resting };

  /// How the next get from this site goes, at this moment in nanoseconds. The caller reports it, by one of
  /// the next two.
  bool defers(std::uint64_t now);
  /// The program has stood still for so many nanoseconds for a get of so many bytes.
  void went_plainly(std::size_t bytes, std::uint64_t exposed);
  void was_deferred(std::size_t bytes, std::uint64_t exposed);

  AccessTrial() = default;
  AccessTrial(const AccessTrial&) = delete;
  AccessTrial& operator=(const AccessTrial&) = delete;

  State state() const { return state_; }

  static constexpr unsigned sample = 4;             ///< gets that are compared with each other
  static constexpr unsigned longest_stretch = 256;  ///< of deferred gets, before plain ones are watched again
  static constexpr unsigned first_rest = 64, longest_rest = 4096;
  static constexpr std::uint64_t least_wait =
      50'000;  ///< of a plain get: less is not worth closing pages for

 private:
  /// Of the gets of one kind.
  struct Sum {
    std::uint64_t bytes = 0, exposed = 0, between = 0;
    unsigned gets = 0, periods = 0;
    double exposed_per_byte() const { return static_cast<double>(exposed) / static_cast<double>(bytes); }
    double period() const { return static_cast<double>(between) / periods; }
    void add(std::size_t more, std::uint64_t time) {
      bytes += more;
      exposed += time;
      ++gets;
    }
  };

  void add_period(std::uint64_t now);
  bool shortens_period() const;
  void watch();
  void rest();

  State state_ = State::watching;
  unsigned left_ = 0;  ///< gets in this state
  unsigned rest_ = first_rest;
  Sum plain_, deferred_;
  std::uint64_t last_ = 0;      ///< when the last get began
  Sum* last_counts_ = nullptr;  ///< for which of the two the time until the next get counts
};

}  // namespace lapwing::transfer
