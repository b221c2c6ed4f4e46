// SPDX-License-Identifier: Apache-2.0
// Memberships, the stack of splits, and what votes cost, without MPI.
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "sets/open_splits.hpp"
#include "sets/votes/votes.hpp"

namespace {

using namespace lapwing::sets;

TEST(Membership, CountsRanksBothWays) {
  Membership some(200, false);
  for (const int r : {3, 64, 65, 127, 128, 199}) some.add(r);
  some.add(64);
  EXPECT_EQ(some.count(), 6);
  EXPECT_EQ(some.position(128), 4);
  for (int p = 0; p < 6; ++p) EXPECT_EQ(some.position(some.rank(p)), p);
  EXPECT_EQ(some.rank(6), -1);
  EXPECT_FALSE(some.has(-1) || some.has(200) || some.has(4));
  Membership other(200, false);
  other.add(65);
  other.add(66);
  EXPECT_EQ((some & other).members(), std::vector<int>{65});
  EXPECT_EQ((some | other).count(), 7);
  EXPECT_NE(some.hash(), other.hash());
  EXPECT_TRUE(Membership(200, true).full());
}

TEST(Membership, BitsAreAppendedAtAnyPlace) {
  std::vector<std::uint64_t> to;
  std::size_t length = 0;
  const std::uint64_t from[2] = {0x123456789abcdef0u, 0xfedcba9876543210u};
  append_bits(to, &length, from, 0, 61);
  append_bits(to, &length, from, 4, 100);
  append_bits(to, &length, from, 63, 3);
  EXPECT_EQ(length, 164u);
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t at = i < 61 ? i : i < 161 ? i - 61 + 4 : i - 161 + 63;
    EXPECT_EQ(to[i / 64] >> (i % 64) & 1, from[at / 64] >> (at % 64) & 1) << i;
  }
}

// A loop that a process leaves after very many rounds is one level.
TEST(Stack, LoopsDoNotGrowIt) {
  SetTable table(2, 0);
  Stack stack(table.all());
  lapwing_merge_site after{{"x.c", "f", 9}};
  const unsigned long long all = 3;
  const lapwing_split_merge merge{&after, &all};
  const lapwing_split_site exit{{"x.c", "f", 5}, 2, 1, &merge}, leave{{"x.c", "f", 7}, 2, 1, &merge};
  const Frame frame{0, 1};
  for (int i = 0; i < 1000; ++i) {
    stack.split(frame, exit, 0);
    stack.split(frame, leave, 0);
  }
  EXPECT_EQ(stack.depth(), 1u);
  stack.merge(frame, &after);
  EXPECT_FALSE(stack.divided());
  EXPECT_EQ(stack.current().get(), table.all());
}

TEST(Stack, MisuseNamesThePlaces) {
  SetTable table(2, 0);
  Stack stack(table.all());
  const lapwing_place here{"x.c", "f", 3}, there{"y.c", "g", 4};
  auto said = [](auto f) -> std::string {
    try {
      f();
    } catch (const Misuse& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(said([&] { stack.merge_by_hand(here); }).find("x.c:3"), std::string::npos);
  lapwing_merge_site after{{"x.c", "f", 9}};
  const unsigned long long all = 3;
  const lapwing_split_merge merge{&after, &all};
  const lapwing_split_site branch{{"z.c", "h", 5}, 2, 1, &merge};
  stack.split({0, 1}, branch, 0);
  EXPECT_NE(said([&] { stack.merge_by_hand(here); }).find("z.c:5"), std::string::npos);
  stack.split_by_hand({0, 1}, there, 2, 1);
  const std::string hidden = said([&] { stack.merge({0, 1}, &after); });
  EXPECT_NE(hidden.find("y.c:4"), std::string::npos);
  EXPECT_NE(hidden.find("z.c:5"), std::string::npos);
  EXPECT_NE(said([&] { stack.leave({0, 1}); }).find("y.c:4"), std::string::npos);
  stack.merge_by_hand(here);
  stack.merge({0, 1}, &after);
  EXPECT_FALSE(stack.divided());
}

// Up to a thousand processes: a logarithm of messages each, with all votes in
// few bytes, and everybody counts the same.
TEST(Votes, CostALogarithm) {
  for (const int processes : {2, 3, 4, 8, 16, 33, 64, 1000}) {
    std::deque<std::pair<int, std::string>> letters;
    std::vector<int> messages(static_cast<std::size_t>(processes));
    std::size_t bytes = 0;
    std::vector<std::unique_ptr<SetTable>> tables;
    std::vector<std::unique_ptr<Votes>> votes;
    std::vector<BallotRef> ballots;
    for (int p = 0; p < processes; ++p) {
      tables.push_back(std::make_unique<SetTable>(processes, p));
      votes.push_back(std::make_unique<Votes>(
          [&, p](std::uint64_t, const Set&, int to, const void* data, std::size_t size) {
            letters.emplace_back(to, std::string(static_cast<const char*>(data), size));
            ++messages[static_cast<std::size_t>(p)];
            if (p == 0) bytes += size;
          }));
    }
    for (int p = 0; p < processes; ++p) {
      Set* all = tables[static_cast<std::size_t>(p)]->all();
      BallotRef ballot(new Ballot(lapwing_place{"", "", 0}, 3, p % 3, Subset(all)));
      ballot->voters = all;
      ballots.push_back(ballot);
      votes[static_cast<std::size_t>(p)]->start(1, *ballot);
    }
    while (!letters.empty()) {
      auto [to, letter] = std::move(letters.front());
      letters.pop_front();
      votes[static_cast<std::size_t>(to)]->arrived(letter.data(), letter.size());
    }
    int rounds = 0;
    while (1 << rounds < processes) ++rounds;
    for (int p = 0; p < processes; ++p) {
      ASSERT_TRUE(ballots[static_cast<std::size_t>(p)]->complete);
      ASSERT_EQ(messages[static_cast<std::size_t>(p)], rounds);
      for (int q = 0; q < processes; ++q)
        ASSERT_EQ(ballots[static_cast<std::size_t>(p)]->branch_of(q), q % 3);
    }
    EXPECT_LE(bytes, static_cast<std::size_t>(rounds) * (sizeof(Votes::Head) + 1) +
                         static_cast<std::size_t>(processes) * 2 / 8);
  }
}

}  // namespace
