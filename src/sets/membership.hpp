// SPDX-License-Identifier: Apache-2.0
// Which ranks of a communicator belong to a set, as bits: ten thousand ranks
// take 1.2 KiB.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lapwing::sets {

class Membership {
 public:
  Membership() = default;
  /// Of `ranks` processes, all or none.
  Membership(int ranks, bool all) : ranks_(ranks), words_((static_cast<std::size_t>(ranks) + 63) / 64) {
    if (!all) return;
    for (int r = 0; r < ranks; ++r) add(r);
  }

  int ranks() const { return ranks_; }
  bool has(int rank) const {
    return rank >= 0 && rank < ranks_ && (words_[word(rank)] >> (rank & 63) & 1) != 0;
  }
  void add(int rank) {
    const std::uint64_t bit = std::uint64_t{1} << (rank & 63);
    if ((words_[word(rank)] & bit) == 0) ++count_;
    words_[word(rank)] |= bit;
  }
  int count() const { return count_; }
  bool full() const { return count_ == ranks_; }

  /// How many members have a lower rank: a member's number within the set.
  int position(int rank) const {
    int below = 0;
    for (std::size_t w = 0; w < word(rank); ++w) below += std::popcount(words_[w]);
    const std::uint64_t lower = (std::uint64_t{1} << (rank & 63)) - 1;
    return below + std::popcount(words_[word(rank)] & lower);
  }

  /// The rank of the member with this number.
  int rank(int position) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      const int here = std::popcount(words_[w]);
      if (position >= here) {
        position -= here;
        continue;
      }
      std::uint64_t bits = words_[w];
      while (position-- > 0) bits &= bits - 1;
      return static_cast<int>(w * 64) + std::countr_zero(bits);
    }
    return -1;
  }

  std::vector<int> members() const {
    std::vector<int> all;
    all.reserve(static_cast<std::size_t>(count_));
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t bits = words_[w]; bits; bits &= bits - 1)
        all.push_back(static_cast<int>(w * 64) + std::countr_zero(bits));
    }
    return all;
  }

  Membership operator|(const Membership& other) const {
    return combined(other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  }
  Membership operator&(const Membership& other) const {
    return combined(other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
  }
  bool operator==(const Membership& other) const = default;

  /// Equal on all processes; part of what goes over the wire.
  std::uint64_t hash() const {
    std::uint64_t h = 0x9e3779b97f4a7c15u + static_cast<unsigned>(ranks_);
    for (const std::uint64_t w : words_) {
      h = (h ^ w) * 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
    return h;
  }

 private:
  static std::size_t word(int rank) { return static_cast<std::size_t>(rank) / 64; }
  template <typename F>
  Membership combined(const Membership& other, F f) const {
    Membership result(ranks_, false);
    for (std::size_t w = 0; w < words_.size(); ++w) {
      result.words_[w] = f(words_[w], other.words_[w]);
      result.count_ += std::popcount(result.words_[w]);
    }
    return result;
  }

  int ranks_ = 0, count_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace lapwing::sets
