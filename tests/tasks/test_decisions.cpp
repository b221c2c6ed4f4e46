// SPDX-License-Identifier: Apache-2.0
// What the ranks decide, without ranks: where objects are, what is broadcast,
// which rank runs a task, and how values travel.
#include <gtest/gtest.h>
#include <lapwing/tasks.hpp>

#include <map>
#include <optional>
#include <random>
#include <variant>

#include "tasks/ranks/arrivals.hpp"
#include "tasks/ranks/balance.hpp"
#include "tasks/ranks/broadcast.hpp"
#include "tasks/ranks/copies.hpp"
#include "tasks/ranks/lending.hpp"
#include "tasks/ranks/modules.hpp"

namespace lapwing::tasks {
namespace {

using namespace ranks;

TEST(RankSet, HoldsRanksBeyondAWord) {
  RankSet set;
  for (const int rank : {0, 63, 64, 1000}) set.add(rank);
  EXPECT_TRUE(set.has(0) && set.has(63) && set.has(64) && set.has(1000));
  EXPECT_FALSE(set.has(1) || set.has(65) || set.has(999) || set.has(100000));
  EXPECT_EQ(set.size(), 4);
  set.clear();
  EXPECT_EQ(set.size(), 0);
}

// Two owners send two versions to all; that of the earlier one is held up.
TEST(Arrivals, AnOlderVersionThatComesLateDoesNotReplaceANewerOne) {
  alignas(64) static char place[sizeof(Object)] = {};
  auto* const object = reinterpret_cast<Object*>(place);
  const auto key = [&](std::uint32_t generation, std::uint32_t version) {
    return ArrivalKey{object, version_key({object, generation}, version)};
  };
  Arrivals arrivals;
  arrivals.keep_newest(key(1, 6), {nullptr, 60});
  arrivals.keep_newest(key(1, 5), {nullptr, 50});
  arrivals.keep_newest(key(1, 6), {nullptr, 61});
  const auto taken = arrivals.take(key(1, 6));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->size, 60u);
  EXPECT_FALSE(arrivals.take(key(1, 5)));

  // The next object in the same place begins with its first version again.
  arrivals.keep_newest(key(2, 0), {nullptr, 20});
  arrivals.keep_newest(key(1, 7), {nullptr, 70});
  // A promised shape stays, whatever comes, and nothing goes for its sake.
  arrivals.keep_newest(key(2, 1 | shape_only), {nullptr, 1});
  arrivals.keep_newest(key(2, 3), {nullptr, 23});
  EXPECT_FALSE(arrivals.take(key(2, 0)));
  EXPECT_TRUE(arrivals.take(key(2, 1 | shape_only)));
  EXPECT_TRUE(arrivals.take(key(2, 3)));
}

TEST(Copies, AReaderGetsTheVersionOnce) {
  Copies copies(2);
  const CopyRules rules;
  const auto move = copies.read(5, rules);
  ASSERT_TRUE(move);
  EXPECT_EQ(move->from, 2);
  EXPECT_EQ(move->to, 5);
  EXPECT_EQ(move->version, 0u);
  EXPECT_FALSE(copies.read(5, rules));
  EXPECT_FALSE(copies.read(2, rules));
  EXPECT_EQ(copies.owner(), 2);
}

TEST(Copies, AWriterOwnsTheNextVersionAlone) {
  Copies copies(0);
  const CopyRules rules;
  copies.read(1, rules);
  EXPECT_FALSE(copies.write(1, rules));  // it has a copy of the latest
  EXPECT_EQ(copies.owner(), 1);
  EXPECT_EQ(copies.version(), 1u);
  EXPECT_FALSE(copies.has(0));
  const auto back = copies.read(0, rules);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->from, 1);
  EXPECT_EQ(back->version, 1u);
}

TEST(Copies, WithoutReplicationThereIsOneCopy) {
  Copies copies(0);
  const CopyRules rules{false, 4};
  ASSERT_TRUE(copies.read(3, rules));
  EXPECT_FALSE(copies.has(0));
  ASSERT_TRUE(copies.read(0, rules));
  EXPECT_EQ(copies.holders().size(), 1u);
}

