// SPDX-License-Identifier: Apache-2.0
// Prints one line of JSON per case: its median seconds in this process. The
// driver makes pairs of processes of it.
#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "latency.hpp"
#include "support/json_line.hpp"
#include "support/texts.hpp"

namespace lapwing::bench {

namespace {

constexpr const char* usage =
    "usage: mpiexec -n 2 latency [--what transfers,pingpong,idle] [--sizes LIST] [--seconds S] [--many N]\n";

struct Options {
  std::vector<std::string> what{"transfers", "pingpong", "idle"};
  std::vector<std::size_t> sizes;
  double seconds = 0.03;  ///< about, per case
  int many = 16;          ///< the N of "N transfers"
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw BadOption("the option " + option + " needs a value");
      return argv[++i];
    };
    if (option == "--what") {
      options.what = split_list(value());
    } else if (option == "--sizes") {
      for (const auto& item : split_list(value())) options.sizes.push_back(parse_bytes(item));
    } else if (option == "--seconds") {
      options.seconds = parse_positive(value());
    } else if (option == "--many") {
      options.many = static_cast<int>(parse_positive(value()));
    } else {
      throw BadOption("there is no option '" + option + "'");
    }
  }
  if (options.sizes.empty())
    for (std::size_t bytes = 8; bytes <= (4 << 20); bytes *= 2) options.sizes.push_back(bytes);
  for (std::size_t bytes : options.sizes)
    if (bytes < 8 || bytes % 8 != 0 || bytes > (1 << 30))
      throw BadOption("message sizes are multiples of 8 between 8 and 1G");
  for (const auto& what : options.what)
    if (what != "transfers" && what != "pingpong" && what != "idle")
      throw BadOption("--what takes transfers, pingpong and idle, not '" + what + "'");
  return options;
}

void report(int rank, const char* name, std::size_t bytes, int count, double seconds) {
  if (rank != 0) return;
  JsonLine()
      .text("case", name)
      .integer("bytes", static_cast<std::int64_t>(bytes))
      .integer("count", count)
      .number("seconds", seconds)
      .boolean("lapwing", dlsym(RTLD_DEFAULT, "lapwing_set_defer") != nullptr)
      .print();
}

void run(const Options& options, int rank) {
  const Stopwatch watch(rank, options.seconds);
  for (const auto& what : options.what) {
    if (what == "transfers") {
      for (int count : {1, 2, options.many}) {
        report(rank, "blocking", 8, count, fetch_blocking(watch, rank, count));
        report(rank, "nonblocking", 8, count, fetch_nonblocking(watch, rank, count));
      }
    } else if (what == "pingpong") {
      for (std::size_t bytes : options.sizes)
        report(rank, "pingpong", bytes, 1, ping_pong(watch, rank, bytes));
    } else {
      report(rank, "idle_compute", 16, 1, idle_compute(watch, rank));
      for (std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20})
        report(rank, "idle_exchange", bytes, 1, idle_exchange(watch, rank, bytes));
    }
  }
}

}  // namespace

}  // namespace lapwing::bench

int main(int argc, char** argv) {
  using namespace lapwing::bench;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    const Options options = parse(argc, argv);
    if (size != 2) throw BadOption("the benchmark needs exactly 2 ranks, not " + std::to_string(size));
    run(options, rank);
  } catch (const BadOption& e) {
    if (rank == 0) std::fprintf(stderr, "latency: %s\n%s", e.what(), usage);
    status = 2;
  }
  MPI_Finalize();
  return status;
}
