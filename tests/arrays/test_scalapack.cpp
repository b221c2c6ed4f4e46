// SPDX-License-Identifier: Apache-2.0
// Two-dimensional redistributions against ScaLAPACK's pdgemr2d: the same bytes in
// the same places; and transforms against pdgeadd. ARRAYS_CASES and ARRAYS_SEED say how many and which.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "lapwing/arrays.h"
#include "support/case_counts.hpp"

namespace {

using lapwing::from_environment;

// The C interfaces of BLACS and of the redistribution.
struct ScaLapack {
  int (*handle)(MPI_Comm) = nullptr;
  void (*grid)(int*, const char*, int, int) = nullptr;
  void (*leave)(int) = nullptr;
  void (*add)(const char*, const int*, const int*, const double*, const double*, const int*, const int*,
              const int*, const double*, double*, const int*, const int*, const int*) = nullptr;
  void (*move)(int, int, const double*, int, int, const int*, double*, int, int, const int*, int) = nullptr;

  ScaLapack() {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    const bool openmpi = std::strstr(version, "Open MPI") != nullptr;
    void* library = nullptr;
    for (const char* end : {".so", ".so.2.2", ".so.2.1", ".so.2"}) {
      const std::string name = std::string("libscalapack-") + (openmpi ? "openmpi" : "mpich") + end;
      if ((library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL)) != nullptr) break;
    }
    if (!library) return;
    handle = reinterpret_cast<decltype(handle)>(dlsym(library, "Csys2blacs_handle"));
    grid = reinterpret_cast<decltype(grid)>(dlsym(library, "Cblacs_gridinit"));
    leave = reinterpret_cast<decltype(leave)>(dlsym(library, "Cblacs_gridexit"));
    add = reinterpret_cast<decltype(add)>(dlsym(library, "pdgeadd_"));
    move = reinterpret_cast<decltype(move)>(dlsym(library, "Cpdgemr2d"));
  }
  bool there() const { return handle && grid && leave && move; }
};

int numroc(int n, int block, int process, int first, int processes) {
  const int distance = (processes + process - first) % processes, blocks = n / block;
  int count = blocks / processes * block;
  if (distance < blocks % processes) count += block;
  if (distance == blocks % processes) count += n % block;
  return count;
}

struct Matrix {
  int rows, columns;  // of processes
  int descriptor[9];
  int local_columns = 0;
  lapwing_distribution* distribution = nullptr;

  /// On a grid of its own, or on that of another matrix.
  Matrix(std::mt19937& random, int size, int rank, int m, int n,
         const std::map<std::pair<int, int>, int>& contexts, const Matrix* like = nullptr) {
    auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    rows = like ? like->rows : 1 + below(size);
    columns = like ? like->columns : 1 + below(size / rows);
    const int context = contexts.at({rows, columns});
    const int mb = 1 + below(9), nb = 1 + below(9), r = below(rows), c = below(columns), pad = below(3);
    const bool inside = rank < rows * columns;
    const int mine = inside ? numroc(m, mb, rank / columns, r, rows) : 0;
    local_columns = inside ? numroc(n, nb, rank % columns, c, columns) : 0;
    const int values[9] = {1, inside ? context : -1, m, n, mb, nb, r, c, std::max(1, mine + pad)};
    std::copy(values, values + 9, descriptor);
    EXPECT_EQ(0, lapwing_distribution_from_scalapack(descriptor, LAPWING_FLOAT64, rows, columns,
                                                     LAPWING_ROW_MAJOR, &distribution));
  }
  ~Matrix() { lapwing_distribution_free(&distribution); }
  std::size_t size() const {
    return static_cast<std::size_t>(descriptor[8]) * static_cast<std::size_t>(local_columns + 1);
  }
};

class ScaLapackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!scalapack.there())
      GTEST_SKIP() << "this MPI's ScaLAPACK (libscalapack-mpich, libscalapack-openmpi) is not installed";
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int system = scalapack.handle(MPI_COMM_WORLD);
    for (int rows = 1; rows <= size; ++rows)
      for (int columns = 1; rows * columns <= size; ++columns) {
        int context = system;
        scalapack.grid(&context, "Row", rows, columns);
        contexts[{rows, columns}] = context;
      }
    ASSERT_EQ(0, lapwing_tasks_of_sizes(MPI_COMM_WORLD, 1, &size, &tasks));
  }
  void TearDown() override {
    if (!scalapack.there()) return;
    ASSERT_EQ(0, lapwing_tasks_free(&tasks));
    for (const auto& [shape, context] : contexts)
      if (rank < shape.first * shape.second) scalapack.leave(context);
  }

  const ScaLapack scalapack;
  const std::int64_t cases = from_environment("ARRAYS_CASES", 150), seed = from_environment("ARRAYS_SEED", 1);
  int size = 0, rank = 0;
  std::map<std::pair<int, int>, int> contexts;
  lapwing_tasks* tasks = nullptr;
};

