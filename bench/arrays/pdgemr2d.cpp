// SPDX-License-Identifier: Apache-2.0
#include "arrays/pdgemr2d.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace lapwing::bench {

ScaLapack::ScaLapack() {
  void* library = nullptr;
  for (const char* end : {".so", ".so.2.2", ".so.2.1", ".so.2"}) {
    const std::string name = std::string("libscalapack-") + LAPWING_FLAVOUR + end;
    if ((library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL)) != nullptr) break;
  }
  if (!library) return;
  handle_ = reinterpret_cast<decltype(handle_)>(dlsym(library, "Csys2blacs_handle"));
  grid_ = reinterpret_cast<decltype(grid_)>(dlsym(library, "Cblacs_gridinit"));
  move_ = reinterpret_cast<decltype(move_)>(dlsym(library, "Cpdgemr2d"));
  if (there()) system_ = handle_(MPI_COMM_WORLD);
}

int ScaLapack::context(int rows, int columns) {
  const auto [place, is_new] = contexts_.try_emplace({rows, columns}, system_);
  if (is_new) {
    grid_(&place->second, "Row", rows, columns);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank >= rows * columns) place->second = -1;
  }
  return place->second;
}

int ScaLapack::all() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return context(1, size);
}

int numroc(int n, int block, int process, int processes) {
  const int blocks = n / block;
  int count = blocks / processes * block;
  if (process < blocks % processes) count += block;
  if (process == blocks % processes) count += n % block;
  return count;
}

void Layout::descriptor(int n, int rank, int context, int out[9]) const {
  const int values[9] = {1, context, n, n, mb, nb, 0, 0, std::max(1, local_rows(n, rank))};
  std::copy(values, values + 9, out);
}

}  // namespace lapwing::bench
