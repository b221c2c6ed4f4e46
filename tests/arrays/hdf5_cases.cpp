// SPDX-License-Identifier: Apache-2.0
// hdf5_cases write|read FILE: arrays of several kinds as datasets, for hdf5.py. Elements are numbered in the
// array's order.
#include <complex>
#include <cstdio>
#include <cstring>
#include <string>

#include "lapwing/arrays.hpp"

namespace {

using Index = std::vector<std::int64_t>;

int wrong = 0;

template <typename T>
T number(std::int64_t n, std::int64_t plus) {
  if constexpr (std::is_same_v<T, std::complex<double>>)
    return {static_cast<double>(n + plus), static_cast<double>(-n)};
  else
    return static_cast<T>(n + plus);
}

template <typename T>
void fill(lapwing::DistributedArray<T>& a, std::int64_t columns, std::int64_t plus) {
  a.each([&](const Index& x, T& here) { here = number<T>(x[0] * columns + x[1], plus); });
}

template <typename T>
void check(lapwing::DistributedArray<T>& a, std::int64_t columns, std::int64_t plus, const char* what) {
  a.each([&](const Index& x, T& here) {
    if (here != number<T>(x[0] * columns + x[1], plus)) {
      std::fprintf(stderr, "%s: element (%d, %d) is wrong\n", what, static_cast<int>(x[0]),
                   static_cast<int>(x[1]));
      wrong = 1;
    }
  });
}

void run(bool writes, const std::string& file) {
  const lapwing::Tasks tasks(MPI_COMM_WORLD, 0);
  const int p = tasks.processes();
  // Other distributions than those of the writer.
  const auto by_rows = [&](std::int64_t m, std::int64_t n) {
    return writes ? std::vector{lapwing_block(m, p, 0), lapwing_collapsed(n)}
                  : std::vector{lapwing_collapsed(m), lapwing_cyclic(n, 2, 0)};
  };
  lapwing::DistributedArray<double> field(tasks, by_rows(11, 7), {p});
  lapwing::DistributedArray<std::int32_t> turned(tasks, by_rows(6, 5), {p}, LAPWING_COLUMN_MAJOR);
  lapwing::DistributedArray<std::complex<double>> waves(tasks, by_rows(4, 3), {p});
  if (writes) {
    fill(field, 7, 1000);
    write_hdf5(file, "field", field, tasks);
    fill(field, 7, 0);
    write_hdf5(file, "field", field, tasks);  // again, in its place
    fill(turned, 5, 3);
    write_hdf5(file, "groups/inner/turned", turned, tasks);
    fill(waves, 3, 2);
    write_hdf5(file, "waves", waves, tasks);
    const auto part = field.distribution().section({9, 1}, {4, 3}, {-3, 2});
    if (lapwing_array_write_hdf5(file.c_str(), "part", field.local().data(), field.allocated(), part.get(),
                                 tasks.get()) != 0)
      wrong = 1;
    return;
  }
  read_hdf5(file, "field", field, tasks);
  check(field, 7, 0, "field");
  lapwing::DistributedArray<float> single(tasks, by_rows(11, 7), {p});
  read_hdf5(file, "field", single, tasks);
  check(single, 7, 0, "field as float");
  read_hdf5(file, "groups/inner/turned", turned, tasks);
  check(turned, 5, 3, "turned");
  read_hdf5(file, "waves", waves, tasks);
  check(waves, 3, 2, "waves");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc == 3) run(std::strcmp(argv[1], "write") == 0, argv[2]);
  MPI_Finalize();
  return argc == 3 ? wrong : 2;
}
