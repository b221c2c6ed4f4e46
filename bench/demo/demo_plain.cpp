// SPDX-License-Identifier: Apache-2.0
// A plain MPI program, as most are written: two ranks hand each other a large
// block, wait for it, and compute on it. At 1 Gbit/s about half of the time
// goes into waiting.
#include "demo/demo.hpp"

using namespace lapwing::bench;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const DemoOptions options = parse_demo_options(argc, argv);
  const std::size_t numbers = options.bytes / sizeof(double);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;

  std::vector<double> block = first_block(numbers, rank), received(numbers);
  double in_mpi = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();

  for (int i = 0; i < options.iterations; ++i) {
    const double before = MPI_Wtime();
    MPI_Sendrecv(block.data(), static_cast<int>(numbers), MPI_DOUBLE, next, 0, received.data(),
                 static_cast<int>(numbers), MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in_mpi += MPI_Wtime() - before;

    double carry = 0;
    compute(received.data(), block.data(), numbers, options.work, carry);
  }

  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  report("plain", options, seconds, in_mpi, checksum(block));
  MPI_Finalize();
}
