// SPDX-License-Identifier: Apache-2.0
// heat: a 2-D halo exchange. Classes, set-up, verification.
#include <cstdio>
#include <utility>
#include <vector>

#include "heat/heat.hpp"

namespace {

struct Class {
  char name;
  int nx, ny, repeat, work;
};
// With two ranks: 8 KiB, 256 KiB, 1 MiB and 2 MiB to each neighbour a step.
constexpr Class classes[] = {
    {'S', 1024, 48, 20, 1}, {'W', 32768, 64, 60, 3}, {'A', 131072, 64, 40, 3}, {'B', 262144, 128, 40, 3}};

// Blocks as even as they can be, more of them from north to south than from west to east.
heat::Block block_of(const Class& size, int rank, int ranks) {
  int px = 1;
  for (int divisor = 1; divisor * divisor <= ranks; ++divisor)
    if (ranks % divisor == 0) px = divisor;
  const int py = ranks / px, ix = rank % px, iy = rank / px;
  heat::Block block{};
  block.nx = size.nx, block.ny = size.ny;
  const auto begin = [](int n, int i, int p) { return static_cast<int>(static_cast<long long>(n) * i / p); };
  block.x0 = begin(size.nx, ix, px), block.w = begin(size.nx, ix + 1, px) - block.x0;
  block.y0 = begin(size.ny, iy, py), block.h = begin(size.ny, iy + 1, py) - block.y0;
  block.neighbour[heat::north] = iy > 0 ? rank - px : MPI_PROC_NULL;
  block.neighbour[heat::south] = iy < py - 1 ? rank + px : MPI_PROC_NULL;
  block.neighbour[heat::west] = ix > 0 ? rank - 1 : MPI_PROC_NULL;
  block.neighbour[heat::east] = ix < px - 1 ? rank + 1 : MPI_PROC_NULL;
  return block;
}

kernel_result measure(const kernel_options& options, const Class& size, kernel_phases& phases) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const heat::Block block = block_of(size, rank, ranks);
  if (size.nx / ranks < 2 || size.ny / ranks < 2) kernel_fail("heat", "too many ranks for this class.");

  const std::size_t w = block.w, h = block.h;
  std::vector<double> now(w * h), next(w * h), out_n(w), out_s(w), out_w(h), out_e(h);
  const double rim = heat::rim_temperature;
  std::vector<double> in_n(w, rim), in_s(w, rim), in_w(h, rim), in_e(h, rim);
  for (std::size_t y = 0; y < h; ++y)
    for (std::size_t x = 0; x < w; ++x) now[y * w + x] = heat::initial(block, block.x0 + x, block.y0 + y);

  kernel_result result{};
  const heat::Task task = {options.repeat, options.work, options.slabs, options.spoil};
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (options.limit) {
    result.received =
        heat::run_limit(block, task, phases, now.data(), next.data(), out_n.data(), out_s.data(),
                        out_w.data(), out_e.data(), in_n.data(), in_s.data(), in_w.data(), in_e.data());
    result.phases = &phases;
  } else {
    result.received =
        heat::run(block, task, now.data(), next.data(), out_n.data(), out_s.data(), out_w.data(),
                  out_e.data(), in_n.data(), in_s.data(), in_w.data(), in_e.data());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  result.seconds = MPI_Wtime() - start;

  const std::vector<double>& last = options.repeat % 2 ? next : now;
  for (std::size_t y = 0; y < h; ++y)
    for (std::size_t x = 0; x < w; ++x)
      result.checksum +=
          kernel_share(last[y * w + x], (block.y0 + y) * static_cast<std::uint64_t>(size.nx) + block.x0 + x);
  result.checksum = kernel_sum(result.checksum);
  return result;
}

struct SerialRun {
  Class size;
  int repeat, work;
};

std::uint64_t serial(const void* run) {
  const auto& alone = *static_cast<const SerialRun*>(run);
  return heat::run_serial(alone.size.nx, alone.size.ny, alone.repeat, alone.work);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  kernel_options options = kernel_parse("heat", argc, argv);
  Class size{};
  for (const Class& each : classes)
    if (each.name == options.class_name) size = each;
  if (!options.repeat) options.repeat = size.repeat;
  if (!options.work) options.work = size.work;

  kernel_phases phases;
  kernel_result result{};
  if (!options.serial) result = measure(options, size, phases);
  const SerialRun alone{size, options.repeat, options.work};
  const int status = kernel_verify("heat", heat::variant, &options, &result, serial, &alone);
  MPI_Finalize();
  return status;
}