TEST(Copies, ManyReadersMakeATree) {
  Copies copies(0);
  std::map<int, int> sent;
  for (int rank = 1; rank < 64; ++rank) {
    const auto move = copies.read(rank, {});
    ASSERT_TRUE(move);
    EXPECT_LT(move->from, rank) << "a source must have it itself";
    ++sent[move->from];
  }
  for (const auto& [rank, count] : sent) EXPECT_LE(count, 4) << rank;
  Copies flat(0);
  for (int rank = 1; rank < 64; ++rank) EXPECT_EQ(flat.read(rank, {true, 0})->from, 0);
}

TEST(Broadcast, BeginsWhenAllHaveAccessedAVersion) {
  Broadcast broadcast;
  for (int rank = 0; rank < 3; ++rank) broadcast.accessed(rank, 4);
  EXPECT_FALSE(broadcast.new_version(4));
  for (int rank = 0; rank < 4; ++rank) broadcast.accessed(rank, 4);
  EXPECT_TRUE(broadcast.new_version(4));
}

TEST(Broadcast, NeverOnOneRank) {
  Broadcast broadcast;
  broadcast.accessed(0, 1);
  EXPECT_FALSE(broadcast.new_version(1));
}

TEST(Broadcast, IsGivenUpWhenVersionsGoUnused) {
  Broadcast broadcast;
  for (int rank = 0; rank < 8; ++rank) broadcast.accessed(rank, 8);
  EXPECT_TRUE(broadcast.new_version(8));
  EXPECT_TRUE(broadcast.new_version(8)) << "what was not sent was not wasted";
  for (int wasted = 0; wasted < 2; ++wasted) {
    EXPECT_TRUE(broadcast.on());
    broadcast.sent();
    broadcast.accessed(0, 8);
    broadcast.new_version(8);
  }
  EXPECT_FALSE(broadcast.on());
}

TEST(Central, GivesEachRankItsTargetAndPoolsTheRest) {
  Central central(2, 1, true);
  EXPECT_EQ(central.enabled(10, 1), 1);
  EXPECT_EQ(central.enabled(11, 1), 0) << "the least loaded rank";
  EXPECT_EQ(central.enabled(12, 0), -1);
  EXPECT_EQ(central.enabled(13, 1), -1);
  EXPECT_EQ(central.pooled(), 2u);
  const auto next = central.ended(1);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->task, 13u) << "its own before an older one of another's";
  EXPECT_EQ(central.ended(1)->task, 12u);
  EXPECT_FALSE(central.ended(0));
}

TEST(Central, WithoutLocalityFirstComeFirstServed) {
  Central central(2, 1, false);
  EXPECT_EQ(central.enabled(1, 1), 0);
  EXPECT_EQ(central.enabled(2, 0), 1);
  EXPECT_EQ(central.enabled(3, 0), -1);
  EXPECT_EQ(central.enabled(4, 1), -1);
  EXPECT_EQ(central.ended(1)->task, 3u);
}

TEST(Central, TheRankThatHasWaitedLongestComesFirst) {
  for (const bool locality : {true, false}) {
    Central central(3, 1, locality);
    for (int task = 0; task < 3; ++task) EXPECT_EQ(central.enabled(task, -1), task);
    for (const int rank : {1, 2, 0}) EXPECT_FALSE(central.ended(rank));
    EXPECT_EQ(central.enabled(3, -1), 1);
    EXPECT_EQ(central.enabled(4, 0), locality ? 0 : 2) << "where targets count, its own before that";
    EXPECT_EQ(central.enabled(5, 1), locality ? 2 : 0);
  }
}

TEST(Central, WhatIsPlacedWaitsForItsRank) {
  for (const bool locality : {true, false}) {
    Central central(2, 2, locality);
    EXPECT_EQ(central.enabled(1, 1, true), 1);
    EXPECT_EQ(central.enabled(2, 1, true), 1);
    EXPECT_EQ(central.enabled(3, 1, true), -1) << "its rank has its target";
    EXPECT_EQ(central.enabled(4, 0, true), 0);
    EXPECT_EQ(central.enabled(5, -1), 0);
    EXPECT_EQ(central.enabled(6, -1), -1);
    EXPECT_EQ(central.ended(0)->task, 6u) << "3 runs on rank 1 or nowhere";
    EXPECT_FALSE(central.ended(0));
    EXPECT_EQ(central.ended(1)->task, 3u);
    EXPECT_FALSE(central.ended(1));
  }
}

