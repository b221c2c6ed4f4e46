// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/balance.hpp"

#include <algorithm>

namespace lapwing::tasks::ranks {

int Central::enabled(std::uint64_t task, int wish, bool placed) {
  const int ranks = static_cast<int>(loads_.size());
  if (placed) {
    if (load(wish) >= target_) {
      pool_.push_back({task, wish, true});
      return -1;
    }
    keep(wish);
    return wish;
  }
  const int least = *std::min_element(loads_.begin(), loads_.end());
  if (least >= target_) {
    pool_.push_back({task, wish});
    return -1;
  }
  int chosen = -1;
  if (locality_ && wish >= 0 && load(wish) == least) {
    chosen = wish;
  } else {
    for (int rank = 0; rank < ranks; ++rank) {
      if (load(rank) == least && (chosen < 0 || since(rank) < since(chosen))) chosen = rank;
    }
  }
  ++loads_[static_cast<std::size_t>(chosen)];
  return chosen;
}

std::optional<Central::Assigned> Central::ended(int rank) {
  int& load = loads_[static_cast<std::size_t>(rank)];
  --load;
  since_[static_cast<std::size_t>(rank)] = ++ends_;
  if (pool_.empty() || load >= target_) return std::nullopt;
  const auto find = [this](auto suits) { return std::find_if(pool_.begin(), pool_.end(), suits); };
  auto chosen = pool_.end();
  if (locality_) chosen = find([rank](const Assigned& a) { return a.wish == rank; });
  if (chosen == pool_.end()) chosen = find([rank](const Assigned& a) { return !a.placed || a.wish == rank; });
  if (chosen == pool_.end()) return std::nullopt;
  const Assigned assigned = *chosen;
  pool_.erase(chosen);
  ++load;
  return assigned;
}

std::uint64_t Ahead::unfinished() const {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < sent_.size(); ++i) all += sent_[i] - ended_[i];
  return all;
}

int Ahead::choose(int wish) {
  // Reports of what has ended come late, so loads are compared roughly.
  constexpr std::uint64_t slack = 64;
  const int ranks = static_cast<int>(sent_.size());
  int least = next_;
  for (int i = 1; i < ranks; ++i) {
    const int other = (next_ + i) % ranks;
    if (load(other) < load(least)) least = other;
  }
  if (locality_ && wish >= 0 && load(wish) <= 4 * load(least) + slack) return wish;
  next_ = (least + 1) % ranks;
  return least;
}

}  // namespace lapwing::tasks::ranks
