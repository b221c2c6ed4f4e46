// SPDX-License-Identifier: Apache-2.0
// Updates of ghosts between processes: random ones by random calls and strategies,
// byte by byte against a serial array (ghost_case.hpp; ARRAYS_CASES and ARRAYS_SEED
// say how many and which), and what programs rely on beside the bytes.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstring>
#include <map>

#include "arrays/ghost_case.hpp"
#include "arrays/schedules/local.hpp"
#include "entry/arrays/arrays.hpp"
#include "lapwing/arrays.hpp"
#include "support/case_counts.hpp"

namespace lapwing::arrays::testing {
namespace {

class Ghosts : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(0, lapwing_tasks_create(MPI_COMM_WORLD, 0, &tasks_));
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  static void TearDownTestSuite() { EXPECT_EQ(0, lapwing_tasks_free(&tasks_)); }
  void SetUp() override {
    lapwing_tasks_strategy(tasks_, LAPWING_STRATEGY_AUTOMATIC);
    tune(false);
  }
  void TearDown() override { tune(false); }

  // Arrays of tests are small, so strips are where they are to be met.
  static void tune(bool small) {
    Exchange::one_message = small ? 50 : 192 << 10;
    Exchange::strip_size = small ? 40 : 128 << 10;
    Exchange::posted_ahead = small ? 100 : 8 << 20;
    Exchange::sharing = true;
    NodeWire::reading = NodeWire::Reading::always;
    NearStreams::packed_strip = NearStreams::read_strip = small ? 40 : NodeWire::slot_bytes;
    NearStreams::long_run = small ? 8 : 1024;
  }
  static lapwing_distribution handle(const GhostCase& c) {
    return {std::make_shared<View>(View{c.distribution, {}, false})};
  }
  static std::vector<int> periods(const GhostCase& c) {
    return {c.update.periodic.begin(), c.update.periodic.end()};
  }

  static inline lapwing_tasks* tasks_ = nullptr;
  static inline int size_ = 1, rank_ = 0;
};

TEST_F(Ghosts, RandomUpdatesFillThem) {
  const std::int64_t cases = from_environment("ARRAYS_CASES", size_ > 4 ? 60 : 200);
  const std::int64_t seed = from_environment("ARRAYS_SEED", 1);
  for (std::int64_t i = 0; i < cases; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed + i));
    const GhostCase drawn = random_ghost_case(random, size_);
    const int how = static_cast<int>(random() % 3);
    const int strategy = static_cast<int>(random() % 5);
    lapwing_tasks_strategy(tasks_, strategy);
    tune(random() % 2);
    Exchange::sharing = random() % 3 != 0;
    if (random() % 2) NodeWire::reading = NodeWire::Reading::never;
    const lapwing_distribution array = handle(drawn);
    const std::vector<int> flags = periods(drawn);
    const int* const periodic = flags.empty() ? nullptr : flags.data();
    const int ghosts = drawn.update.corners ? LAPWING_GHOSTS_CORNERS : LAPWING_GHOSTS_FACES;
    GhostMemory a(drawn, rank_), b(drawn, rank_);
    a.fill(1);
    b.fill(2);
    if (how == 0) {
      // Repeated calls are kept, on each process for itself: some get another handle each time.
      const bool anew = random() % 2 && (random() >> rank_) % 2;
      for (int turn = 1; turn <= 4; ++turn) {
        const lapwing_distribution other = handle(drawn);
        const lapwing_distribution* const given = anew ? &other : &array;
        a.fill(turn);
        b.fill(-turn);
        ASSERT_EQ(0, lapwing_array_update_ghosts(a.data(), a.elements(), given, ghosts, periodic, tasks_));
        ASSERT_EQ(0, lapwing_array_update_ghosts(b.data(), b.elements(), given, ghosts, periodic, tasks_));
        EXPECT_TRUE(a.right() && b.right()) << "turn " << turn << " on rank " << rank_;
      }
    } else {
      const auto begin = how == 1 ? lapwing_array_iupdate_ghosts : lapwing_array_update_ghosts_init;
      lapwing_array_request* requests[2];
      ASSERT_EQ(0, begin(a.data(), a.elements(), &array, ghosts, periodic, tasks_, &requests[0]));
      ASSERT_EQ(0, begin(b.data(), b.elements(), &array, ghosts, periodic, tasks_, &requests[1]));
      for (int turn = 1; turn <= (how == 1 ? 1 : 3); ++turn) {
        if (how == 2) {
          a.fill(turn);  // in the same place
          b.fill(-turn);
          ASSERT_EQ(0, lapwing_array_startall(2, requests));
        }
        lapwing_array_status statuses[2];
        ASSERT_EQ(0, lapwing_array_waitall(2, requests, statuses));
        EXPECT_EQ(a.ghosts(), statuses[0].elements);
        EXPECT_TRUE(a.right() && b.right()) << "turn " << turn << " on rank " << rank_;
      }
      for (lapwing_array_request*& request : requests) lapwing_array_request_free(&request);
    }
    EXPECT_TRUE(a.right() && b.right()) << "on rank " << rank_;
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "case " << seed + i << ": how " << how << ", strategy " << strategy << ", "
                    << drawn.describe();
      return;
    }
  }
}

