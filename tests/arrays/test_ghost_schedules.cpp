// SPDX-License-Identifier: Apache-2.0
// Random updates of ghosts with all processes simulated, byte by byte against a
// serial array (ghost_case.hpp). LAPWING_CASES and LAPWING_SEED say how many and which.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "arrays/ghost_case.hpp"
#include "arrays/schedules/pack.hpp"
#include "support/case_counts.hpp"

namespace lapwing::arrays::testing {
namespace {

std::vector<const Piece*> of_partner(const Schedule& schedule, int partner) {
  std::vector<const Piece*> found;
  for (const Piece& piece : schedule.pieces())
    if (piece.partner == partner) found.push_back(&piece);
  return found;
}

void simulate(const GhostCase& c, int tasks) {
  std::vector<Schedule> out, in;
  std::vector<std::unique_ptr<GhostMemory>> memory;
  for (int r = 0; r < tasks; ++r) {
    out.push_back(ghost_schedule(Schedule::Way::send, c.distribution, c.update, r));
    in.push_back(ghost_schedule(Schedule::Way::receive, c.distribution, c.update, r));
    memory.push_back(std::make_unique<GhostMemory>(c, r));
    memory.back()->fill(3);
    ASSERT_EQ(memory.back()->ghosts(), in.back().elements()) << "rank " << r;
  }
  std::map<std::pair<std::int64_t, int>, int> receivers;  // by round and sender
  for (int r = 0; r < tasks; ++r) {
    for (const Piece& piece : out[static_cast<std::size_t>(r)].pieces())
      ASSERT_EQ(piece.partner, receivers.try_emplace({piece.round, r}, piece.partner).first->second);
    for (int q = 0; q < tasks; ++q) {
      const auto sent = of_partner(out[static_cast<std::size_t>(r)], q);
      const auto received = of_partner(in[static_cast<std::size_t>(q)], r);
      ASSERT_EQ(sent.size(), received.size()) << r << " to " << q;
      for (std::size_t i = 0; i < sent.size(); ++i) {
        ASSERT_EQ(sent[i]->elements, received[i]->elements) << r << " to " << q << ", piece " << i;
        ASSERT_EQ(sent[i]->round, received[i]->round);
        ASSERT_EQ(r == q, sent[i]->self);
        std::vector<std::byte> wire(static_cast<std::size_t>(sent[i]->bytes()));
        pack(*sent[i], memory[static_cast<std::size_t>(r)]->data(), 0, sent[i]->elements, wire.data());
        unpack(*received[i], memory[static_cast<std::size_t>(q)]->data(), 0, sent[i]->elements, wire.data());
      }
    }
  }
  for (int r = 0; r < tasks; ++r) ASSERT_TRUE(memory[static_cast<std::size_t>(r)]->right()) << "rank " << r;
}

TEST(GhostSchedules, RandomUpdates) {
  const std::int64_t cases = from_environment("LAPWING_CASES", 1500),
                     seed = from_environment("LAPWING_SEED", 1);
  std::int64_t moved = 0;
  for (std::int64_t i = 0; i < cases; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed + i));
    const int tasks = 1 + static_cast<int>(random() % 12);
    const GhostCase drawn = random_ghost_case(random, tasks);
    ASSERT_EQ("", validate(drawn.distribution, tasks)) << drawn.describe();
    ASSERT_EQ("", validate(drawn.update, drawn.distribution)) << drawn.describe();
    simulate(drawn, tasks);
    moved += ghost_schedule(Schedule::Way::receive, drawn.distribution, drawn.update, 0).elements();
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "case " << seed + i << ": " << drawn.describe();
      return;
    }
  }
  EXPECT_GT(moved, cases);
}

// A process pays for its partners, not for all processes nor for elements.
TEST(GhostSchedules, OfTenThousandProcesses) {
  Distribution array;
  array.grid = make_grid({100, 100});
  for (int g = 0; g < 2; ++g) {
    Dimension next = block(10'000'000, 100, g);
    next.ghost_below = next.ghost_above = 2;
    array.dimensions.push_back(next);
  }
  const Schedule corners = ghost_schedule(Schedule::Way::receive, array, {}, 5050);
  EXPECT_EQ(8u, corners.pieces().size());
  EXPECT_EQ(4 * 2 * 100'000 + 16, corners.elements());
  EXPECT_EQ(4u, ghost_schedule(Schedule::Way::send, array, {false, false, {}}, 5050).pieces().size());
  EXPECT_EQ(3u, ghost_schedule(Schedule::Way::send, array, {}, 0).pieces().size());
  EXPECT_EQ(8u, ghost_schedule(Schedule::Way::send, array, {true, false, {true, true}}, 0).pieces().size());
}

TEST(GhostSchedules, EqualUpdatesHaveEqualKeys) {
  EXPECT_EQ((GhostUpdate{true, false, {}}.key()), (GhostUpdate{true, false, {false, false}}.key()));
  EXPECT_EQ((GhostUpdate{true, false, {true}}.key()), (GhostUpdate{true, false, {true, false}}.key()));
  EXPECT_NE((GhostUpdate{true, false, {true}}.key()), (GhostUpdate{true, false, {false, true}}.key()));
  EXPECT_NE((GhostUpdate{true, false, {}}.key()), (GhostUpdate{false, false, {}}.key()));
  EXPECT_NE((GhostUpdate{true, false, {}}.key()), (GhostUpdate{true, true, {}}.key()));
}

TEST(GhostSchedules, ArraysThatHaveNoNeighbours) {
  Distribution array;
  array.grid = make_grid({3});
  array.dimensions = {cyclic(10, 2, 0)};
  EXPECT_EQ("", validate(GhostUpdate{}, array));
  array.dimensions[0].ghost_above = 1;
  const std::string why = validate(GhostUpdate{}, array);
  for (const char* word : {"dimension 0", "10 elements", "blocks of 2", "3 processes"})
    EXPECT_NE(std::string::npos, why.find(word)) << word << " in: " << why;
  array.dimensions[0].block = 4;
  EXPECT_EQ("", validate(GhostUpdate{}, array));
  array.dimensions[0].offset = 3;  // cells 3 to 12: blocks 0 to 3
  EXPECT_NE("", validate(GhostUpdate{}, array));
  array.dimensions[0].offset = 0;
  EXPECT_NE("", validate(GhostUpdate{true, false, {true, false}}, array));
  array.type = ElementType::opaque;
  array.opaque_bytes = 8;
  EXPECT_EQ("", validate(GhostUpdate{}, array));
  EXPECT_NE(std::string::npos, validate(GhostUpdate{true, true, {}}, array).find("cannot be added"));
}

}  // namespace
}  // namespace lapwing::arrays::testing
