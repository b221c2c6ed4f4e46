// SPDX-License-Identifier: Apache-2.0
// The shared counts of messages: many communicators and partners, none of them missed; a full table says so.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <unordered_map>

#include "sets/run/message_counts.hpp"

namespace {

using lapwing::sets::MessageCounts;
using Shared = MessageCounts::Shared;

std::unique_ptr<Shared> zeros() { return std::make_unique<Shared>(); }

std::uint64_t sent_to(const Shared& shared, std::uint64_t comm, unsigned place, int tag) {
  bool known = false;
  const MessageCounts::Block* const block = MessageCounts::find(shared, comm, place, &known);
  return block ? block->sent[MessageCounts::column_of(tag)].load() : known ? 0 : ~std::uint64_t{0};
}

TEST(MessageCounts, AHundredCommunicatorsOfSixtyFourRanksHaveRoom) {
  const auto shared = zeros();
  MessageCounts counts(*shared);
  std::mt19937_64 random(1);
  std::unordered_map<std::uint64_t, MessageCounts::Block*> seen;
  for (std::uint64_t comm = 1; comm <= 100; ++comm) {
    const std::uint64_t id = random() | 1;
    for (unsigned place = 0; place < 64; ++place) {
      MessageCounts::Block* const block = counts.block(id, place);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(counts.block(id, place), block);
      MessageCounts::add(block->sent[3], comm * 64 + place);
      seen.emplace(id * 64 + place, block);
      EXPECT_EQ(sent_to(*shared, id, place, 3), comm * 64 + place);
    }
    EXPECT_EQ(sent_to(*shared, id ^ 0x5555, 1, 3), 0u) << "nothing was sent, and that is known";
  }
  EXPECT_EQ(seen.size(), 6400u);
}

TEST(MessageCounts, SmallTagsDoNotShareAColumn) {
  for (int a = 0; a < static_cast<int>(MessageCounts::columns_of_one_tag); ++a)
    for (int b = 0; b < 100; ++b)
      EXPECT_EQ(MessageCounts::column_of(a) == MessageCounts::column_of(b), a == b);
  EXPECT_LT(MessageCounts::column_of(32767), MessageCounts::columns);
}

TEST(MessageCounts, AFullTableClaimsNothingOfWhatIsMissing) {
  const auto shared = zeros();
  MessageCounts counts(*shared);
  std::mt19937_64 random(2);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < MessageCounts::most_blocks; ++i) {
    const std::uint64_t id = random() | 1;
    if (i == 0) first = id;
    MessageCounts::Block* const block = counts.block(id, 0);
    ASSERT_NE(block, nullptr);
    MessageCounts::add(block->sent[0], 7);
  }
  EXPECT_EQ(counts.block(12345, 0), nullptr);
  EXPECT_EQ(sent_to(*shared, 12345, 0, 0), ~std::uint64_t{0});
  EXPECT_EQ(sent_to(*shared, first, 0, 0), 7u) << "what had room is still known";
}

TEST(MessageCounts, BlocksOfFreedCommunicatorsAreUsedAgain) {
  const auto shared = zeros();
  MessageCounts counts(*shared);
  std::mt19937_64 random(3);
  const std::uint64_t kept = random() | 1;
  MessageCounts::add(counts.block(kept, 5)->sent[1], 9);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < 3 * MessageCounts::most_blocks; ++i) {
    if (last != 0) {
      // A process that still waits for messages of the freed one must not be told that there are none.
      EXPECT_NE(sent_to(*shared, last, 0, 2), 0u);
      counts.freed(last);
    }
    last = random() | 1;
    MessageCounts::Block* const block = counts.block(last, 0);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->sent[2].load(), 0u);
    MessageCounts::add(block->sent[2]);
    MessageCounts::add(block->begun_any);
  }
  EXPECT_EQ(sent_to(*shared, kept, 5, 1), 9u);
}

}  // namespace