TEST(Central, WhatCannotLeaveIsNotKeptBack) {
  Central central(2, 1, true);
  for (int i = 0; i < 3; ++i) central.keep(0);
  EXPECT_EQ(central.load(0), 3);
  EXPECT_EQ(central.enabled(1, 0, true), -1);
  EXPECT_FALSE(central.ended(0));
  EXPECT_FALSE(central.ended(0));
  EXPECT_EQ(central.ended(0)->task, 1u);
}

TEST(Ahead, KeepsLocalityUntilOneRankHasFarMore) {
  Ahead ahead(2, true);
  int elsewhere = 0;
  for (int i = 0; i < 1000; ++i) {
    const int rank = ahead.choose(0);
    elsewhere += rank == 1;
    ahead.sent(rank);
  }
  EXPECT_GT(elsewhere, 100);
  EXPECT_EQ(ahead.unfinished(), 1000u);
  Ahead calm(2, true);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(calm.choose(1), 1);
    calm.sent(1);
  }
}

TEST(Ahead, SpreadsWhatHasNoPlace) {
  Ahead ahead(3, true);
  std::map<int, int> count;
  for (int i = 0; i < 30; ++i) {
    const int rank = ahead.choose(-1);
    ++count[rank];
    ahead.sent(rank);
  }
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(count[rank], 10);
}

struct Named {
  std::string name;
  std::vector<double> values;
  template <class Archive>
  void serialize(Archive& archive) {
    archive& name& values;
  }
  friend bool operator==(const Named&, const Named&) = default;
};

template <class T>
T there_and_back(const T& value) {
  detail::Out out;
  out& value;
  detail::In in{out.data.data(), out.data.data() + out.data.size()};
  T copy = detail::Packing<T>::make(in);
  EXPECT_EQ(in.next, in.end);
  return copy;
}

TEST(Lending, GivesEachRankWhatItAskedForInTurn) {
  Lending lending(4);
  EXPECT_EQ(lending.taker(), -1);
  lending.asks(1, 2);
  lending.asks(3, 1);
  EXPECT_EQ(lending.taker(), 1);
  EXPECT_EQ(lending.taker(), 3);
  EXPECT_EQ(lending.taker(), 1);
  EXPECT_TRUE(lending.none());
  EXPECT_EQ(lending.taker(), -1);
}

TEST(Lending, TellsEachRankOnceUntilItAsks) {
  Lending lending(3);
  EXPECT_EQ(lending.listener(1), 2);
  EXPECT_EQ(lending.listener(1), 0);
  EXPECT_EQ(lending.listener(1), -1);
  lending.asks(0, 1);
  EXPECT_EQ(lending.listener(1), -1);  // it knows, and waits
  EXPECT_EQ(lending.taker(), 0);
  EXPECT_EQ(lending.listener(1), 0);
  lending.refuses(0);
  EXPECT_EQ(lending.listener(1), -1);
}

TEST(Lending, IsGivenUpForSomeTimeWhereItDoesNotPay) {
  Lending lending(2);
  lending.asks(1, 1000);
  lending.over(1e-6, 1e-5);
  EXPECT_EQ(lending.taker(), -1);
  EXPECT_EQ(lending.taker(), 1);
  lending.over(1e-6, 1e-5);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(lending.taker(), -1);
  EXPECT_EQ(lending.taker(), 1);
  lending.over(1e-3, 1e-5);
  EXPECT_EQ(lending.taker(), 1);
}

TEST(Pack, ValuesComeBack) {
  EXPECT_EQ(there_and_back(7.5), 7.5);
  EXPECT_EQ(there_and_back(std::string("a name")), "a name");
  const std::vector<std::string> words{"", "one", "two"};
  EXPECT_EQ(there_and_back(words), words);
  const std::tuple<int, std::pair<std::string, double>, std::array<std::string, 2>> deep{
      1, {"x", 2}, {"y", "z"}};
  EXPECT_EQ(there_and_back(deep), deep);
  const Named named{"n", {1, 2, 3}};
  EXPECT_EQ(there_and_back(named), named);
  EXPECT_EQ(there_and_back(std::vector<Named>{named, {}}), (std::vector<Named>{named, {}}));
}

