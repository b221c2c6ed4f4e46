// SPDX-License-Identifier: Apache-2.0
// A ring: every message once, those of one writer in their order, also where it is
// full and where writers are many.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "progress/ring.hpp"
#include "support/case_counts.hpp"

using lapwing::random_cases;

namespace {

using Mailbox = lapwing::progress::Ring<16, (16 << 10) - 16>;
using Board = lapwing::progress::Ring<32, 48>;

// Zeroed, as shared memory is.
template <typename Kind = Mailbox>
struct Box {
  Box() : memory(static_cast<char*>(std::aligned_alloc(64, sizeof(Kind)))) {
    std::memset(memory, 0, sizeof(Kind));
  }
  ~Box() { std::free(memory); }
  Box(const Box&) = delete;
  Kind& operator*() { return *reinterpret_cast<Kind*>(memory); }
  char* memory;
};

TEST(Ring, IsFullAndHasRoomAgain) {
  Box<> box;
  EXPECT_EQ((*box).next(0), nullptr);
  for (std::size_t round = 0, taken = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < Mailbox::letters; ++i) EXPECT_TRUE((*box).put(1, 2, &i, sizeof i));
    EXPECT_FALSE((*box).put(1, 2, &round, sizeof round));
    for (std::size_t i = 0; i < Mailbox::letters; ++i, ++taken) {
      const Mailbox::Letter* const letter = (*box).next(taken);
      ASSERT_NE(letter, nullptr);
      EXPECT_EQ(letter->source, 1);
      EXPECT_EQ(letter->kind, 2);
      EXPECT_EQ(letter->size, sizeof i);
      EXPECT_EQ(std::memcmp(letter->bytes, &i, sizeof i), 0);
      (*box).done(taken + 1);
    }
    EXPECT_EQ((*box).next(taken), nullptr);
  }
}

TEST(Ring, TakesTheLargestAndTheEmptyMessage) {
  Box<> box;
  const std::vector<char> bytes(Mailbox::longest, 'x');
  EXPECT_TRUE((*box).put(0, 1, bytes.data(), bytes.size()));
  EXPECT_FALSE((*box).put(0, 1, bytes.data(), bytes.size() + 1));
  EXPECT_TRUE((*box).put(0, 3, nullptr, 0));
  EXPECT_EQ(std::memcmp((*box).next(0)->bytes, bytes.data(), bytes.size()), 0);
  (*box).done(1);
  EXPECT_EQ((*box).next(1)->kind, 3);
  EXPECT_EQ((*box).next(1)->size, 0U);
}

TEST(Ring, KeepsTheOrderOfEachOfManySenders) {
  constexpr int senders = 3, each = random_cases(20000);
  Box<> box;
  std::vector<std::thread> threads;
  for (int sender = 0; sender < senders; ++sender) {
    threads.emplace_back([&box, sender] {
      for (int i = 0; i < each; ++i) {
        int values[3] = {i, i + sender, ~i};
        while (!(*box).put(sender, i % 7, values, sizeof values)) std::this_thread::yield();
      }
    });
  }
  std::vector<int> next(senders, 0);
  for (std::uint64_t taken = 0; taken < senders * each;) {
    const Mailbox::Letter* const letter = (*box).next(taken);
    if (letter == nullptr) {
      std::this_thread::yield();
      continue;
    }
    int values[3] = {};
    ASSERT_EQ(letter->size, sizeof values);
    std::memcpy(values, letter->bytes, sizeof values);
    int& expected = next[static_cast<std::size_t>(letter->source)];
    EXPECT_EQ(values[0], expected);
    EXPECT_EQ(values[1], expected + letter->source);
    EXPECT_EQ(values[2], ~expected);
    EXPECT_EQ(letter->kind, expected % 7);
    ++expected;
    (*box).done(++taken);
  }
  for (std::thread& thread : threads) thread.join();
}

// The reader says now and then only how far it has come, as that of a board does.
TEST(Ring, HasOneWriterThatLooksSeldom) {
  constexpr std::uint64_t all = random_cases(50'000);
  Box<Board> box;
  std::thread writing([&box] {
    Board::Writer writer{&*box};
    for (std::uint64_t i = 0; i < all; ++i)
      while (!writer.put(static_cast<int>(i % 5), &i, sizeof i)) std::this_thread::yield();
  });
  for (std::uint64_t taken = 0; taken < all;) {
    const Board::Letter* const letter = (*box).next(taken);
    if (letter == nullptr) {
      std::this_thread::yield();
      continue;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, letter->bytes, sizeof value);
    EXPECT_EQ(value, taken);
    EXPECT_EQ(letter->kind, static_cast<int>(taken % 5));
    if (++taken % 8 == 0) (*box).done(taken);
  }
  writing.join();
}

}  // namespace
