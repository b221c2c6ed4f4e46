// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/lending.hpp"

#include <algorithm>

namespace lapwing::tasks::ranks {

void Lending::asks(int rank, int tasks) {
  int& wanted = wanted_[static_cast<std::size_t>(rank)];
  all_wanted_ += tasks - wanted;
  wanted = tasks;
  told_[static_cast<std::size_t>(rank)] = 0;
}

void Lending::refuses(int rank) {
  asks(rank, 0);
  told_[static_cast<std::size_t>(rank)] = 1;  // it knows of this one
}

int Lending::taker() {
  if (all_wanted_ == 0) return -1;
  if (left_ > 0) {
    --left_;
    return -1;
  }
  const int ranks = static_cast<int>(wanted_.size());
  for (int i = 0; i < ranks; ++i) {
    const int rank = (next_ + i) % ranks;
    int& wanted = wanted_[static_cast<std::size_t>(rank)];
    if (wanted == 0) continue;
    --wanted;
    --all_wanted_;
    next_ = (rank + 1) % ranks;
    return rank;
  }
  return -1;
}

int Lending::listener(int self) {
  const int ranks = static_cast<int>(told_.size());
  for (int i = 1; i < ranks; ++i) {
    const int rank = (self + i) % ranks;
    if (told_[static_cast<std::size_t>(rank)] != 0 || wanted_[static_cast<std::size_t>(rank)] != 0) continue;
    told_[static_cast<std::size_t>(rank)] = 1;
    return rank;
  }
  return -1;
}

void Lending::over(double there, double here) {
  constexpr double worth = 2;  // times what it costs
  pause_ = there >= worth * here ? 0 : std::min(most_pause, 2 * pause_ + 1);
  left_ = pause_;
}

}  // namespace lapwing::tasks::ranks
