// SPDX-License-Identifier: Apache-2.0
// Where the elements of a set lie, from families and from lists: every walk tells the same.
#include <gtest/gtest.h>

#include <random>

#include "arrays/schedules/places.hpp"

namespace lapwing::arrays {

namespace {

using Places = std::vector<std::int64_t>;

/// Straight from the definition.
Places expanded(const IndexSet& set) {
  Places result;
  for (const Falls& falls : set.members())
    for (std::int64_t r = 0; r < falls.count; ++r)
      for (const Segments& family : falls.inner)
        for (std::int64_t k = 0; k < family.count; ++k)
          for (std::int64_t i = 0; i < family.length; ++i)
            result.push_back(falls.local + r * falls.local_stride + family.local + k * family.local_stride +
                             i * set.step());
  return result;
}

Places walked(const IndexSet& set, std::int64_t from) {
  Places result;
  for (SegmentWalk at(set, from); !at.done(); at.next())
    for (std::int64_t i = 0; i < at.length(); ++i) result.push_back(at.local() + i * set.step());
  return result;
}

std::int64_t bytes_of(const IndexSet& set) {
  std::int64_t bytes = 0;
  for (const Falls& falls : set.members())
    bytes += std::ssize(falls.inner) * static_cast<std::int64_t>(sizeof(Segments)) +
             std::ssize(falls.listed) * static_cast<std::int64_t>(sizeof(std::uint32_t));
  return bytes;
}

bool has_list(const IndexSet& set) {
  for (const Falls& falls : set.members())
    if (!falls.listed.empty()) return true;
  return false;
}

constexpr std::int64_t most_elements = 20'000;  // of a member that repeats, for a test that ends soon

/// Families of segments whose lengths are multiples of `common`.
std::shared_ptr<const IndexSet> random_set(std::mt19937& random, std::int64_t common) {
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  const std::int64_t step = std::array<std::int64_t, 4>{1, 1, 2, -1}[static_cast<std::size_t>(up_to(3))];
  const std::int64_t longest = up_to(3) == 0 ? 40 : 3;
  std::vector<Falls> members;
  std::int64_t place = step < 0 ? 100'000'000 : 0;
  const std::int64_t sign = step < 0 ? -1 : 1;
  for (std::int64_t m = up_to(2) + 1; m > 0; --m) {
    Falls falls;
    const std::int64_t begin = place;
    std::int64_t elements = 0;
    for (std::int64_t f = up_to(up_to(2) == 0 ? 300 : 5) + 1; f > 0; --f) {
      Segments family;
      family.length = common * (1 + up_to(longest));
      family.count = up_to(2) == 0 ? 1 + up_to(30) : 1;
      place += sign * up_to(5);
      family.local = place - begin;
      const std::int64_t across = family.length * std::abs(step) + up_to(7);
      family.local_stride = family.count > 1 ? sign * across : 0;
      place += sign * family.count * across;
      elements += family.count * family.length;
      falls.inner.push_back(family);
    }
    falls.local = begin;
    if (up_to(1) == 0) {
      falls.count =
          std::min(1 + up_to(up_to(3) == 0 ? 400 : 9), std::max<std::int64_t>(most_elements / elements, 2));
      falls.local_stride = place - begin + sign * up_to(9);
      place = begin + falls.count * falls.local_stride;
    }
    members.push_back(std::move(falls));
  }
  return std::make_shared<const IndexSet>(std::move(members), step);
}

TEST(Places, ListsAndFamiliesTellTheSame) {
  std::mt19937 random(3);
  int lists = 0, by_list = 0, by_rule = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const std::int64_t common = std::array<std::int64_t, 4>{1, 1, 2, 4}[static_cast<std::size_t>(turn % 4)];
    const auto set = random_set(random, common);
    const auto places = joined_places(set);
    const Places right = expanded(*set);
    ASSERT_EQ(places->elements(), std::ssize(right));
    ASSERT_EQ(walked(*places, 0), right) << turn;
    lists += has_list(*places) ? 1 : 0;
    EXPECT_LE(bytes_of(*places), bytes_of(*set) + 2 * 4096 * std::ssize(set->members()));
    for (const std::int64_t stride : {std::int64_t{1}, std::int64_t{3}}) {
      const Row row{places.get(), stride, 1, 8};
      ASSERT_EQ(places->common_length() % common, 0);
      const std::int64_t atom = row.joined() ? common : 1;
      ASSERT_EQ(row.common_run() % atom, 0);
      const std::int64_t atoms = std::ssize(right) / atom;
      for (int part = 0; part < 6; ++part) {
        const std::int64_t from = part == 0 ? 0 : static_cast<std::int64_t>(random()) % atoms;
        const std::int64_t count =
            part == 0 ? atoms : 1 + static_cast<std::int64_t>(random()) % (atoms - from);
        const auto place = [&](std::int64_t k) {
          return right[static_cast<std::size_t>((from + k) * atom)] * stride * 8;
        };
        Places offsets(static_cast<std::size_t>(count));
        list_places(row, atom, from * atom, count, offsets.data());
        for (std::int64_t k = 0; k < count; ++k)
          ASSERT_EQ(offsets[static_cast<std::size_t>(k)], place(k))
              << turn << ", atom " << k << " from " << from;
        const Columns columns = columns_at(row, atom, from * atom, count);
        ASSERT_LE(columns.count, count);
        by_list += columns.listed != nullptr ? 1 : 0;
        by_rule += columns.count > 0 && columns.listed == nullptr ? 1 : 0;
        for (std::int64_t k = 0; k < columns.count; ++k)
          ASSERT_EQ(columns.first + (columns.listed ? columns.listed[k] : k) * columns.pace, place(k))
              << turn << ", atom " << k << " from " << from << " of " << count;
        const Places rest = walked(*places, from);
        ASSERT_TRUE(std::equal(rest.begin(), rest.end(), right.begin() + from)) << turn;
      }
    }
  }
  EXPECT_GT(lists, 100);
  EXPECT_GT(by_list, 100);
  EXPECT_GT(by_rule, 20);
}

TEST(Places, SingleIndicesWithoutARuleTakeFourBytes) {
  std::vector<Segments> families;
  std::int64_t place = 0;
  for (std::int64_t k = 0; k < 10'000; ++k) {
    families.push_back({0, 1, 0, 1, place, 0, 0});
    place += 2 + k * k % 7;
  }
  const auto places = joined_places(std::make_shared<const IndexSet>(
      std::vector<Falls>{{0, 0, 1, 0, 0, 0, 0, std::move(families), {}}}, 1));
  EXPECT_EQ(bytes_of(*places), 40'000);
  EXPECT_EQ(places->segments(), 10'000);
}

TEST(Places, FarOnesStayFamilies) {
  std::vector<Segments> families;
  for (std::int64_t k = 0; k < 100; ++k) families.push_back({0, 1, 0, 1, k * k << 31, 0, 0});
  const auto set =
      std::make_shared<const IndexSet>(std::vector<Falls>{{0, 0, 1, 0, 0, 0, 0, std::move(families), {}}}, 1);
  const auto places = joined_places(set);
  EXPECT_FALSE(has_list(*places));
  EXPECT_EQ(walked(*places, 0), expanded(*set));
}

}  // namespace

}  // namespace lapwing::arrays