// Every process reckons what its elements come to, from what all have in their ghosts.
TEST_F(Ghosts, RandomGhostsAreAdded) {
  const std::int64_t cases = from_environment("ARRAYS_CASES", size_ > 4 ? 40 : 120);
  const std::int64_t seed = from_environment("ARRAYS_SEED", 1);
  for (std::int64_t i = 0; i < cases; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed + i));
    GhostCase drawn = random_ghost_case(random, size_);
    static constexpr ElementType types[] = {ElementType::int8,
                                            ElementType::uint16,
                                            ElementType::int32,
                                            ElementType::float32,
                                            ElementType::float64,
                                            ElementType::complex128,
                                            ElementType::complex_long_double};
    Distribution& layout = drawn.distribution;
    layout.opaque_bytes = 0;
    layout.type = types[random() % 7];
    lapwing_tasks_strategy(tasks_, static_cast<int>(random() % 5));
    tune(random() % 2);
    Exchange::sharing = random() % 3 != 0;
    const int how = static_cast<int>(random() % 3);
    const std::int64_t size = layout.element_bytes();
    // Small whole numbers: of one process, at one place, in one turn.
    const auto value = [](int rank, std::int64_t offset, int turn) {
      return (offset * 5 + 3 * rank + turn) % 4;
    };
    const auto put = [&](std::byte* to, std::int64_t offset, std::int64_t number) {
      convert(ElementType::int64, &number, layout.type, to + offset * size, 1);
    };
    const auto copies = [&](int rank) {  // which of a replicated array's
      std::vector<int> at = local_part(layout, rank).coordinates;
      for (const Dimension& d : layout.dimensions)
        if (d.grid_dimension >= 0 && !at.empty()) at[static_cast<std::size_t>(d.grid_dimension)] = 0;
      return at;
    };
    GhostMemory a(drawn, rank_);
    a.fill(0);
    std::vector<std::byte> memory(static_cast<std::size_t>(a.elements() * size)), expected;
    const auto refill = [&](int turn) {
      for (std::int64_t p = 0; p < a.elements(); ++p) put(memory.data(), p, value(rank_, p, turn));
      expected = memory;
      std::map<std::vector<std::int64_t>, std::int64_t> sums;
      for (int q = 0; q < size_; ++q) {
        if (copies(q) != copies(rank_)) continue;
        for (const auto& each : GhostMemory(drawn, q).known())
          if (each.ghost) sums[each.index] += value(q, each.offset, turn);
      }
      for (const auto& each : a.known())
        if (!each.ghost)
          put(expected.data(), each.offset, value(rank_, each.offset, turn) + sums[each.index]);
    };
    const lapwing_distribution array = handle(drawn);
    const std::vector<int> flags = periods(drawn);
    const int* const periodic = flags.empty() ? nullptr : flags.data();
    const int ghosts = drawn.update.corners ? LAPWING_GHOSTS_CORNERS : LAPWING_GHOSTS_FACES;
    refill(1);
    if (how == 0) {
      for (int turn = 1; turn <= 3; ++turn) {
        refill(turn);
        ASSERT_EQ(0, lapwing_array_add_ghosts(memory.data(), a.elements(), &array, ghosts, periodic, tasks_));
        EXPECT_TRUE(memory == expected) << "turn " << turn << " on rank " << rank_;
      }
    } else {
      lapwing_array_request* request = nullptr;
      const auto begin = how == 1 ? lapwing_array_iadd_ghosts : lapwing_array_add_ghosts_init;
      ASSERT_EQ(0, begin(memory.data(), a.elements(), &array, ghosts, periodic, tasks_, &request));
      for (int turn = 1; turn <= (how == 1 ? 1 : 3); ++turn) {
        if (how == 2) {
          refill(turn);
          ASSERT_EQ(0, lapwing_array_start(request));
        }
        ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
        EXPECT_TRUE(memory == expected) << "turn " << turn << " on rank " << rank_;
      }
      lapwing_array_request_free(&request);
    }
    EXPECT_TRUE(memory == expected) << "on rank " << rank_;
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "case " << seed + i << ": how " << how << ", " << drawn.describe();
      return;
    }
  }
}

