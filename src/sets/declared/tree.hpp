// SPDX-License-Identifier: Apache-2.0
// Whom a process meets in a declared broadcast or reduction: a binomial tree.
#pragma once

#include <vector>

namespace lapwing::sets::declared {

struct Neighbours {
  int parent = -1;
  std::vector<int> children;  ///< nearest first; child i stands for the ranks up to the next one
};

/// Of `rank` among `size` with the tree's root at `root`. Relative to the root,
/// a subtree is a contiguous piece of ranks, which combining in order needs.
inline Neighbours tree(int rank, int size, int root) {
  Neighbours result;
  const int relative = (rank - root + size) % size;
  for (int distance = 1; distance < size; distance <<= 1) {
    if (relative & distance) {
      result.parent = (relative - distance + root) % size;
      break;
    }
    if (relative + distance < size) result.children.push_back((relative + distance + root) % size);
  }
  return result;
}

}  // namespace lapwing::sets::declared
