// SPDX-License-Identifier: Apache-2.0
// Index lists that are long enough to be kept one by one, met in chunks and packed by tables: against sets
// that are made index by index. LAPWING_CASES and LAPWING_SEED say how many and which.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "arrays/random_case.hpp"
#include "arrays/schedules/index_list.hpp"
#include "arrays/schedules/rendezvous.hpp"
#include "arrays/schedules/sorting.hpp"

namespace lapwing::arrays::testing::long_lists {

namespace {

using List = std::vector<std::int64_t>;

/// Each index to one process: without a rule, in runs, dealt out, or one after the other in parts of the
/// space.
std::vector<List> dealt_out(Random& random, std::int64_t extent, int processes) {
  std::vector<List> lists(static_cast<std::size_t>(processes));
  std::int64_t style = drawn(random, 0, 4), size = drawn(random, 1, 40), owner = 0, left = 0;
  const bool mixed = drawn(random, 0, 2) == 0;
  for (std::int64_t i = 0; i < extent; ++i) {
    if (mixed && drawn(random, 0, 2999) == 0) {
      style = drawn(random, 0, 4);
      size = drawn(random, 1, 40);
    }
    if (style == 0) owner = drawn(random, 0, processes - 1);
    if (style == 1) owner = i / size % processes;
    if (style == 2) owner = i * processes / extent;
    if (style == 3 && --left < 0) {
      owner = drawn(random, 0, processes - 1);
      left = drawn(random, 0, size);
    }
    if (style == 4) owner = drawn(random, 0, 9) < 9 ? i / 1000 % processes : drawn(random, 0, processes - 1);
    lists[static_cast<std::size_t>(owner)].push_back(i);
  }
  return lists;
}

/// Lists of a receiver overlap and leave indices out.
std::vector<List> wanted_by(Random& random, std::int64_t extent, int processes) {
  std::vector<List> lists = dealt_out(random, extent, processes);
  if (drawn(random, 0, 1) == 0) return lists;
  for (List& list : lists) {
    const std::int64_t keep = drawn(random, 0, 100), more = drawn(random, 0, 3) * drawn(random, 0, 20);
    List other;
    std::size_t next = 0;
    for (std::int64_t i = 0; i < extent; ++i) {
      const bool had = next < list.size() && list[next] == i;
      next += had ? 1 : 0;
      if (drawn(random, 0, 99) < (had ? keep : more)) other.push_back(i);
    }
    list = std::move(other);
  }
  return lists;
}

void disorder(Random& random, std::vector<List>& lists) {
  for (List& list : lists) {
    const std::int64_t order = drawn(random, 0, 4);
    if (order == 0) std::reverse(list.begin(), list.end());
    if (order == 1) std::shuffle(list.begin(), list.end(), random);
    if (order == 2 && list.size() > 1)
      std::rotate(list.begin(), list.begin() + drawn(random, 0, std::ssize(list) - 1), list.end());
  }
}

struct Side {
  Distribution distribution;
  ListsByDimension lists;
  SectionDimension section;
};

Side side_of(std::vector<List> lists, std::int64_t extent, const SectionDimension& section) {
  Side side;
  Dimension dimension;
  dimension.extent = extent;
  dimension.layout = Layout::indexed;
  dimension.grid_dimension = 0;
  side.distribution.dimensions = {dimension};
  side.distribution.grid = make_grid({static_cast<int>(lists.size())});
  side.lists[0] = std::move(lists);
  side.distribution = with_lists(side.distribution, side.lists, -1, 1);
  side.section = section;
  return side;
}

std::vector<std::int64_t> places_of(const IndexSet& set) {
  std::vector<std::int64_t> result;
  for (SegmentWalk at(set, 0); !at.done(); at.next())
    for (std::int64_t i = 0; i < at.length(); ++i) result.push_back(at.local() + i * set.step());
  return result;
}

/// In the order of the section, by number of the section's element: where it lies in each list; -1: nowhere.
std::vector<std::vector<std::int64_t>> lying(const Side& side) {
  std::vector<std::vector<std::int64_t>> result;
  for (const List& list : side.lists.at(0)) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(side.distribution.dimensions[0].extent), -1);
    for (std::size_t k = 0; k < list.size(); ++k)
      all[static_cast<std::size_t>(list[k])] = static_cast<std::int64_t>(k);
    std::vector<std::int64_t>& here = result.emplace_back();
    for (std::int64_t i = 0; i < side.section.count; ++i)
      here.push_back(all[static_cast<std::size_t>(side.section.first + i * side.section.stride)]);
  }
  return result;
}

Section section_of(const Side& side) {
  Section section;
  section.dimensions = {side.section};
  return section;
}

struct Found {
  std::vector<Shared> sent, received;
};

