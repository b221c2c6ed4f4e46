// SPDX-License-Identifier: Apache-2.0
// The automaton of one leg, and the trees.
#include <gtest/gtest.h>

#include <set>

#include "sets/declared/leg.hpp"
#include "sets/declared/tree.hpp"

namespace lapwing::sets::declared {
namespace {

constexpr State states[] = {State::declared, State::asked,  State::ready, State::announced,
                            State::moving,   State::landed, State::done};
constexpr Event events[] = {Event::memory, Event::partner, Event::finished, Event::taken};

TEST(Leg, AllOrdersOfItsEventsEndAndNoOthers) {
  struct Way {
    bool outgoing;
    Event order[3];
  };
  for (const Way& way : {Way{true, {Event::memory, Event::partner, Event::finished}},
                         Way{true, {Event::partner, Event::memory, Event::finished}},
                         Way{false, {Event::memory, Event::finished, Event::taken}}}) {
    State state = State::declared;
    for (const Event event : way.order) {
      ASSERT_TRUE(next(way.outgoing, state, event));
      state = *next(way.outgoing, state, event);
    }
    EXPECT_EQ(state, State::done);
  }
  // Bytes move only once both sides are ready, and nothing happens twice.
  EXPECT_FALSE(next(true, State::declared, Event::finished));
  EXPECT_FALSE(next(true, State::ready, Event::memory));
  EXPECT_FALSE(next(true, State::asked, Event::partner));
  EXPECT_FALSE(next(false, State::declared, Event::finished));
  for (const bool outgoing : {false, true}) {
    int known = 0;
    for (const State state : states)
      for (const Event event : events) known += next(outgoing, state, event).has_value();
    EXPECT_EQ(known, outgoing ? 5 : 3);
    for (const Event event : events) EXPECT_FALSE(next(outgoing, State::done, event));
  }
}

TEST(Tree, ReachesAllOnceFromAnyRoot) {
  for (const int size : {1, 2, 3, 4, 5, 7, 8, 16, 33}) {
    for (int root = 0; root < size; ++root) {
      std::set<int> reached{root};
      EXPECT_EQ(tree(root, size, root).parent, -1);
      for (int rank = 0; rank < size; ++rank) {
        for (const int child : tree(rank, size, root).children) {
          EXPECT_TRUE(reached.insert(child).second);
          EXPECT_EQ(tree(child, size, root).parent, rank);
        }
      }
      EXPECT_EQ(reached.size(), static_cast<std::size_t>(size));
    }
  }
}

// Combining the children in their order combines contiguous ranks.
TEST(Tree, SubtreesAreContiguous) {
  const int size = 23, root = 5;
  for (int rank = 0; rank < size; ++rank) {
    int expected = (rank - root + size) % size + 1;
    for (const int child : tree(rank, size, root).children) {
      EXPECT_EQ((child - root + size) % size, expected);
      int below = 0;
      for (std::vector<int> open{child}; !open.empty();) {
        const int next = open.back();
        open.pop_back();
        ++below;
        for (const int c : tree(next, size, root).children) open.push_back(c);
      }
      expected += below;
    }
  }
}

}  // namespace
}  // namespace lapwing::sets::declared
