// SPDX-License-Identifier: Apache-2.0
// multiply.c in C++: two matrices are multiplied, whose rows the processes share; rows of B are read from
// their owners, first as they are needed, then a block ahead. usage: mpiexec -n N multiply [SIZE]     N
// divides SIZE
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <lapwing/memory.hpp>
#include <vector>

// product += columns first to first + rows - 1 of a, times b
static void multiply(int rows, int n, const double* a, int first, const double* b, double* product) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < rows; ++k)
      for (int j = 0; j < n; ++j) product[i * n + j] += a[i * n + first + k] * b[k * n + j];
}

static bool run(int n) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rows = n / size;
  if (rows == 0 || rows * size != n) {
    std::fprintf(stderr, "multiply: %d rows cannot be shared by %d processes\n", n, size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  const auto elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(n);
  lapwing::Memory<double> b(elements, MPI_COMM_WORLD);
  lapwing::Memory<double> whole(rank == 0 ? elements * static_cast<std::size_t>(size) : 0, MPI_COMM_WORLD);
  std::vector<double> a(elements), product(elements), again(elements), block[2];
  for (auto& memory : block) memory.resize(elements);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(i * n + j);
      a[at] = (rank * rows + i + 2 * j) % 7;
      b.mine()[at] = (3 * (rank * rows + i) + j) % 5;
    }
  }
  b.barrier();

  for (int k = 0; k < size; ++k) {
    const int owner = (rank + k) % size;
    b.get(block[0], owner);
    multiply(rows, n, a.data(), owner * rows, block[0].data(), product.data());
  }
  whole.put(product, 0, elements * static_cast<std::size_t>(rank));

  auto next = b.start_get(block[0], rank);
  for (int k = 0; k < size; ++k) {
    const int owner = (rank + k) % size;
    next.wait();
    if (k + 1 < size) next = b.start_get(block[(k + 1) % 2], (owner + 1) % size);
    multiply(rows, n, a.data(), owner * rows, block[k % 2].data(), again.data());
  }

  whole.barrier();
  if (rank == 0) {
    std::uint64_t sum = 0;
    for (const double x : whole.mine()) sum = sum * 31 + static_cast<std::uint64_t>(x);
    std::printf("multiply: %d rows, checksum %016llx, %s\n", n, static_cast<unsigned long long>(sum),
                product == again ? "twice the same" : "not the same again");
  }
  return product == again;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool same = run(argc > 1 ? std::atoi(argv[1]) : 240);
  MPI_Finalize();
  return same ? 0 : 1;
}
