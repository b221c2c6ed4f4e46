// SPDX-License-Identifier: Apache-2.0
#include "transfer/hints/hints.hpp"

namespace lapwing::transfer {
namespace {

std::string size_text(std::uint32_t bytes) {
  const bool even = bytes % 1024 == 0;
  return std::to_string(even ? bytes / 1024 : bytes) + (even ? "K" : "");
}

}  // namespace

Hints Hints::over(const Hints& weaker) const {
  Hints all = *this;
  if (!all.order) all.order = weaker.order;
  if (all.first == 0) all.first = weaker.first;
  if (all.largest == 0) all.largest = weaker.largest;
  if (all.train == 0) all.train = weaker.train;
  return all;
}

std::string Hints::text() const {
  std::string out;
  const auto add = [&](const char* key, const std::string& value) {
    out += (out.empty() ? "" : " ") + std::string(key) + "=" + value;
  };
  if (order) add("order", *order == Direction::down ? "down" : "up");
  if (first != 0) add("first", size_text(first));
  if (largest != 0) add("max", size_text(largest));
  if (train != 0) add("train", std::to_string(train));
  return out;
}

Hints& hints_of_this_thread() {
  static thread_local Hints hints;
  return hints;
}

}  // namespace lapwing::transfer
