// SPDX-License-Identifier: Apache-2.0
// What stays on this process: copied without MPI and without a buffer, all at once
// or, beside what comes from others, little by little: pieces that are interleaved
// in memory then write to the same lines while these are in a cache.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "arrays/schedules/kept_move.hpp"
#include "arrays/schedules/part.hpp"
#include "arrays/transfers/steps.hpp"

namespace lapwing::arrays {

class OwnCopies {
 public:
  explicit OwnCopies(StepTimes& steps) : steps_(steps) {}

  void add(const Part& from, const Part& to);
  /// Small ones that are copied again and again: remembers where to.
  void prepare();
  void start() { part_ = 0, from_ = 0, copied_ = 0; }
  /// One strip; false if there is none left.
  bool step();
  void all();
  bool done() const { return part_ == copies_.size(); }
  void landed(std::vector<Landed>* out) const;
  /// The share that has been copied.
  double copied() const {
    return total_ > 0 ? static_cast<double>(copied_) / static_cast<double>(total_) : 1;
  }

 private:
  static constexpr std::int64_t strip_size = 128 << 10;

  StepTimes& steps_;
  std::vector<std::pair<Part, Part>> copies_;
  std::vector<KeptMove> kept_;  // parallel, where they are prepared
  std::size_t part_ = 0;
  std::int64_t from_ = 0, copied_ = 0, total_ = 0;
};

}  // namespace lapwing::arrays
