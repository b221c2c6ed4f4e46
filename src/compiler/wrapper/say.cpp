// SPDX-License-Identifier: Apache-2.0
#include "say.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace lapwing::wrapper {

namespace {

std::string name = "lwcc";
bool silent = false;

/// Insertions, deletions and replacements that make `b` of `a`.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string listed(const std::vector<std::string>& words, const char* last) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) all += i + 1 == words.size() ? last : ", ";
    all += words[i];
  }
  return all;
}

}  // namespace

void call_me(const std::string& called) { name = called; }

const std::string& my_name() { return name; }

void say(const std::string& sentence) {
  if (!silent) std::fprintf(stderr, "%s: %s\n", name.c_str(), sentence.c_str());
}

void say_no_more() { silent = true; }

std::string meant(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edits(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best.empty() ? "." : "; did you mean " + best + "?";
}

std::string one_of(const std::vector<std::string>& words) { return listed(words, " or "); }

std::string all_of(const std::vector<std::string>& words) { return listed(words, " and "); }

}  // namespace lapwing::wrapper
