// SPDX-License-Identifier: Apache-2.0
// A sparse product over vectors of a class, templates, a list of neighbours, and waits whose failure ends the
// job.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <vector>

template <typename Number, typename Index>
struct Matrix {
  std::vector<Index> rows, starts, columns, sent, lengths;
  std::vector<int> neighbours;
  std::vector<Number> values, out;
  std::vector<MPI_Request> requests;
};

template <typename Number>
struct Vector {
  explicit Vector(std::size_t size) : numbers(size) {}
  std::vector<Number> numbers;
};

template <typename Number, typename Index>
void exchange(Matrix<Number, Index>& m, Vector<Number>& x) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  Number* in = &x.numbers[m.rows.size()];
  const int count = static_cast<int>(m.neighbours.size());
  for (int n = 0; n < count; ++n) {
    MPI_Irecv(in, m.lengths[n], MPI_DOUBLE, m.neighbours[n], 7, MPI_COMM_WORLD, &m.requests[n]);
    in += m.lengths[n];
  }
  for (std::size_t i = 0; i < m.sent.size(); ++i) m.out[i] = x.numbers[m.sent[i]];
  Number* out = &m.out[0];
  for (int n = 0; n < count; ++n) {
    MPI_Send(out, m.lengths[n], MPI_DOUBLE, m.neighbours[n], 7, MPI_COMM_WORLD);
    out += m.lengths[n];
  }
  MPI_Status status;
  for (int n = 0; n < count; ++n) {
    if (MPI_Wait(&m.requests[n], &status) != MPI_SUCCESS) {
      std::cerr << "MPI_Wait error\n" << std::endl;
      MPI_Abort(MPI_COMM_WORLD, -1);
    }
  }
}

template <typename Number, typename Index>
__attribute__((noinline)) void product(Matrix<Number, Index>& m, Vector<Number>& x, Vector<Number>& y) {
  exchange(m, x);
  const int rows = static_cast<int>(m.rows.size());
  const Index *starts = &m.starts[0], *columns = &m.columns[0];
  const Number *values = &m.values[0], *from = &x.numbers[0];
  Number* to = &y.numbers[0];
  for (int row = 0; row < rows; ++row) {
    Number sum = 0;
    for (Index k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * from[columns[k]];
    to[row] = sum;
  }
}

static void fill(Matrix<double, int>& m, int width, int height, int rank, int size) {
  const int own = width * height;
  int ghosts = own, below = -1, above = -1;
  for (int i = 0; i < own; ++i) m.rows.push_back(i);
  const auto add = [&](int neighbour, int first) {
    m.neighbours.push_back(neighbour);
    m.lengths.push_back(width);
    for (int i = 0; i < width; ++i) m.sent.push_back(first + i);
    ghosts += width;
    return ghosts - width;
  };
  if (rank > 0) below = add(rank - 1, 0);
  if (rank + 1 < size) above = add(rank + 1, own - width);
  m.out.resize(m.sent.size());
  m.requests.resize(m.neighbours.size());
  m.starts.push_back(0);
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < width; ++j) {
      for (int step = -1; step <= 1; ++step) {
        const int ghost = i + step < 0 ? below : i + step >= height ? above : (i + step) * width;
        if (ghost < 0) continue;
        m.columns.push_back(ghost + j);
        m.values.push_back(step == 0 ? 0.5 : 0.25 + 0.001 * (j % 7));
      }
      m.starts.push_back(static_cast<int>(m.columns.size()));
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int width = 2000, height = 40;
  Matrix<double, int> m;
  fill(m, width, height, rank, size);
  Vector<double> x(width * (height + 2)), y(width * (height + 2));
  for (int i = 0; i < width * height; ++i) x.numbers[i] = (i * 7919 + rank * 31) % 1000 * 0.01;
  for (int step = 0; step < 12; ++step) {
    product(m, x, y);
    product(m, y, x);
  }
  unsigned long sum = 0;
  for (int i = 0; i < width * height; ++i) {
    unsigned long bits;
    std::memcpy(&bits, &x.numbers[i], 8);
    sum = (sum ^ bits) * 1099511628211ul;
  }
  std::printf("sparse %d %lx\n", rank, sum);
  MPI_Finalize();
  return 0;
}