std::vector<Found> meet(const Side& from, const Side& to, int processes) {
  std::vector<Rendezvous> all;
  for (int p = 0; p < processes; ++p)
    all.emplace_back(with_lists(from.distribution, from.lists, p, 1), section_of(from), p,
                     with_lists(to.distribution, to.lists, p, 2), section_of(to), p, processes, p);
  for (int p = 0; p < processes; ++p)
    for (int q = 0; q < processes; ++q)
      all[static_cast<std::size_t>(q)].hear(p, all[static_cast<std::size_t>(p)].question(q));
  std::vector<Found> result;
  for (int p = 0; p < processes; ++p) {
    Rendezvous& here = all[static_cast<std::size_t>(p)];
    for (int q = 0; q < processes; ++q) here.learn(all[static_cast<std::size_t>(q)].answer(p));
    result.push_back({here.sent().at({0, 0}), here.received().at({0, 0})});
  }
  return result;
}

void expect(const std::vector<Shared>& found, int other, const std::vector<std::int64_t>& places,
            const std::vector<std::int64_t>& indices) {
  const auto shared =
      std::find_if(found.begin(), found.end(), [&](const Shared& one) { return one.coordinate == other; });
  ASSERT_EQ(!places.empty(), shared != found.end());
  if (places.empty()) return;
  EXPECT_EQ(std::ssize(places), shared->set->elements());
  EXPECT_EQ(places, places_of(*shared->places));
  EXPECT_EQ(places, places_of(*shared->set));
  for (const Falls& falls : shared->set->members()) {
    EXPECT_TRUE(falls.marks.empty() || falls.count == 1);
    for (std::size_t k = 0; k < falls.marks.size(); ++k)
      ASSERT_EQ(indices.at(static_cast<std::size_t>(falls.before) + k * Falls::mark_every), falls.marks[k]);
  }
}

}  // namespace

