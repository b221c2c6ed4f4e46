// SPDX-License-Identifier: Apache-2.0
// Heat with a reaction on a rectangle, explicit in time: each point takes up
// heat from its four neighbours, then reacts in `work` small steps. Ranks hold
// blocks of a process grid; what comes from a neighbour lies in a buffer of its
// own for each side, and so does the fixed temperature of the rectangle's rim.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "support/kernel.h"

namespace heat {

enum Side { north, south, west, east };

struct Block {
  int nx, ny;        ///< of the whole rectangle
  int x0, y0, w, h;  ///< this rank's part
  int neighbour[4];  ///< MPI_PROC_NULL at the rim
};

inline double initial(const Block& block, int x, int y) {
  return kernel_random(static_cast<std::uint64_t>(y) * block.nx + x);
}
inline constexpr double rim_temperature = 0.25;

inline double exchanged(double here, double n, double s, double w, double e) {
  return here + 0.2 * (n + s + w + e - 4.0 * here);
}

inline double reacted(double value) { return value + 0.001 * value * (1.0 - value); }

// Points [from, to) of one row; those left and right of them are in the row.
inline void update_span(const double* row, const double* above, const double* below, double* out, int from,
                        int to, int work) {
  constexpr int chunk = 512;  // stays in the first cache while it reacts
  for (int begin = from; begin < to; begin += chunk) {
    const int end = to - begin < chunk ? to : begin + chunk;
    for (int x = begin; x < end; ++x) out[x] = exchanged(row[x], above[x], below[x], row[x - 1], row[x + 1]);
    for (int step = 0; step < work; ++step)
      for (int x = begin; x < end; ++x) out[x] = reacted(out[x]);
  }
}

// One point of which some neighbours are in buffers.
inline double update_point(double here, double n, double s, double w, double e, int work) {
  double value = exchanged(here, n, s, w, e);
  for (int step = 0; step < work; ++step) value = reacted(value);
  return value;
}

// Rows [from, to) without what touches the block's edges.
inline void update_interior(const Block& block, const double* now, double* next, int from, int to, int work) {
  const std::size_t w = block.w;
  for (int y = from; y < to; ++y) {
    const double* row = now + y * w;
    update_span(row, row - w, row + w, next + y * w, 1, block.w - 1, work);
  }
}

// The points along the block's edges, which need what the neighbours sent.
inline void update_edges(const Block& block, const double* now, double* next, const double* in_n,
                         const double* in_s, const double* in_w, const double* in_e, int work) {
  const int w = block.w, h = block.h;
  const std::size_t pitch = w;
  for (int y = 0; y < h; y += h - 1) {
    const double* row = now + y * pitch;
    update_span(row, y == 0 ? in_n : row - pitch, y == h - 1 ? in_s : row + pitch, next + y * pitch, 1, w - 1,
                work);
  }
  for (int y = 0; y < h; ++y) {
    const double* row = now + y * pitch;
    const double* above = y == 0 ? in_n : row - pitch;
    const double* below = y == h - 1 ? in_s : row + pitch;
    next[y * pitch] = update_point(row[0], above[0], below[0], in_w[y], row[1], work);
    next[y * pitch + w - 1] = update_point(row[w - 1], above[w - 1], below[w - 1], row[w - 2], in_e[y], work);
  }
}

inline void pack(const Block& block, const double* now, double* out_n, double* out_s, double* out_w,
                 double* out_e) {
  const std::size_t w = block.w, h = block.h;
  for (std::size_t x = 0; x < w; ++x) out_n[x] = now[x];
  for (std::size_t x = 0; x < w; ++x) out_s[x] = now[(h - 1) * w + x];
  for (std::size_t y = 0; y < h; ++y) out_w[y] = now[y * w];
  for (std::size_t y = 0; y < h; ++y) out_e[y] = now[y * w + w - 1];
}

// What the neighbours sent; what no neighbour sends does not count.
inline std::uint64_t fold(const Block& block, std::uint64_t so_far, const double* in_n, const double* in_s,
                          const double* in_w, const double* in_e) {
  if (block.neighbour[north] != MPI_PROC_NULL) so_far = kernel_fold(so_far, in_n, block.w);
  if (block.neighbour[south] != MPI_PROC_NULL) so_far = kernel_fold(so_far, in_s, block.w);
  if (block.neighbour[west] != MPI_PROC_NULL) so_far = kernel_fold(so_far, in_w, block.h);
  if (block.neighbour[east] != MPI_PROC_NULL) so_far = kernel_fold(so_far, in_e, block.h);
  return so_far;
}

// What a version of the time loop gets and gives. The result of an odd number
// of steps lies in `next`.
struct Task {
  int steps, work, slabs;
  bool spoil;  ///< damage one number of one message
};

// The version of this program: plain or by hand. The arrays are distinct.
extern const char* const variant;
std::uint64_t run(const Block& block, const Task& task, double* __restrict now, double* __restrict next,
                  double* __restrict out_n, double* __restrict out_s, double* __restrict out_w,
                  double* __restrict out_e, double* __restrict in_n, double* __restrict in_s,
                  double* __restrict in_w, double* __restrict in_e);

// The plain steps with a clock at every seam.
std::uint64_t run_limit(const Block& block, const Task& task, kernel_phases& phases, double* now,
                        double* next, double* out_n, double* out_s, double* out_w, double* out_e,
                        double* in_n, double* in_s, double* in_w, double* in_e);

// The same rectangle on one rank, by a code of its own; gives the checksum.
std::uint64_t run_serial(int nx, int ny, int steps, int work);

}  // namespace heat