// Rows in one piece on each process: boundary rows are sent from, and received,
// where they lie, whatever their size.
TEST_F(Ghosts, PlanesInOneRunAreNotPacked) {
  for (const std::int64_t columns : {40, 40'000}) {
    GhostCase c;
    c.distribution.grid = make_grid({size_});
    c.distribution.dimensions = {block(3 * size_, size_, 0), collapsed(columns)};
    c.distribution.dimensions[0].ghost_below = c.distribution.dimensions[0].ghost_above = 1;
    const lapwing_distribution array = handle(c);
    for (const bool persistent : {false, true}) {
      Exchange::sharing = false;
      GhostMemory a(c, rank_);
      a.fill(1);
      lapwing_tasks_time_steps(tasks_, 1);
      lapwing_array_request* request = nullptr;
      const auto begin = persistent ? lapwing_array_update_ghosts_init : lapwing_array_iupdate_ghosts;
      ASSERT_EQ(0, begin(a.data(), a.elements(), &array, LAPWING_GHOSTS_CORNERS, nullptr, tasks_, &request));
      if (persistent) {
        ASSERT_EQ(0, lapwing_array_start(request));
      }
      ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
      lapwing_array_steps steps;
      lapwing_tasks_steps(tasks_, &steps);
      lapwing_tasks_time_steps(tasks_, 0);
      const std::uint64_t neighbours = (rank_ > 0 ? 1u : 0u) + (rank_ + 1 < size_ ? 1u : 0u);
      EXPECT_EQ(0u, steps.packing_ns);
      EXPECT_EQ(neighbours * static_cast<std::uint64_t>(columns) * 8, steps.bytes);
      if (columns == 40) {
        EXPECT_EQ(neighbours, steps.messages);
      }
      EXPECT_EQ(1u, steps.transfers);
      EXPECT_TRUE(a.right());
      lapwing_array_request_free(&request);
    }
  }
}

// Neighbours in a grid of two dimensions get one message each, corners and all.
TEST_F(Ghosts, OneMessageForEachNeighbour) {
  if (size_ != 4) return;
  GhostCase c;
  c.distribution.grid = make_grid({2, 2});
  for (int g = 0; g < 2; ++g) {
    c.distribution.dimensions.push_back(block(9, 2, g));
    c.distribution.dimensions[static_cast<std::size_t>(g)].ghost_below = 2;
    c.distribution.dimensions[static_cast<std::size_t>(g)].ghost_above = 1;
  }
  const lapwing_distribution array = handle(c);
  const int everywhere[2] = {1, 1};
  for (const int ghosts : {LAPWING_GHOSTS_FACES, LAPWING_GHOSTS_CORNERS}) {
    for (const int* periodic : {static_cast<const int*>(nullptr), everywhere}) {
      c.update = {ghosts == LAPWING_GHOSTS_CORNERS, false, {}};
      if (periodic) c.update.periodic = {true, true};
      GhostMemory a(c, rank_);
      a.fill(1);
      lapwing_tasks_time_steps(tasks_, 1);
      ASSERT_EQ(0, lapwing_array_update_ghosts(a.data(), a.elements(), &array, ghosts, periodic, tasks_));
      lapwing_array_steps steps;
      lapwing_tasks_steps(tasks_, &steps);
      lapwing_tasks_time_steps(tasks_, 0);
      EXPECT_EQ(c.update.corners ? 3u : 2u, steps.messages);
      EXPECT_TRUE(a.right());
    }
  }
}

// By the calls of C++: all ghosts are 1, so that an element counts the processes that have it as a ghost.
TEST_F(Ghosts, FromCpp) {
  const Tasks tasks(MPI_COMM_WORLD, 0);
  lapwing_dimension dimension = lapwing_block(3 * size_, size_, 0);
  dimension.ghost_below = dimension.ghost_above = 1;
  DistributedArray<int> a(tasks, {dimension}, {size_});
  const auto expect = [&](int wrapped) {
    a.each([&](const auto& index, int& x) {
      const bool first = index[0] % 3 == 0, last = index[0] % 3 == 2;
      const bool edge = index[0] == 0 || index[0] == 3 * size_ - 1;
      EXPECT_EQ((first || last) && !(edge && !wrapped) ? 1 : 0, x) << index[0];
    });
  };
  const auto refill = [&] {
    std::fill(a.local().begin(), a.local().end(), 1);
    a.each([](const auto&, int& x) { x = 0; });
  };
  refill();
  add_ghosts(a, tasks);
  expect(0);
  refill();
  EXPECT_EQ(2, iadd_ghosts(a, tasks, LAPWING_GHOSTS_FACES, {1}).wait().elements);
  expect(1);
  ArrayRequest request = add_ghosts_init(a, tasks, LAPWING_GHOSTS_FACES, {1});
  for (int turn = 0; turn < 2; ++turn) {
    refill();
    request.start();
    request.wait();
    expect(1);
  }
  EXPECT_THROW(add_ghosts(a, tasks, LAPWING_GHOSTS_FACES, {1, 1}), std::invalid_argument);
}

// Updates, redistributions and messages of the program on the task's communicator do not meet.
TEST_F(Ghosts, BesideOtherTransfers) {
  GhostCase c;
  c.distribution.grid = make_grid({size_});
  c.distribution.dimensions = {block(4 * size_, size_, 0), collapsed(7)};
  c.distribution.dimensions[0].ghost_below = 1;
  const lapwing_distribution array = handle(c);
  Distribution plain = c.distribution;
  plain.dimensions[0].ghost_below = 0;
  const lapwing_distribution flat{std::make_shared<View>(View{plain, {}, false})};
  GhostMemory a(c, rank_), b(c, rank_);
  a.fill(1), b.fill(2);
  std::vector<double> copy(28);
  lapwing_array_request* requests[3];
  const auto all = static_cast<std::int64_t>(copy.size());
  ASSERT_EQ(0, lapwing_array_iupdate_ghosts(a.data(), a.elements(), &array, LAPWING_GHOSTS_FACES, nullptr,
                                            tasks_, &requests[0]));
  ASSERT_EQ(0, lapwing_array_iredistribute(a.data(), a.elements(), &array, copy.data(), all, &flat, tasks_,
                                           &requests[1]));
  ASSERT_EQ(0, lapwing_array_iupdate_ghosts(b.data(), b.elements(), &array, LAPWING_GHOSTS_FACES, nullptr,
                                            tasks_, &requests[2]));
  const std::int64_t first[] = {0, 0}, count[] = {1, 1};
  ASSERT_EQ(0, lapwing_array_wait_section(requests[2], first, count));
  EXPECT_TRUE(b.right()) << "to wait for a section of ghosts waits for all";
  int done = 0;
  while (!done) ASSERT_EQ(0, lapwing_array_testall(3, requests, &done, nullptr));
  EXPECT_TRUE(a.right());
  EXPECT_EQ(0, std::memcmp(copy.data(), a.data() + 7 * sizeof(double), copy.size() * sizeof(double)));
}

}  // namespace
}  // namespace lapwing::arrays::testing
