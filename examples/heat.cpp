// SPDX-License-Identifier: Apache-2.0
// Heat spreads over a plate that is cut into bands of rows, one band a rank.
// Each step the ranks exchange their outermost rows, with blocking calls, and
// update every inner point; every tenth step they agree on the total.
// usage: mpiexec -n N heat [COLUMNS] [ROWS PER RANK] [STEPS]
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Band {
  Band(int columns, int rows, int rank) : columns(columns), rows(rows), now(cells()), next(cells()) {
    for (int r = 0; r < rows + 2; ++r)
      for (int c = 0; c < columns; ++c)
        row(now, r)[c] = ((rank * rows + r) * 7 + c * 13) % 101 == 0 ? 100.0 : 0.0;
    next = now;
  }
  std::size_t cells() const { return static_cast<std::size_t>(rows + 2) * columns; }
  double* row(std::vector<double>& plate, int r) {
    return plate.data() + static_cast<std::size_t>(r) * columns;
  }

  int columns, rows;
  std::vector<double> now, next;  // with a row of each neighbour above and below
};

void exchange(Band& band, int up, int down) {
  MPI_Sendrecv(band.row(band.now, 1), band.columns, MPI_DOUBLE, up, 0, band.row(band.now, band.rows + 1),
               band.columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(band.row(band.now, band.rows), band.columns, MPI_DOUBLE, down, 1, band.row(band.now, 0),
               band.columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

double update(Band& band) {
  double total = 0;
  for (int r = 1; r <= band.rows; ++r) {
    const double *above = band.row(band.now, r - 1), *here = band.row(band.now, r),
                 *below = band.row(band.now, r + 1);
    double* out = band.row(band.next, r);
    for (int c = 1; c + 1 < band.columns; ++c) {
      out[c] = here[c] + 0.2 * (above[c] + below[c] + here[c - 1] + here[c + 1] - 4 * here[c]);
      total += out[c];
    }
  }
  band.now.swap(band.next);
  return total;
}

int number(int argc, char** argv, int which, int fallback) {
  const int value = argc > which ? std::atoi(argv[which]) : fallback;
  if (value < 3) {
    std::fprintf(stderr, "usage: mpiexec -n N heat [COLUMNS] [ROWS PER RANK] [STEPS], each at least 3\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = number(argc, argv, 1, 65536), rows = number(argc, argv, 2, 16),
            steps = number(argc, argv, 3, 30);
  const int up = rank == 0 ? MPI_PROC_NULL : rank - 1, down = rank + 1 == size ? MPI_PROC_NULL : rank + 1;

  Band band(columns, rows, rank);
  double total = 0;
  for (int step = 1; step <= steps; ++step) {
    exchange(band, up, down);
    const double mine = update(band);
    if (step % 10 == 0 || step == steps) MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }

  std::uint64_t sum = 0, all = 0;
  for (double value : band.now) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    sum = sum * 1099511628211u + bits;
  }
  MPI_Reduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("heat: %d ranks, %d steps, total %.10e, checksum %016llx\n", size, steps, total,
                static_cast<unsigned long long>(all));
  MPI_Finalize();
}
