// SPDX-License-Identifier: Apache-2.0
// Declared communication over MPI: every value is the one that program order
// demands, whatever the size, type, order and communicator.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "lapwing/declare.h"

namespace {

class Declared : public testing::Test {
 protected:
  Declared() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  ~Declared() override {
    lapwing_complete();
    EXPECT_EQ(lapwing_declared_pending(), 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int right() const { return (rank + 1) % size; }
  int left() const { return (rank + size - 1) % size; }
  int rank = 0, size = 1;
};

// Small ones travel in the queue, large ones beside it.
const int counts[] = {0, 1, 100, 2048, 2049, 300000};

TEST_F(Declared, RingOfAllSizes) {
  for (const int count : counts) {
    std::vector<std::int32_t> out(static_cast<std::size_t>(count), rank), in(out.size(), -1);
    lapwing_declare_recv(in.data(), count, MPI_INT32_T, left(), 5, MPI_COMM_WORLD);
    lapwing_declare_send(out.data(), count, MPI_INT32_T, right(), 5, MPI_COMM_WORLD);
    lapwing_use(in.data(), in.size() * sizeof in[0]);
    for (const std::int32_t value : in) ASSERT_EQ(value, left());
    lapwing_define(out.data(), out.size() * sizeof out[0]);
    for (auto& value : out) value = -7;
    lapwing_complete();
  }
}

// A value is what its variable held at the declaration, and a later receive into it waits.
TEST_F(Declared, VersionsOfOneVariable) {
  // Within the smaller cap on copies too: exchanging in place needs room.
  for (const int count : {1, 3000, 20000}) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
    std::vector<int> x(static_cast<std::size_t>(count), 0);
    for (int round = 0; round < 20; ++round) {
      lapwing_define(x.data(), bytes);
      for (int& value : x) value = 1000 * round + rank;
      lapwing_declare_send(x.data(), count, MPI_INT, right(), 0, MPI_COMM_WORLD);
      lapwing_declare_recv(x.data(), count, MPI_INT, left(), 0, MPI_COMM_WORLD);
      // Passed on before it is here.
      lapwing_declare_send(x.data(), count, MPI_INT, right(), 1, MPI_COMM_WORLD);
      lapwing_declare_recv(x.data(), count, MPI_INT, left(), 1, MPI_COMM_WORLD);
      lapwing_use(x.data(), bytes);
      for (const int value : x) ASSERT_EQ(value, 1000 * round + (rank + 2 * size - 2) % size);
    }
    lapwing_complete();
  }
}

TEST_F(Declared, ADefinitionDoesNotWaitForTheReceiver) {
  if (size < 2) return;
  int x = 1, y = 0;
  if (rank == 0) {
    for (int i = 0; i < 50; ++i) {
      lapwing_define(&x, sizeof x);
      x = i;
      lapwing_declare_send(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    }
    // Nobody has received yet: rank 1 declares only now.
    MPI_Send(&x, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    lapwing_complete();
  } else if (rank == 1) {
    MPI_Recv(&y, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 50; ++i) {
      lapwing_declare_recv(&y, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
      lapwing_use(&y, sizeof y);
      ASSERT_EQ(y, i);
    }
  }
}

TEST_F(Declared, ReceivesMayBeDeclaredInAnyOrderOfTags) {
  std::vector<int> in(64, -1), out(64);
  std::iota(out.begin(), out.end(), 100 * rank);
  for (int tag = 63; tag >= 0; --tag)
    lapwing_declare_recv(&in[static_cast<std::size_t>(tag)], 1, MPI_INT, left(), tag, MPI_COMM_WORLD);
  for (int tag = 0; tag < 64; ++tag)
    lapwing_declare_send(&out[static_cast<std::size_t>(tag)], 1, MPI_INT, right(), tag, MPI_COMM_WORLD);
  for (int tag = 0; tag < 64; ++tag) {
    lapwing_use(&in[static_cast<std::size_t>(tag)], sizeof(int));
    EXPECT_EQ(in[static_cast<std::size_t>(tag)], 100 * left() + tag);
  }
  lapwing_complete();  // the values to send must stay until they have left
}

TEST_F(Declared, ColumnsKeepWhatLiesBetween) {
  for (const int rows : {10, 5000}) {
    const int columns = 3;
    MPI_Datatype column;
    MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    std::vector<double> out(static_cast<std::size_t>(rows * columns)), in(out.size(), -1);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = rank * 1e6 + static_cast<double>(i);
    lapwing_declare_recv(in.data() + 1, 1, column, left(), 0, MPI_COMM_WORLD);
    lapwing_declare_send(out.data() + 2, 1, column, right(), 0, MPI_COMM_WORLD);
    MPI_Type_free(&column);
    lapwing_define(out.data(), out.size() * sizeof(double));
    for (double& value : out) value = -2;
    lapwing_use(in.data(), in.size() * sizeof(double));
    for (int i = 0; i < rows * columns; ++i)
      ASSERT_EQ(in[static_cast<std::size_t>(i)], i % columns == 1 ? left() * 1e6 + i + 1 : -1);
    lapwing_complete();
  }
}

TEST_F(Declared, BroadcastsAndReductionsFromEveryRoot) {
  for (const int count : {1, 500, 20000}) {
    std::vector<long> mine(static_cast<std::size_t>(count)), sum(mine.size()), all(mine.size());
    const std::size_t bytes = mine.size() * sizeof(long);
    for (int root = 0; root < size; ++root) {
      lapwing_define(mine.data(), bytes);
      for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = rank * 7 + static_cast<long>(i) + root;
      lapwing_declare_reduce(mine.data(), sum.data(), count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
      lapwing_declare_bcast(sum.data(), count, MPI_LONG, root, MPI_COMM_WORLD);
      lapwing_declare_allreduce(mine.data(), all.data(), count, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
      lapwing_use(sum.data(), bytes);
      lapwing_use(all.data(), bytes);
      for (std::size_t i = 0; i < mine.size(); ++i) {
        ASSERT_EQ(sum[i], 7L * size * (size - 1) / 2 + size * (static_cast<long>(i) + root));
        ASSERT_EQ(all[i], 7L * (size - 1) + static_cast<long>(i) + root);
      }
    }
    lapwing_complete();
  }
}

// x -> a x + b, composed: associative, and does not commute.
void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  auto* f = static_cast<std::int64_t*>(in);
  auto* g = static_cast<std::int64_t*>(inout);
  for (int i = 0; i < *count; ++i, f += 2, g += 2) {
    g[1] = (f[0] * g[1] + f[1]) % 1000003;
    g[0] = f[0] * g[0] % 1000003;
  }
}

TEST_F(Declared, AnOperationThatDoesNotCommuteKeepsTheOrderOfRanks) {
  MPI_Op op;
  MPI_Op_create(compose, 0, &op);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT64_T, &pair);
  MPI_Type_commit(&pair);
  for (int root = 0; root < size; ++root) {
    std::int64_t mine[2] = {rank + 2, 3 * rank + 1}, declared[2] = {0, 0}, plain[2] = {0, 0};
    MPI_Reduce(mine, plain, 1, pair, op, root, MPI_COMM_WORLD);
    lapwing_declare_reduce(mine, declared, 1, pair, op, root, MPI_COMM_WORLD);
    lapwing_define(mine, sizeof mine);
    mine[0] = mine[1] = -1;
    lapwing_use(declared, sizeof declared);
    if (rank == root) {
      EXPECT_EQ(declared[0], plain[0]);
      EXPECT_EQ(declared[1], plain[1]);
    }
    lapwing_complete();
  }
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

TEST_F(Declared, InPlaceAndSubcommunicators) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  lapwing_declare_open(half);
  int half_rank = 0, half_size = 1;
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  double x = rank, expected = 0;
  for (int other = rank % 2; other < size; other += 2) expected += other;
  lapwing_declare_allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, half);
  double world = 1;
  lapwing_declare_allreduce(MPI_IN_PLACE, &world, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int token = rank, received = -1;
  lapwing_declare_send(&token, 1, MPI_INT, (half_rank + 1) % half_size, 0, half);
  lapwing_declare_recv(&received, 1, MPI_INT, (half_rank + half_size - 1) % half_size, 0, half);
  MPI_Comm_free(&half);  // what has been declared stays
  lapwing_use(&x, sizeof x);
  lapwing_use(&world, sizeof world);
  lapwing_use(&received, sizeof received);
  EXPECT_EQ(x, expected);
  EXPECT_EQ(world, size);
  EXPECT_EQ(received % 2, rank % 2);
  lapwing_complete();
}

// Without a call from here, the helper's is the only hand that moves anything.
TEST_F(Declared, ProceedsWhileAPartnerWaitsInMpi) {
  if (size < 2) return;
  const char* helper = getenv("LAPWING_HELPER");
  if (helper && std::string(helper) == "off") GTEST_SKIP() << "there is no helper";
  int x = 17, y = 0;
  if (rank == 0) {
    lapwing_declare_send(&x, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
    MPI_Recv(&y, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    lapwing_complete();
    EXPECT_EQ(y, 17);
  } else if (rank == 1) {
    usleep(20000);
    lapwing_declare_recv(&x, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    x = 0;
    lapwing_use(&x, sizeof x);
    MPI_Send(&x, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
  }
}

// Every process carries out its part of one random program, and all the parts
// of it together say what each variable must hold.
TEST_F(Declared, RandomPrograms) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const int variables = 3, width = seed % 2 ? 1 : 3000;
    const auto any = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    std::vector<std::vector<int>> model(static_cast<std::size_t>(size), std::vector<int>(variables));
    std::vector<std::vector<int>> memory(variables, std::vector<int>(static_cast<std::size_t>(width)));
    const std::size_t bytes = static_cast<std::size_t>(width) * sizeof(int);
    const auto at = [&](int r, int v) -> int& {
      return model[static_cast<std::size_t>(r)][static_cast<std::size_t>(v)];
    };
    for (int i = 0; i < 60; ++i) {
      const int a = any(size), b = any(size), v = any(variables), w = any(variables), what = any(8);
      auto& x = memory[static_cast<std::size_t>(v)];
      auto& y = memory[static_cast<std::size_t>(w)];
      if (what < 2) {
        at(a, v) = i + 1;
        if (rank != a) continue;
        lapwing_define(x.data(), bytes);
        for (int& value : x) value = i + 1;
      } else if (what < 6) {
        at(b, w) = at(a, v);
        if (rank == a) lapwing_declare_send(x.data(), width, MPI_INT, b, 1, MPI_COMM_WORLD);
        if (rank == b) lapwing_declare_recv(y.data(), width, MPI_INT, a, 1, MPI_COMM_WORLD);
      } else if (what == 6) {
        for (int r = 0; r < size; ++r) at(r, v) = at(a, v);
        lapwing_declare_bcast(x.data(), width, MPI_INT, a, MPI_COMM_WORLD);
      } else {
        int sum = 0;
        for (int r = 0; r < size; ++r) sum = (sum + at(r, v)) % 1000;
        for (int r = 0; r < size; ++r) at(r, v) %= 1000;
        lapwing_define(x.data(), bytes);
        for (int& value : x) value %= 1000;
        if (v == w) continue;
        lapwing_declare_reduce(x.data(), y.data(), width, MPI_INT, MPI_SUM, a, MPI_COMM_WORLD);
        if (rank == a) {
          lapwing_define(y.data(), bytes);
          for (int& value : y) value %= 1000;
        }
        at(a, w) = sum;
      }
    }
    for (int v = 0; v < variables; ++v) {
      lapwing_use(memory[static_cast<std::size_t>(v)].data(), bytes);
      for (const int value : memory[static_cast<std::size_t>(v)])
        ASSERT_EQ(value, at(rank, v)) << "seed " << seed;
    }
    lapwing_complete();
  }
}

}  // namespace
