// SPDX-License-Identifier: Apache-2.0
#include "sets/graphs.hpp"

#include <algorithm>

namespace model {

namespace {
constexpr int most_blocks = 40;
}

int Function::add() {
  blocks_.emplace_back();
  return static_cast<int>(blocks_.size()) - 1;
}

Function::Function(Random& random, int functions, bool is_structured) {
  if (is_structured) {
    structured(random);
  } else {
    unstructured(random);
  }
  for (Block& b : blocks_) {
    std::sort(b.next.begin(), b.next.end());
    b.next.erase(std::unique(b.next.begin(), b.next.end()), b.next.end());
    std::shuffle(b.next.begin(), b.next.end(), random);
  }
  fill(random, functions);
  connect_all_to_an_end();
  find_post_dominators();
  sites_.resize(blocks_.size());
  merge_.resize(blocks_.size());
  splits_.resize(blocks_.size());
  insert();
}

// Statements from the last to the first, so that each knows what follows it.
// `loops` holds where break and continue lead, innermost last.
int Function::build(Random& random, int depth, int follow, std::vector<int>& loops) {
  const int statements = 1 + below(random, 3);
  for (int s = 0; s < statements && static_cast<int>(blocks_.size()) < most_blocks; ++s) {
    const int kind = below(random, depth > 0 ? 10 : 4);
    const int at = add();
    auto& next = [&]() -> std::vector<int>& { return blocks_[static_cast<std::size_t>(at)].next; }();
    (void)next;
    std::vector<int> to;
    if (kind < 3 || (kind == 3 && loops.empty())) {
      to = {follow};
    } else if (kind == 3) {  // if (x) break, continue, or goto out of several loops
      to = {follow, loops[static_cast<std::size_t>(below(random, static_cast<int>(loops.size())))]};
    } else if (kind == 4) {  // if (x) return
      const int end = add();
      to = {follow, end};
    } else if (kind < 7) {  // if, else
      to = {build(random, depth - 1, follow, loops),
            random() & 1 ? follow : build(random, depth - 1, follow, loops)};
    } else if (kind < 9) {  // a loop whose head is `at`
      loops.push_back(follow);
      loops.push_back(at);
      to = {follow, build(random, depth - 1, at, loops)};
      loops.resize(loops.size() - 2);
    } else {  // switch, with fall-through
      int case_follow = follow;
      loops.push_back(follow);
      for (int c = 2 + below(random, 3); c > 0; --c) {
        const int here = build(random, depth - 1, random() % 3 ? follow : case_follow, loops);
        to.push_back(here);
        case_follow = here;
      }
      loops.pop_back();
      if (random() & 1) to.push_back(follow);
    }
    blocks_[static_cast<std::size_t>(at)].next = to;
    follow = at;
  }
  return follow;
}

void Function::structured(Random& random) {
  add();  // the entry
  const int end = add();
  std::vector<int> loops;
  const int first = build(random, 3, end, loops);
  blocks_[0].next = {first};
}

// Jumps anywhere; loops with several entries may result.
void Function::unstructured(Random& random) {
  const int count = 3 + below(random, 14);
  for (int b = 0; b < count; ++b) add();
  for (int b = 0; b + 1 < count; ++b) {
    auto& next = blocks_[static_cast<std::size_t>(b)].next;
    if (below(random, 12) == 0 && b > 0) continue;
    const int ways = 1 + (below(random, 2) ? below(random, 4) : 0);
    for (int w = 0; w < ways; ++w) {
      const bool back = below(random, 5) == 0;
      next.push_back(back ? 1 + below(random, count - 1) : b + 1 + below(random, std::min(4, count - b - 1)));
    }
  }
}

void Function::fill(Random& random, int functions) {
  for (Block& b : blocks_) {
    const int kind = below(random, 8);
    if (kind < 3) b.kind = Block::collective;
    if (kind == 3 && functions > 0) {
      b.kind = Block::call;
      b.callee = below(random, functions);
    }
  }
}

void Function::connect_all_to_an_end() {
  std::vector<int> distance(blocks_.size(), -1);
  for (;;) {
    bool changed = false;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Block& block = blocks_[b];
      int best = block.next.empty() ? 0 : -1;
      for (std::size_t w = 0; w < block.next.size(); ++w) {
        const int d = distance[static_cast<std::size_t>(block.next[w])];
        if (d < 0 || (best >= 0 && d + 1 >= best)) continue;
        best = d + 1;
        block.way_out = static_cast<int>(w);
      }
      if (best >= 0 && (distance[b] < 0 || best < distance[b])) {
        distance[b] = best;
        changed = true;
      }
    }
    if (changed) continue;
    const auto lost = std::find(distance.begin(), distance.end(), -1);
    if (lost == distance.end()) return;
    // A loop without an exit is given one.
    blocks_[static_cast<std::size_t>(lost - distance.begin())].next.push_back(
        static_cast<int>(blocks_.size()) - 1);
    blocks_.back().next.clear();
  }
}