TEST(LongLists, MeetAsIfEachIndexWereLookedUp) {
  const std::int64_t cases = from_environment("LAPWING_CASES", 120),
                     seed = from_environment("LAPWING_SEED", 1);
  for (std::int64_t c = 0; c < cases; ++c) {
    Random random(static_cast<std::uint64_t>(seed * 1'000'003 + c));
    const int processes = static_cast<int>(drawn(random, 1, 6));
    const std::int64_t extent =
        drawn(random, 1, 4) == 1 ? drawn(random, 1, 300) : drawn(random, 5000, 40'000);
    std::vector<List> out = dealt_out(random, extent, processes);
    SectionDimension from{0, extent, 1};
    if (drawn(random, 0, 2) == 0) {
      const std::int64_t stride = drawn(random, 1, 3);
      from = {drawn(random, 0, extent / 3), 0, stride};
      from.count = (extent - 1 - from.first) / stride + 1;
      if (drawn(random, 0, 1) == 0) from = {from.first + (from.count - 1) * stride, from.count, -stride};
    }
    const std::int64_t wide = drawn(random, 1, 2);
    SectionDimension to{drawn(random, 0, 9), from.count, wide};
    const std::int64_t room = to.first + (from.count - 1) * wide + 1;
    std::vector<List> in = wanted_by(random, room, processes);
    disorder(random, out);
    disorder(random, in);
    const Side source = side_of(std::move(out), extent, from), destination = side_of(std::move(in), room, to);
    const std::vector<Found> found = meet(source, destination, processes);
    const auto lies = lying(source), lands = lying(destination);
    for (int s = 0; s < processes; ++s)
      for (int d = 0; d < processes; ++d) {
        const auto &a = lies[static_cast<std::size_t>(s)], &b = lands[static_cast<std::size_t>(d)];
        std::vector<std::int64_t> sent, received, indices;
        for (std::size_t i = 0; i < a.size(); ++i) {
          if (a[i] < 0 || b[i] < 0) continue;
          sent.push_back(a[i]);
          received.push_back(b[i]);
          indices.push_back(static_cast<std::int64_t>(i));
        }
        expect(found[static_cast<std::size_t>(s)].sent, d, sent, indices);
        expect(found[static_cast<std::size_t>(d)].received, s, received, indices);
        ASSERT_FALSE(::testing::Test::HasFailure()) << "case " << c << ", " << s << " to " << d;
      }
  }
}

TEST(LongLists, AreKeptOneByOneWithoutARule) {
  Random random(7);
  List list;
  for (std::int64_t i = 0; i < 20'000; ++i)
    if (drawn(random, 0, 2) == 0) list.push_back(i);
  const auto check = [&](const List& given) {
    std::string problem;
    const IndexList kept(given, 20'000, &problem);
    ASSERT_EQ("", problem);
    EXPECT_TRUE(kept.families().empty());
    EXPECT_EQ(std::ssize(given), kept.count());
    std::vector<std::int64_t> positions(20'000, -1);
    for (std::size_t k = 0; k < given.size(); ++k) {
      positions[static_cast<std::size_t>(given[k])] = static_cast<std::int64_t>(k);
      ASSERT_EQ(given[k], kept.index(static_cast<std::int64_t>(k)));
    }
    for (std::int64_t i = 0; i < 20'000; ++i)
      ASSERT_EQ(positions[static_cast<std::size_t>(i)], kept.position(i));
    EXPECT_EQ(-1, kept.index(std::ssize(given)));
    List other = given;
    other.back() = other.back() == 19'999 ? 19'998 : 19'999;
    EXPECT_EQ(kept.hash(), IndexList(given, 20'000, &problem).hash());
    if (kept.position(other.back()) < 0) {
      EXPECT_NE(kept.hash(), IndexList(other, 20'000, &problem).hash());
    }
  };
  check(list);
  std::shuffle(list.begin(), list.end(), random);
  check(list);
  List twice = list;
  twice[4000] = twice[17];
  std::string problem;
  const IndexList refused(twice, 20'000, &problem);
  EXPECT_EQ("positions 17 and 4000 of the index list are both " + std::to_string(twice[17]), problem);
  EXPECT_EQ(0, refused.count());
}

TEST(LongLists, AreSortedWithTheirPositions) {
  Random random(3);
  for (const std::int64_t range : {10, 5000, 70'000, 40'000'000}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{50}, std::size_t{30'000}}) {
      List list(count);
      for (std::int64_t& index : list) index = drawn(random, 0, range);
      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return list[a] < list[b]; });
      const ListedIndices sorted = sorted_with_positions(list);
      ASSERT_EQ(count, sorted.indices.size());
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_EQ(order[k], sorted.places[k]);
        ASSERT_EQ(list[order[k]], sorted.indices[k]);
      }
    }
  }
}

TEST(LongLists, CoverageIsThatOfEachIndex) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t low = drawn(random, 0, 9000), high = low + drawn(random, 0, 9000);
    const int holders = static_cast<int>(drawn(random, 1, 5));
    std::map<int, Indices> held;
    std::vector<std::vector<int>> by(static_cast<std::size_t>(high - low));
    std::vector<List> lists(static_cast<std::size_t>(holders));
    for (std::int64_t i = low; i < high; ++i) {
      if (drawn(random, 0, 9999) == 0) continue;
      lists[static_cast<std::size_t>(drawn(random, 0, holders - 1))].push_back(i);
      if (drawn(random, 0, 9999) == 0)
        lists[static_cast<std::size_t>(drawn(random, 0, holders - 1))].push_back(i);
    }
    for (int h = 0; h < holders; ++h) {
      List& list = lists[static_cast<std::size_t>(h)];
      list.erase(std::unique(list.begin(), list.end()), list.end());
      for (const std::int64_t i : list) by[static_cast<std::size_t>(i - low)].push_back(h);
      std::string problem;
      const IndexList kept(list, high, &problem);
      held[h] = indices_in(kept.in_section({0, high, 1}), low, high, 1);
    }
    Coverage expected;
    for (std::int64_t i = high; i-- > low;) {
      const std::vector<int>& here = by[static_cast<std::size_t>(i - low)];
      if (here.empty()) expected.missing = i;
      if (here.size() > 1) {
        expected.repeated = i;
        expected.first = here[0];
        expected.second = here[1];
      }
    }
    const Coverage found = coverage(held, low, high);
    ASSERT_EQ(expected.missing, found.missing);
    ASSERT_EQ(expected.repeated, found.repeated);
    ASSERT_EQ(expected.first, found.first);
    ASSERT_EQ(expected.second, found.second);
  }
}

// Places that 32 bits do not hold stay families.
TEST(LongLists, MeetArraysOfMoreElements) {
  constexpr std::int64_t count = 9000, stride = std::int64_t{1} << 21;
  Random random(5);
  std::vector<List> in = dealt_out(random, count, 2);
  Side from, to = side_of(in, count, {0, count, 1});
  from.distribution.dimensions = {cyclic(count * stride, count * stride / 2, 0)};
  from.distribution.grid = make_grid({2});
  from.section = {0, count, stride};
  const std::vector<Found> found = meet(from, to, 2);
  for (int s = 0; s < 2; ++s)
    for (int d = 0; d < 2; ++d) {
      List sent, indices;
      List sorted = in[static_cast<std::size_t>(d)];
      for (const std::int64_t i : sorted) {
        if ((i < count / 2 ? 0 : 1) != s) continue;
        indices.push_back(i);
        sent.push_back((i - s * count / 2) * stride);
      }
      expect(found[static_cast<std::size_t>(s)].sent, d, sent, indices);
    }
}

}  // namespace lapwing::arrays::testing::long_lists
