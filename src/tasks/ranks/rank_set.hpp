// SPDX-License-Identifier: Apache-2.0
// A set of ranks: one word for most machines, more where there are more ranks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lapwing::tasks::ranks {

class RankSet {
 public:
  bool has(int rank) const {
    if (rank < 64) return (first_ >> rank & 1) != 0;
    const auto word = static_cast<std::size_t>(rank) / 64 - 1;
    return word < more_.size() && (more_[word] >> (rank % 64) & 1) != 0;
  }
  void add(int rank) {
    if (rank < 64) {
      first_ |= std::uint64_t{1} << rank;
      return;
    }
    const auto word = static_cast<std::size_t>(rank) / 64 - 1;
    if (word >= more_.size()) more_.resize(word + 1);
    more_[word] |= std::uint64_t{1} << (rank % 64);
  }
  void clear() {
    first_ = 0;
    more_.clear();
  }
  int size() const {
    int bits = std::popcount(first_);
    for (const auto word : more_) bits += std::popcount(word);
    return bits;
  }

 private:
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace lapwing::tasks::ranks