void Function::find_post_dominators() {
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    blocks_[b].after = blocks_[b].next.empty() ? std::uint64_t{1} << b : ~std::uint64_t{0};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks_.size(); b-- > 0;) {
      if (blocks_[b].next.empty()) continue;
      std::uint64_t common = ~std::uint64_t{0};
      for (const int n : blocks_[b].next) common &= block(n).after;
      common |= std::uint64_t{1} << b;
      changed |= common != blocks_[b].after;
      blocks_[b].after = common;
    }
  }
}

int Function::closest(std::uint64_t common) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if ((common >> b & 1) && blocks_[b].after == common) return static_cast<int>(b);
  }
  return -1;
}

bool Function::communicates(int from, int meeting) const {
  std::vector<bool> seen(blocks_.size());
  std::vector<int> open(block(from).next);
  while (!open.empty()) {
    const int b = open.back();
    open.pop_back();
    if (b == meeting || seen[static_cast<std::size_t>(b)]) continue;
    seen[static_cast<std::size_t>(b)] = true;
    if (block(b).kind != Block::nothing) return true;
    open.insert(open.end(), block(b).next.begin(), block(b).next.end());
  }
  return false;
}

// The definition: blocks but the closest post-dominator that post-dominate at
// least two of the successors, with those; and the closest one, with all.
void Function::insert() {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<int>& next = blocks_[b].next;
    if (next.size() < 2) continue;
    std::uint64_t common = ~std::uint64_t{0};
    for (const int n : next) common &= block(n).after;
    const int meeting = closest(common);
    if (!communicates(static_cast<int>(b), meeting)) continue;
    auto split = std::make_unique<Split>();
    std::vector<int> at;
    for (std::size_t j = 0; j < blocks_.size(); ++j) {
      unsigned long long mask = 0;
      for (std::size_t w = 0; w < next.size(); ++w) mask |= (block(next[w]).after >> j & 1ull) << w;
      const unsigned long long all = (1ull << next.size()) - 1;
      if (mask == all || (mask & (mask - 1)) == 0) continue;
      at.push_back(static_cast<int>(j));
      split->masks.push_back(mask);
    }
    at.push_back(meeting);
    split->masks.push_back((1ull << next.size()) - 1);
    for (std::size_t m = 0; m < at.size(); ++m) {
      const lapwing_merge_site* site = at[m] < 0 ? nullptr : &sites_[static_cast<std::size_t>(at[m])];
      split->merges.push_back({site, &split->masks[m]});
      if (at[m] >= 0) merge_[static_cast<std::size_t>(at[m])] = true;
    }
    split->site = {{"model", "f", static_cast<int>(b)},
                   static_cast<int>(next.size()),
                   static_cast<int>(split->merges.size()),
                   split->merges.data()};
    splits_[b] = std::move(split);
  }
}

}  // namespace model