TEST_F(ScaLapackTest, TheSameAsPdgemr2d) {
  for (std::int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(static_cast<unsigned>(seed + i));
    auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    const int m = 1 + below(40), n = 1 + below(40);
    const int before[4] = {below(4), below(4), below(4), below(4)},
              after[4] = {below(3), below(3), below(3), below(3)};
    const Matrix a(random, size, rank, m + before[0] + after[0], n + before[1] + after[1], contexts);
    const Matrix b(random, size, rank, m + before[2] + after[2], n + before[3] + after[3], contexts);
    std::vector<double> from(a.size()), ours(b.size(), -1.0), theirs(b.size(), -1.0);
    for (std::size_t k = 0; k < from.size(); ++k) from[k] = rank * 1e6 + static_cast<double>(k);
    scalapack.move(m, n, from.data(), before[0] + 1, before[1] + 1, a.descriptor, theirs.data(),
                   before[2] + 1, before[3] + 1, b.descriptor, contexts.at({1, size}));
    const std::int64_t count[] = {m, n}, first_a[] = {before[0], before[1]},
                       first_b[] = {before[2], before[3]};
    lapwing_distribution *out = nullptr, *in = nullptr;
    ASSERT_EQ(0, lapwing_distribution_section(a.distribution, first_a, count, nullptr, nullptr, &out));
    ASSERT_EQ(0, lapwing_distribution_section(b.distribution, first_b, count, nullptr, nullptr, &in));
    ASSERT_EQ(0, lapwing_array_redistribute(from.data(), static_cast<std::int64_t>(from.size()), out,
                                            ours.data(), static_cast<std::int64_t>(ours.size()), in, tasks));
    lapwing_distribution_free(&out);
    lapwing_distribution_free(&in);
    ASSERT_TRUE(ours == theirs) << "case " << seed + i << " on rank " << rank;
  }
}

// Both matrices on one grid, as PBLAS wants them; whole numbers, so that no order of roundings shows.
TEST_F(ScaLapackTest, TheSameAsPdgeadd) {
  if (!scalapack.add) GTEST_SKIP() << "without pdgeadd";
  for (std::int64_t i = 0; i < cases; ++i) {
    std::mt19937 random(static_cast<unsigned>(seed + i) + 77);
    auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    const bool turned = below(2);
    const int m = 1 + below(30), n = 1 + below(30), first[4] = {below(4), below(4), below(4), below(4)};
    const int rows = turned ? n : m, columns = turned ? m : n;
    const Matrix a(random, size, rank, rows + first[0], columns + first[1], contexts);
    const Matrix c(random, size, rank, m + first[2], n + first[3], contexts, &a);
    const double alpha[2] = {static_cast<double>(below(9) - 4), 0},
                 beta[2] = {static_cast<double>(below(5) - 2), 0};
    std::vector<double> from(a.size()), ours(c.size()), theirs;
    for (std::size_t k = 0; k < from.size(); ++k) from[k] = rank * 1000 + static_cast<double>(k);
    for (std::size_t k = 0; k < ours.size(); ++k) ours[k] = rank * 7 - static_cast<double>(3 * k);
    theirs = ours;
    const int ia = first[0] + 1, ja = first[1] + 1, ic = first[2] + 1, jc = first[3] + 1;
    if (rank < a.rows * a.columns)
      scalapack.add(turned ? "T" : "N", &m, &n, alpha, from.data(), &ia, &ja, a.descriptor, beta,
                    theirs.data(), &ic, &jc, c.descriptor);
    const std::int64_t shape_a[] = {rows, columns}, shape_c[] = {m, n}, first_a[] = {first[0], first[1]},
                       first_c[] = {first[2], first[3]};
    lapwing_distribution *out = nullptr, *in = nullptr;
    ASSERT_EQ(0, lapwing_distribution_section(a.distribution, first_a, shape_a, nullptr, nullptr, &out));
    ASSERT_EQ(0, lapwing_distribution_section(c.distribution, first_c, shape_c, nullptr, nullptr, &in));
    ASSERT_EQ(0, lapwing_array_transform(turned ? LAPWING_OP_TRANSPOSE : LAPWING_OP_NONE, alpha, from.data(),
                                         static_cast<std::int64_t>(from.size()), out, beta, ours.data(),
                                         static_cast<std::int64_t>(ours.size()), in, tasks));
    lapwing_distribution_free(&out);
    lapwing_distribution_free(&in);
    ASSERT_TRUE(ours == theirs) << "case " << seed + i << " on rank " << rank;
  }
}

}  // namespace
