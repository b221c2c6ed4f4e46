// SPDX-License-Identifier: Apache-2.0
// The list of sets that sessions show, without MPI.
#include <gtest/gtest.h>

#include <numeric>

#include "sets/exported/process_sets.hpp"

namespace {

using lapwing::sets::ProcessSets;

TEST(ProcessSets, NamesOfThePrograms) {
  EXPECT_EQ(ProcessSets::full_name("ocean.1_a-B"), "lapwing://ocean.1_a-B");
  EXPECT_EQ(ProcessSets::full_name(""), "");
  EXPECT_EQ(ProcessSets::full_name("ranks/0-3"), "");
  EXPECT_EQ(ProcessSets::full_name("two words"), "");
  EXPECT_EQ(ProcessSets::full_name(std::string(245, 'x')).size(), ProcessSets::most_letters);
  EXPECT_EQ(ProcessSets::full_name(std::string(246, 'x')), "");
}

TEST(ProcessSets, NamesOfSetsTellTheirRanks) {
  EXPECT_EQ(ProcessSets::name_of({0}), "lapwing://ranks/0");
  EXPECT_EQ(ProcessSets::name_of({0, 1, 3, 4, 5, 9}), "lapwing://ranks/0,1,3-5,9");
  std::vector<int> half(5000), other(5000);
  for (int i = 0; i < 5000; ++i) half[static_cast<std::size_t>(i)] = 2 * i;
  other = half;
  ++other.back();
  const std::string name = ProcessSets::name_of(half);
  EXPECT_EQ(name.rfind("lapwing://5000-ranks/", 0), 0u);
  EXPECT_LE(name.size(), ProcessSets::most_letters);
  EXPECT_NE(name, ProcessSets::name_of(other));
  std::iota(half.begin(), half.end(), 0);
  EXPECT_EQ(ProcessSets::name_of(half), "lapwing://ranks/0-4999");
}

TEST(ProcessSets, AnIndexKeepsItsNameWhateverIsAdded) {
  ProcessSets sets;
  EXPECT_EQ(sets.list(2), 2);
  EXPECT_TRUE(sets.add("lapwing://a", {0, 1}));
  EXPECT_TRUE(sets.add("lapwing://a", {0, 1}));
  EXPECT_FALSE(sets.add("lapwing://a", {0, 2}));
  EXPECT_EQ(sets.list(2), 3);
  EXPECT_EQ(sets.list(4), 5);  // MPI's own have grown
  sets.add_all({{2, 3}, {0, 1}, {2, 3}});
  EXPECT_EQ(sets.list(4), 7);
  EXPECT_EQ(sets.list(3), 7);  // a session that sees fewer
  for (const auto& [index, own] : {std::pair{0, 0}, {1, 1}, {3, 2}, {4, 3}}) {
    EXPECT_EQ(sets.at(index).own, own);
    EXPECT_EQ(sets.at(index).set, nullptr);
  }
  ASSERT_TRUE(sets.at(2).set && sets.at(5).set && sets.at(6).set);
  EXPECT_EQ(sets.at(2).set->name, "lapwing://a");
  EXPECT_EQ(sets.at(5).set->name, "lapwing://ranks/0,1");
  EXPECT_EQ(sets.at(6).set->ranks, (std::vector<int>{2, 3}));
  EXPECT_TRUE(sets.at(7).own < 0 && !sets.at(7).set);
  EXPECT_TRUE(sets.at(-1).own < 0 && !sets.at(-1).set);
  EXPECT_EQ(sets.find("lapwing://b"), nullptr);
}

}  // namespace
