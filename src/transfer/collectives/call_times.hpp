// SPDX-License-Identifier: Apache-2.0
// One member's view of the calls of one kind on one communicator: the loop in which
// they stand, how long its iterations take, and how much of them deferring could hide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lapwing::transfer {

/// Times in nanoseconds. The caller sees to it that one thread calls at a time.
class CallTimes {
 public:
  /// A call begins at `site` that brings `bytes` from others.
  void begin(const void* site, std::size_t bytes, std::uint64_t now);
  /// The call that has begun goes the plain way, and deferring it would have saved so much.
  void went_plainly(std::uint64_t saved) { call(0).saved = saved; }

  /// The fewest calls after which the sequence repeats itself, or 0.
  std::size_t period() const;
  /// The call that has begun is the first that goes another way.
  void changed() { changed_ = calls_ - 1; }

  /// The median time of the last `count` iterations of `period` calls since the last change;
  /// 0 where there are fewer.
  std::uint64_t iteration(std::size_t period, std::size_t count) const;
  /// Of the last iterations, three at most, the share that deferring could hide.
  double share(std::size_t period) const;

 private:
  static constexpr std::size_t noted = 128, longest = 32, most = 3;
  struct Call {
    const void* site = nullptr;
    std::size_t bytes = 0;
    std::uint64_t begun = 0, saved = 0;
  };

  /// The call so many calls ago; 0: the one that has begun.
  Call& call(std::size_t ago) { return kept_[(calls_ - ago) % noted]; }
  const Call& call(std::size_t ago) const { return kept_[(calls_ - ago) % noted]; }
  bool repeats(std::size_t period) const;
  std::size_t whole_iterations(std::size_t period) const;

  std::array<Call, noted> kept_{};
  std::size_t calls_ = 0, changed_ = 0;
};

}  // namespace lapwing::transfer
