// SPDX-License-Identifier: Apache-2.0
//
// A restart: what 4 processes wrote, 6 read. In memory, or through a file that holds
// the array in the order of its indices, whoever wrote it and whoever reads it.
//
//   mpiexec -n 6 restart memory
//   mpiexec -n 4 restart write FILE; mpiexec -n 6 restart read FILE
//
// A FILE whose name ends in .h5 is an HDF5 file with the array as its dataset "x".
#include <cstdio>
#include <lapwing/arrays.hpp>
#include <string_view>

namespace {

constexpr std::int64_t rows = 20, columns = 14;
using Array = lapwing::DistributedArray<std::int64_t>;

void print_checksum(Array& array, int rank) {
  long long sum = 0, total = 0;
  array.each(
      [&](const auto& index, std::int64_t x) { sum += x * ((index[0] * columns + index[1]) % 31 + 1); });
  MPI_Reduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("restart: %d x %d, checksum %lld\n", static_cast<int>(rows), static_cast<int>(columns),
                total);
}

int run(std::string_view mode, const char* name) {
  int rank = 0, processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const bool writing = mode == "write", reading = mode == "read";
  if (processes < (writing ? 4 : 6)) {
    if (rank == 0) std::fprintf(stderr, "restart: start it on 4 processes to write, and on 6 to read\n");
    return 2;
  }
  const lapwing::Tasks tasks = lapwing::Tasks::of_sizes(MPI_COMM_WORLD, {processes});

  // As the program of 4 processes has it, and as that of 6 likes it.
  const auto written = [&] {
    Array made(tasks, {lapwing_block(rows, 2, 0), lapwing_block(columns, 2, 1)}, {2, 2});
    made.each([](const auto& index, std::int64_t& x) { x = 1000 * (index[0] + 1) + index[1] + 1; });
    return made;
  };
  const auto wanted = [&] {
    return Array(tasks, {lapwing_cyclic(rows, 3, 0), lapwing_cyclic(columns, 2, 1)}, {3, 2});
  };
  Array array = writing ? written() : wanted();
  const std::string_view file = name;
  const bool hdf5 = file.size() > 3 && file.substr(file.size() - 3) == ".h5";
  if (writing && hdf5)
    lapwing::write_hdf5(name, "x", array, tasks);
  else if (reading && hdf5)
    lapwing::read_hdf5(name, "x", array, tasks);
  else if (writing)
    lapwing::write(name, array, tasks);
  else if (reading)
    lapwing::read(name, array, tasks);
  else
    lapwing::redistribute(written(), array, tasks);
  print_checksum(array, rank);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run(argc > 1 ? argv[1] : "memory", argc > 2 ? argv[2] : "");
  MPI_Finalize();
  return status;
}
