// SPDX-License-Identifier: Apache-2.0
// Rows in vectors, each request waited for by itself; a send-receive.
#include <mpi.h>

#include <cstdio>
#include <utility>
#include <vector>

namespace {

struct Grid {
  int rows, width;
  std::vector<float> now, next;
  Grid(int r, int w, int salt) : rows(r), width(w), now((r + 2) * w), next((r + 2) * w) {
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = static_cast<float>((i * 7919 + salt) % 1000);
    next = now;
  }
  void sweep(const float* from, float* to) const {
    for (long i = 1; i <= rows; ++i)
      for (long j = 0; j < width; ++j)
        to[i * width + j] =
            (from[(i - 1) * width + j] + from[(i + 1) * width + j]) * 0.5f + from[i * width + j];
  }
};

double sum(const std::vector<float>& values) {
  double all = 0;
  for (std::size_t i = 0; i < values.size(); ++i) all = all * 0.75 + values[i];
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int up = (rank + size - 1) % size, down = (rank + 1) % size;
  Grid g(50, 2500, rank);
  for (int step = 0; step < 4; ++step) {
    float* u = g.now.data();
    MPI_Request first, last, one, other;
    MPI_Irecv(u, g.width, MPI_FLOAT, up, 1, MPI_COMM_WORLD, &first);
    MPI_Irecv(u + (g.rows + 1) * g.width, g.width, MPI_FLOAT, down, 2, MPI_COMM_WORLD, &last);
    MPI_Isend(u + g.rows * g.width, g.width, MPI_FLOAT, down, 1, MPI_COMM_WORLD, &one);
    MPI_Isend(u + g.width, g.width, MPI_FLOAT, up, 2, MPI_COMM_WORLD, &other);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    MPI_Wait(&last, MPI_STATUS_IGNORE);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Wait(&other, MPI_STATUS_IGNORE);
    g.sweep(u, g.next.data());
    std::swap(g.now, g.next);
  }
  std::printf("waits %d %.17g\n", rank, sum(g.now));
  Grid h(30, 4000, rank + 5);
  for (int step = 0; step < 3; ++step) {
    MPI_Sendrecv(h.now.data() + h.rows * h.width, h.width, MPI_FLOAT, down, 3, h.now.data(), h.width,
                 MPI_FLOAT, up, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    h.sweep(h.now.data(), h.next.data());
    std::swap(h.now, h.next);
  }
  std::printf("sendrecv %d %.17g\n", rank, sum(h.now));
  MPI_Finalize();
  return 0;
}
