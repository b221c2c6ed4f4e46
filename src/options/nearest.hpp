// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?"
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace lapwing::options {

/// The fewest edits that make `b` of `a`: insert, delete, replace a letter, swap
/// two neighbours. Case does not count.
inline std::size_t edits(const std::string& a, const std::string& b) {
  const auto small = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const bool same = small(a[i - 1]) == small(b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && small(a[i - 1]) == small(b[j - 2]) && small(a[i - 2]) == small(b[j - 1])) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

/// The candidate with the fewest edits from `word`; empty if none is near enough
/// to be the one that the user meant.
inline std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    std::size_t distance = edits(word, candidate);
    // The user may have typed the beginning of a longer name.
    if (word.size() >= 4 && candidate.starts_with(word)) distance = std::min<std::size_t>(distance, 2);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/// "; did you mean X?" or `otherwise`.
inline std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates,
                                const char* otherwise = "") {
  const std::string best = nearest(word, candidates);
  return best.empty() ? otherwise : "; did you mean " + best + "?";
}

}  // namespace lapwing::options