TEST(Pack, ContainersComeBack) {
  EXPECT_EQ(there_and_back(std::vector<bool>{true, false, true}), (std::vector<bool>{true, false, true}));
  const std::map<std::string, std::vector<int>> map{{"a", {1}}, {"b", {}}, {"c", {2, 3}}};
  EXPECT_EQ(there_and_back(map), map);
  const std::multimap<int, std::string> many{{1, "x"}, {1, "a"}, {0, "z"}};
  EXPECT_EQ(there_and_back(many), many);
  const std::set<std::string> set{"a", "b"};
  EXPECT_EQ(there_and_back(set), set);
  const std::deque<std::string> deque{"a", "b"};
  EXPECT_EQ(there_and_back(deque), deque);
  const std::list<std::pair<int, std::string>> list{{1, "a"}, {2, "b"}};
  EXPECT_EQ(there_and_back(list), list);
  const std::forward_list<std::string> chain{"a", "b", "c"};
  EXPECT_EQ(there_and_back(chain), chain);
  const std::optional<std::string> some("word"), none;
  EXPECT_EQ(there_and_back(some), some);
  EXPECT_EQ(there_and_back(none), none);
  const std::variant<int, std::string> either("word");
  EXPECT_EQ(there_and_back(either), either);
  EXPECT_EQ(*there_and_back(std::unique_ptr<std::string>(new std::string("word"))), "word");
  EXPECT_EQ(there_and_back(std::valarray<double>{1, 2, 3}).sum(), 6);
}

// A program may go through a hash table, and must find there what a serial one finds.
TEST(Pack, HashTablesKeepTheirOrder) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::unordered_map<std::string, int> many;
    std::unordered_set<int> set;
    set.max_load_factor(round % 2 ? 1.0f : 3.0f);
    for (unsigned i = random() % 60; i-- > 0;) {
      many.emplace(std::to_string(random() % 20), static_cast<int>(i));
      set.insert(static_cast<int>(random() % 1000));
      if (random() % 4 == 0) many.erase(many.begin());
    }
    using Pairs = std::vector<std::pair<std::string, int>>;
    const auto copy = there_and_back(many);
    EXPECT_EQ(Pairs(copy.begin(), copy.end()), Pairs(many.begin(), many.end()));
    const auto same = there_and_back(set);
    EXPECT_EQ(std::vector<int>(same.begin(), same.end()), std::vector<int>(set.begin(), set.end()));
    EXPECT_EQ(same.bucket_count(), set.bucket_count());
    EXPECT_EQ(same.max_load_factor(), set.max_load_factor());
  }
}

TEST(Pack, AShortMessageIsAnError) {
  detail::Out out;
  out& std::vector<double>(10);
  detail::In in{out.data.data(), out.data.data() + 20};
  EXPECT_THROW(detail::Packing<std::vector<double>>::make(in), Error);
}

struct Unpackable {
  std::map<int, int> values;
};
static_assert(detail::packer<Unpackable>() == nullptr);
static_assert(detail::packer<std::map<int, Unpackable>>() == nullptr);
static_assert(detail::packer<std::map<int, int, bool (*)(int, int)>>() == nullptr);
static_assert(detail::packer<std::shared_ptr<int>>() == nullptr);
static_assert(detail::packer<int*>() == nullptr);
static_assert(detail::packer<Named>() != nullptr);

int twice(int x) { return 2 * x; }

TEST(Modules, TellsAddressesThatAllHave) {
  Modules& all = modules();
  all.agree({all.scan()});
  int on_stack = 0;
  const auto on_heap = std::make_unique<int>();
  const auto word = [](auto* address) { return reinterpret_cast<std::uint64_t>(address); };
  EXPECT_EQ(all.kind(word(&twice)), Modules::everywhere);
  EXPECT_EQ(all.kind(word("a literal")), Modules::everywhere);
  EXPECT_EQ(all.kind(word(&on_stack)), Modules::own);
  EXPECT_EQ(all.kind(word(on_heap.get())), Modules::own);
  EXPECT_EQ(all.kind(42), Modules::nothing);
  EXPECT_EQ(all.kind(0x3ff0000000000000), Modules::nothing);
  EXPECT_EQ(all.decode(all.encode(word(&twice))), word(&twice));
  EXPECT_EQ(all.encode(word(&on_stack)), 0u);
}

TEST(Modules, OtherBinariesAreAnErrorWithTheirNames) {
  Modules& all = modules();
  const auto own = all.scan();
  detail::Out other;
  other& std::size_t{1} & std::uint64_t{1} & std::string("/bin/other");
  try {
    all.agree({own, {other.data.begin(), other.data.end()}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 1 runs /bin/other"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lapwing::tasks
