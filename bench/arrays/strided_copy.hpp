// SPDX-License-Identifier: Apache-2.0
// What this machine takes to fill a process' part by runs as long as those that two
// layouts have in common, out of the process' own memory, each byte once and column
// by column: nothing crosses, nothing is packed, and lines are never met twice.
#pragma once

#include <cstring>
#include <vector>

#include "arrays/pdgemr2d.hpp"

namespace lapwing::bench {

class StridedCopy {
 public:
  StridedCopy(const Layout& from, const Layout& to, int n, int rank)
      : rows_(to.local_rows(n, rank)),
        columns_(to.local_columns(n, rank)),
        parts_(static_cast<std::size_t>(from.rows)) {
    from_rows_ = from.local_rows(n, rank);
    from_columns_ = from.local_columns(n, rank);
    const auto global = [&](int i) { return (i / to.mb * to.rows + rank / to.columns) * to.mb + i % to.mb; };
    for (int i = 0; i < rows_;) {
      const int row = global(i), process = row / from.mb % from.rows;
      int there = row / (from.mb * from.rows) * from.mb + row % from.mb;
      int length = 1;
      while (i + length < rows_ && global(i + length) == row + length && (row + length) % from.mb != 0)
        ++length;
      // Other processes may have a few rows more than this one.
      if (there + length > from_rows_) there = from_rows_ > length ? from_rows_ - length : 0;
      if (length <= from_rows_) parts_[static_cast<std::size_t>(process)].push_back({i, there, length});
      if (length_ == 0) length_ = length;
      even_ = even_ && length == length_;
      i += length;
    }
  }

  void copy(const double* a, double* b) const {
    if (from_columns_ == 0) return;
    for (int column = 0; column < columns_; ++column) {
      double* to = b + static_cast<std::ptrdiff_t>(column) * rows_;
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        const auto there =
            (static_cast<std::size_t>(column) * parts_.size() + p) % static_cast<std::size_t>(from_columns_);
        const double* from = a + static_cast<std::ptrdiff_t>(there) * from_rows_;
        if (even_ && length_ == 1)
          runs<1>(parts_[p], from, to);
        else if (even_ && length_ == 4)
          runs<4>(parts_[p], from, to);
        else
          for (const Run& run : parts_[p])
            std::memcpy(to + run.to, from + run.from, static_cast<std::size_t>(run.length) * sizeof(double));
      }
    }
  }

 private:
  struct Run {
    int to, from, length;
  };
  template <int length>
  static void runs(const std::vector<Run>& part, const double* from, double* to) {
    for (const Run& run : part) std::memcpy(to + run.to, from + run.from, length * sizeof(double));
  }

  int rows_, columns_, from_rows_ = 0, from_columns_ = 0, length_ = 0;
  bool even_ = true;
  std::vector<std::vector<Run>> parts_;  ///< by the process row that they come from
};

}  // namespace lapwing::bench
