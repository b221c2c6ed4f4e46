// SPDX-License-Identifier: Apache-2.0
// ScaLAPACK's redistribution, where that of this program's MPI is installed: it
// is opened when the program runs, so that the benchmarks build without it.
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <utility>

namespace lapwing::bench {

class ScaLapack {
 public:
  ScaLapack();
  bool there() const { return handle_ && grid_ && move_; }
  /// The BLACS context of a rows x columns grid over the first processes of
  /// MPI_COMM_WORLD, row by row; -1 on others. Collective.
  int context(int rows, int columns);
  /// pdgemr2d of whole matrices.
  void move(int m, int n, const double* a, const int* from, double* b, const int* to, int all) const {
    move_(m, n, a, 1, 1, from, b, 1, 1, to, all);
  }
  /// A context that holds all processes.
  int all();

 private:
  int (*handle_)(MPI_Comm) = nullptr;
  void (*grid_)(int*, const char*, int, int) = nullptr;
  void (*move_)(int, int, const double*, int, int, const int*, double*, int, int, const int*, int) = nullptr;
  int system_ = -1;
  std::map<std::pair<int, int>, int> contexts_;
};

/// ScaLAPACK's numroc: rows (or columns) that process `process` of `processes` has.
int numroc(int n, int block, int process, int processes);

/// How a matrix of doubles lies over the first rows x columns processes: blocks
/// of mb x nb, column-major, without padding.
struct Layout {
  int rows = 1, columns = 1, mb = 1, nb = 1;
  bool holds(int rank) const { return rank < rows * columns; }
  int local_rows(int n, int rank) const { return holds(rank) ? numroc(n, mb, rank / columns, rows) : 0; }
  int local_columns(int n, int rank) const {
    return holds(rank) ? numroc(n, nb, rank % columns, columns) : 0;
  }
  /// The nine integers of descinit.
  void descriptor(int n, int rank, int context, int out[9]) const;
};

}  // namespace lapwing::bench
