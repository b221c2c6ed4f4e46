// SPDX-License-Identifier: Apache-2.0
// Schedules: what they cost, in which order their pieces are, how they look.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <stdexcept>

#include "arrays/schedules/drawing.hpp"
#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

namespace {

Distribution vector_over(std::int64_t extent, std::int64_t block_size, int processes) {
  Distribution result;
  result.dimensions = {cyclic(extent, block_size, 0)};
  result.grid = make_grid({processes});
  return result;
}

double cpu_milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

struct Large {
  std::int64_t block_a;
  int processes_a;
  std::int64_t block_b;
  int processes_b;
  std::int64_t families;  ///< at most, of one process
};

}  // namespace

// One process of a simulated grid computes its part for 10^9 elements.
TEST(Schedules, CostPartnersAndSegmentsNeverIndices) {
  constexpr std::int64_t extent = 1'000'000'000;
  for (const Large& c :
       {Large{1000, 1024, 999, 1023, 2000}, Large{3, 1024, 5, 1023, 4200}, Large{976563, 1024, 1, 1023, 3100},
        Large{1, 1024, 977518, 1023, 3100}, Large{1, 1024, 1, 1023, 1100},
        Large{976563, 1024, 977518, 1023, 4}, Large{64, 32, 64, 32, 1}}) {
    const Distribution a = vector_over(extent, c.block_a, c.processes_a);
    const Distribution b = vector_over(extent, c.block_b, c.processes_b);
    for (const int rank : {0, 17, c.processes_b - 1}) {
      double best = 1e9;
      Schedule out, in;
      for (int k = 0; k < 3; ++k) {
        const double start = cpu_milliseconds();
        out = Schedule::sending(a, {}, rank, b, {});
        const double middle = cpu_milliseconds();
        in = Schedule::receiving(b, {}, rank, a, {});
        best = std::min(best, std::max(middle - start, cpu_milliseconds() - middle));
      }
      EXPECT_LE(out.families(), c.families) << c.block_a << " to " << c.block_b;
      EXPECT_LE(in.families(), c.families);
      EXPECT_LT(best, 10.0 * (RUNNING_SLOWLY ? 20 : 1)) << c.block_a << " to " << c.block_b;
      EXPECT_EQ(
          out.elements(), 0 + [&] {
            std::int64_t mine = 0;
            for (std::int64_t first = rank * c.block_a; first < extent; first += c.block_a * c.processes_a)
              mine += std::min(c.block_a, extent - first);
            return mine;
          }());
    }
  }
}

TEST(Schedules, SendersBeginAtTheirOwnPositionAndNeverMeet) {
  Distribution rows, columns;
  rows.dimensions = {block(64, 4, 0), collapsed(64)};
  rows.grid = make_grid({4});
  columns.dimensions = {collapsed(64), block(64, 6, 0)};
  columns.grid = make_grid({6});
  for (std::size_t k = 0; k < 6; ++k) {
    std::set<int> receivers;
    for (int sender = 0; sender < 4; ++sender) {
      const Schedule schedule = Schedule::sending(rows, {}, sender, columns, {});
      ASSERT_EQ(schedule.pieces().size(), 6U);
      EXPECT_TRUE(k > 0 || schedule.pieces()[0].partner == sender);
      EXPECT_TRUE(receivers.insert(schedule.pieces()[k].partner).second);
    }
  }
  // Receivers expect them in the rounds in which they are sent.
  const Schedule in = Schedule::receiving(columns, {}, 3, rows, {});
  EXPECT_EQ(in.pieces()[0].partner, 3);
  EXPECT_EQ(in.pieces()[1].partner, 2);
}

TEST(Schedules, CopiesOfAReplicatedSourceShareTheWork) {
  Distribution copies, parts;
  copies.dimensions = {collapsed(240)};
  copies.grid = make_grid({3});
  parts.dimensions = {block(240, 12, 0)};
  parts.grid = make_grid({12});
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(Schedule::sending(copies, {}, rank, parts, {}).elements(), 80);
  // A process that has its own copy asks nobody.
  const Schedule in =
      Schedule::receiving(parts, {}, 1, copies, {}, {{7, 8, 9}, {0, 9, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14}});
  ASSERT_EQ(in.pieces().size(), 1U);
  EXPECT_TRUE(in.pieces()[0].self);
  EXPECT_EQ(in.pieces()[0].partner, 2);
}

TEST(Schedules, WhatDoesNotFitIsRefused) {
  const Distribution a = vector_over(10, 2, 3), b = vector_over(11, 2, 3);
  try {
    Schedule::sending(a, {}, 0, b, {});
    FAIL() << "no exception";
  } catch (const std::invalid_argument& problem) {
    EXPECT_STREQ(problem.what(), "the sender has 10 elements in dimension 0, the receiver 11 in dimension 0");
  }
}

// Figure 2 of HPF/MPI: A(8,8) (BLOCK,*) on 4 processes to (*,BLOCK) on 2.
TEST(Schedules, FigureThreeOfThePaper) {
  Distribution producer, consumer;
  producer.type = consumer.type = ElementType::float32;
  producer.dimensions = {block(8, 4, 0), collapsed(8)};
  producer.grid = make_grid({4});
  producer.order = consumer.order = Order::column_major;
  consumer.dimensions = {collapsed(8), block(8, 2, 0)};
  consumer.grid = make_grid({2});
  const Schedule schedule = Schedule::sending(producer, {}, 1, consumer, {});
  ASSERT_EQ(schedule.pieces().size(), 2U);
  EXPECT_EQ(schedule.bytes(), 64);
  EXPECT_EQ(to_text(schedule),
            "round 0    to   1                8 elements             32 bytes  {4 4} x {2 2}\n"
            "round 3    to   0                8 elements             32 bytes  {0 4} x {2 2}\n");
  const std::string picture = draw_text(producer, {}, consumer, {});
  EXPECT_NE(picture.find("  00000000\n  00000000\n  11111111\n"), std::string::npos) << picture;
  EXPECT_NE(picture.find("  00001111\n"), std::string::npos) << picture;
  EXPECT_NE(picture.find("  from \\ to         0         1\n  0                 8         8\n"),
            std::string::npos)
      << picture;
  const std::string svg = draw_svg(producer, {}, consumer, {});
  EXPECT_EQ(std::count(svg.begin(), svg.end(), '\n'), 2 + 2 + 2 * 64 + 8 + 6 + 1) << svg;
}

}  // namespace lapwing::arrays
