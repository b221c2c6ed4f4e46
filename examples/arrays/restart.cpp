// SPDX-License-Identifier: Apache-2.0
//
// A restart: what 4 processes wrote, 6 read. In memory, or through a file that holds
// the array in the order of its indices, whoever wrote it and whoever reads it.
//
//   mpiexec -n 6 restart memory
//   mpiexec -n 4 restart write FILE; mpiexec -n 6 restart read FILE
#include <cstdio>
#include <lapwing/arrays.hpp>
#include <string_view>

namespace {

constexpr std::int64_t rows = 20, columns = 14;
using Array = lapwing::DistributedArray<std::int64_t>;

/// This process' rows of the file.
void transfer_file(const char* name, bool writing, Array& array) {
  MPI_File file = MPI_FILE_NULL;
  const int mode = writing ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
  if (MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    std::fprintf(stderr, "restart: the file %s cannot be opened\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::int64_t row = rows;
  array.each([&](const auto& index, std::int64_t) { row = std::min(row, index[0]); });
  const auto at = static_cast<MPI_Offset>(row * columns * static_cast<std::int64_t>(sizeof(std::int64_t)));
  const int elements = static_cast<int>(array.allocated());
  std::int64_t* local = array.local().data();
  if (writing) {
    MPI_File_write_at_all(file, at, local, elements, MPI_INT64_T, MPI_STATUS_IGNORE);
  } else {
    MPI_File_read_at_all(file, at, local, elements, MPI_INT64_T, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
}

void print_checksum(Array& array, int rank) {
  long long sum = 0, total = 0;
  array.each(
      [&](const auto& index, std::int64_t x) { sum += x * ((index[0] * columns + index[1]) % 31 + 1); });
  MPI_Reduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("restart: %d x %d, checksum %lld\n", static_cast<int>(rows), static_cast<int>(columns),
                total);
}

void run(std::string_view mode, const char* name) {
  int rank = 0, processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const bool writing = mode == "write", reading = mode == "read";
  if (processes < (writing ? 4 : 6)) {
    if (rank == 0) std::fprintf(stderr, "restart: start it on 4 processes to write, and on 6 to read\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const lapwing::Tasks tasks = lapwing::Tasks::of_sizes(MPI_COMM_WORLD, {processes});

  // As the program of 4 processes has it, as that of 6 likes it, and as files do.
  const auto written = [&] {
    return Array(tasks, {lapwing_block(rows, 2, 0), lapwing_block(columns, 2, 1)}, {2, 2});
  };
  const auto wanted = [&] {
    return Array(tasks, {lapwing_cyclic(rows, 3, 0), lapwing_cyclic(columns, 2, 1)}, {3, 2});
  };
  const auto in_file = [&] {
    return Array(tasks, {lapwing_block(rows, processes, 0), lapwing_collapsed(columns)}, {processes});
  };
  Array from = reading ? in_file() : written(), to = writing ? in_file() : wanted();
  if (reading) {
    transfer_file(name, false, from);
  } else {
    from.each([](const auto& index, std::int64_t& x) { x = 1000 * (index[0] + 1) + index[1] + 1; });
  }
  lapwing::redistribute(from, to, tasks);
  if (writing) transfer_file(name, true, to);
  print_checksum(to, rank);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc > 1 ? argv[1] : "memory", argc > 2 ? argv[2] : "");
  MPI_Finalize();
}
