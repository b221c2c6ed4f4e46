// SPDX-License-Identifier: Apache-2.0
// substitute.c in C++: a hint holds as long as its scope.
// usage: mpiexec -n 2 substitute [ROWS [STEPS]]
#include <mpi.h>
#include <lapwing/hints.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int system_tag = 0, series_tag = 1, block_tag = 2, blocks = 4;

struct Row {
  double diagonal, upper, right;
};

struct Data {
  explicit Data(std::size_t n) : rows(n), series(n) { block.fill(std::vector<double>(n)); }
  int size() const { return static_cast<int>(rows.size()); }

  std::vector<Row> rows;
  std::vector<double> series;
  std::array<std::vector<double>, blocks> block;
};

void send_all(const Data& data, int to) {
  const int n = data.size();
  {
    // Back substitution begins with the last row: strips travel from the end.
    const lapwing::HintScope hints({.order = LAPWING_ORDER_DOWN});
    MPI_Send(data.rows.data(), 3 * n, MPI_DOUBLE, to, system_tag, MPI_COMM_WORLD);
  }
  {
    // The first elements are wanted early.
    const lapwing::HintScope hints({.first = 16 << 10, .largest = 128 << 10});
    MPI_Send(data.series.data(), n, MPI_DOUBLE, to, series_tag, MPI_COMM_WORLD);
  }
  std::array<MPI_Request, blocks> sent;
  {
    // The later blocks are hidden behind the earlier ones.
    const lapwing::HintScope hints({.train = 2});
    for (int k = 0; k < blocks; ++k)
      MPI_Isend(data.block[k].data(), n, MPI_DOUBLE, to, block_tag + k, MPI_COMM_WORLD, &sent[k]);
  }
  for (MPI_Request& each : sent) MPI_Wait(&each, MPI_STATUS_IGNORE);
}

double receive_all(Data& data, int from) {
  const int n = data.size();
  MPI_Recv(data.rows.data(), 3 * n, MPI_DOUBLE, from, system_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double x = 0, result = 0;
  for (auto row = data.rows.rbegin(); row != data.rows.rend(); ++row) {
    x = (row->right - row->upper * x) / row->diagonal;
    result += x;
  }
  MPI_Recv(data.series.data(), n, MPI_DOUBLE, from, series_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (const double term : data.series) result = 0.5 * result + term;

  std::array<MPI_Request, blocks> coming;
  for (int k = 0; k < blocks; ++k)
    MPI_Irecv(data.block[k].data(), n, MPI_DOUBLE, from, block_tag + k, MPI_COMM_WORLD, &coming[k]);
  for (int k = 0; k < blocks; ++k) {
    MPI_Wait(&coming[k], MPI_STATUS_IGNORE);
    for (const double value : data.block[k]) result = 0.25 * result + value;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 17;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 4;
  if (n < 1) {
    std::fprintf(stderr, "substitute: there must be rows\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  Data data(static_cast<std::size_t>(n));
  double sum = 0, all = 0;
  for (int step = 0; step < steps; ++step) {
    if (rank % 2 == 1) {
      sum += receive_all(data, rank - 1);
    } else if (rank + 1 < size) {
      for (int i = 0; i < n; ++i) {
        data.rows[i] = {4, 1, static_cast<double>((i + step) % 11)};
        data.series[i] = (i + 2 * step) % 7;
        for (int k = 0; k < blocks; ++k) data.block[k][i] = (i + k + step) % 5;
      }
      send_all(data, rank + 1);
    }
  }
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("substitute: %d rows, %d steps, checksum %.6f\n", n, steps, all);
  MPI_Finalize();
}
