// SPDX-License-Identifier: Apache-2.0
// Index lists: how they are kept, what is refused, and how small the schedules of regular ones are.
#include <gtest/gtest.h>

#include <numeric>

#include "arrays/random_case.hpp"
#include "arrays/schedules/index_list.hpp"
#include "arrays/schedules/rendezvous.hpp"

namespace lapwing::arrays::testing {

namespace {

using List = std::vector<std::int64_t>;

IndexList list_of(const List& indices, std::int64_t extent) {
  std::string problem;
  IndexList list(indices, extent, &problem);
  EXPECT_EQ("", problem);
  return list;
}

std::string refusal(const List& indices, std::int64_t extent) {
  std::string problem;
  const IndexList list(indices, extent, &problem);
  EXPECT_EQ(0, list.count());
  return problem;
}

/// CYCLIC(block) as lists.
std::vector<List> dealt(std::int64_t extent, std::int64_t block_size, int processes) {
  std::vector<List> lists(static_cast<std::size_t>(processes));
  for (std::int64_t i = 0; i < extent; ++i)
    lists[static_cast<std::size_t>(i / block_size % processes)].push_back(i);
  return lists;
}

Distribution vector_of(std::int64_t extent, std::int64_t block_size, int processes) {
  Distribution result;
  result.dimensions = {cyclic(extent, block_size, 0)};
  result.grid = make_grid({processes});
  return result;
}

struct Side {
  Distribution distribution;
  ListsByDimension lists;
};

Side listed(std::int64_t extent, std::int64_t block_size, int processes) {
  Side side{vector_of(extent, block_size, processes), {}};
  Dimension dimension;
  dimension.extent = extent;
  dimension.layout = Layout::indexed;
  dimension.grid_dimension = 0;
  side.distribution.dimensions = {dimension};
  side.lists[0] = dealt(extent, block_size, processes);
  side.distribution = with_lists(side.distribution, side.lists, -1, 1);
  return side;
}

/// All sending schedules of a transfer within a task.
std::vector<Schedule> schedules(const Side& from, const Side& to, int processes) {
  std::vector<Rendezvous> all;
  for (int p = 0; p < processes; ++p)
    all.emplace_back(with_lists(from.distribution, from.lists, p, 1), Section{}, p,
                     with_lists(to.distribution, to.lists, p, 2), Section{}, p, processes, p);
  for (int p = 0; p < processes; ++p)
    for (int q = 0; q < processes; ++q)
      all[static_cast<std::size_t>(q)].hear(p, all[static_cast<std::size_t>(p)].question(q));
  std::vector<Schedule> result;
  for (int p = 0; p < processes; ++p) {
    Rendezvous& here = all[static_cast<std::size_t>(p)];
    for (int q = 0; q < processes; ++q) here.learn(all[static_cast<std::size_t>(q)].answer(p));
    const KnownSets sent = here.sent();
    result.push_back(Schedule::sending(from.distribution, {}, p, to.distribution, {}, {}, &sent));
  }
  return result;
}

}  // namespace

TEST(IndexLists, RunsAndStridesAreFolded) {
  List strided(1000), backwards(1000);
  for (std::int64_t k = 0; k < 1000; ++k) strided[static_cast<std::size_t>(k)] = 3 * k + 1;
  for (std::int64_t k = 0; k < 1000; ++k) backwards[static_cast<std::size_t>(k)] = 1500 - k;
  EXPECT_EQ(1u, list_of(strided, 3000).families().size());
  EXPECT_EQ(1u, list_of(backwards, 3000).families().size());
  EXPECT_EQ(1u, list_of(dealt(10'000, 4, 5)[2], 10'000).families().size());
  const IndexList mixed = list_of({7, 3, 4, 5, 20, 22, 24, 1}, 30);
  const List given{7, 3, 4, 5, 20, 22, 24, 1};
  for (std::size_t k = 0; k < given.size(); ++k) {
    EXPECT_EQ(static_cast<std::int64_t>(k), mixed.position(given[k]));
    EXPECT_EQ(given[k], mixed.index(static_cast<std::int64_t>(k)));
  }
  for (const std::int64_t absent : {0, 2, 6, 8, 21, 23, 25, 29})
    EXPECT_EQ(-1, mixed.position(absent)) << absent;
  EXPECT_EQ(0, list_of({}, 0).count());
}

TEST(IndexLists, RefusalsNamePositionAndValue) {
  EXPECT_NE(std::string::npos, refusal({0, 9, 10}, 10).find("position 2 of the index list is 10"));
  EXPECT_NE(std::string::npos,
            refusal({4, -3}, 10).find("position 1 of the index list is -3, which is negative"));
  EXPECT_NE(std::string::npos,
            refusal({5, 2, 7, 2}, 10).find("positions 1 and 3 of the index list are both 2"));
  EXPECT_NE(std::string::npos, refusal({0}, 0).find("the extent is 0"));
}

TEST(IndexLists, CoverageFindsTheLowestIndices) {
  const auto held = [](const std::vector<List>& lists) {
    std::map<int, Indices> result;
    for (std::size_t k = 0; k < lists.size(); ++k)
      result[static_cast<int>(k)].families = list_of(lists[k], 100).families();
    return result;
  };
  Coverage found = coverage(held({{0, 1, 4}, {2, 3}}), 0, 5);
  EXPECT_EQ(-1, found.missing);
  EXPECT_EQ(-1, found.repeated);
  found = coverage(held({{0, 1, 4}, {2, 3}}), 0, 6);
  EXPECT_EQ(5, found.missing);
  found = coverage(held({{0, 1, 2, 6}, {4, 5, 6, 2}}), 0, 7);
  EXPECT_EQ(3, found.missing);
  EXPECT_EQ(2, found.repeated);
  EXPECT_EQ(0, found.first);
  EXPECT_EQ(1, found.second);
  EXPECT_EQ(10, coverage({}, 10, 20).missing);
  EXPECT_EQ(-1, coverage({}, 10, 10).missing);
}

TEST(IndexLists, DescriptorsTellWhichTheyAreAndWhetherTheyCanBeSent) {
  Side side = listed(10, 5, 2);
  EXPECT_EQ("", cannot_send(side.distribution));
  auto lists = std::make_shared<IndexLists>(*side.distribution.dimensions[0].lists);
  lists->repeated = 7;
  lists->first_rank = 0;
  lists->second_rank = 1;
  side.distribution.dimensions[0].lists = lists;
  const Decoded decoded = decode(encode(side.distribution));
  ASSERT_TRUE(decoded.distribution) << decoded.problem;
  EXPECT_EQ(lists->id, decoded.distribution->dimensions[0].lists->id);
  const std::string why = cannot_send(*decoded.distribution);
  EXPECT_NE(std::string::npos, why.find("index 7 of dimension 0 is in the lists of ranks 0 and 1")) << why;
  side.distribution.dimensions[0].lists = nullptr;
  EXPECT_NE("", decode(encode(side.distribution)).problem);
}

// Block and cyclic distributions as lists: as many families as the closed form has, or about as many.
TEST(IndexLists, SchedulesOfRegularListsAreSmall) {
  constexpr std::int64_t extent = 100'000;
  constexpr int processes = 4;
  const std::int64_t block_size = extent / processes;
  const std::pair<std::int64_t, std::int64_t> cases[] = {{block_size, block_size},
                                                         {block_size, 1},
                                                         {1, block_size},
                                                         {block_size, 64},
                                                         {64, 1},
                                                         {1, 1},
                                                         {3, 5},
                                                         {4, 6}};
  for (const auto& [out, in] : cases) {
    const Distribution a = vector_of(extent, out, processes), b = vector_of(extent, in, processes);
    const std::vector<Schedule> both =
        schedules(listed(extent, out, processes), listed(extent, in, processes), processes);
    const std::vector<Schedule> one = schedules({a, {}}, listed(extent, in, processes), processes);
    for (int rank = 0; rank < processes; ++rank) {
      const Schedule closed = Schedule::sending(a, {}, rank, b, {});
      for (const Schedule& found :
           {both[static_cast<std::size_t>(rank)], one[static_cast<std::size_t>(rank)]}) {
        EXPECT_EQ(closed.elements(), found.elements());
        EXPECT_EQ(closed.pieces().size(), found.pieces().size());
        EXPECT_LE(found.families(), 3 * closed.families() + 12) << out << " to " << in;
        for (const Piece& piece : closed.pieces()) {
          const Piece* same = found.piece_of(piece.partner);
          ASSERT_NE(nullptr, same);
          EXPECT_EQ(piece.elements, same->elements);
          EXPECT_EQ(piece.dimensions[0].set->segments(), same->dimensions[0].set->segments());
        }
      }
    }
  }
}

}  // namespace lapwing::arrays::testing
