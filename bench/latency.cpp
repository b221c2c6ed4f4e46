// SPDX-License-Identifier: Apache-2.0
// Prints one line of JSON per case: its median seconds in this process. The
// driver makes pairs of processes of it.
#include <dlfcn.h>

#include <string>

#include "latency.hpp"
#include "support/json_line.hpp"
#include "support/mpi_main.hpp"
#include "support/option_words.hpp"
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
  for (OptionWords words(argc, argv); words.next();) {
    if (words.is("--what")) {
      options.what = split_list(words.value());
    } else if (words.is("--sizes")) {
      for (const auto& item : split_list(words.value())) options.sizes.push_back(parse_bytes(item));
    } else if (words.is("--seconds")) {
      options.seconds = parse_positive(words.value());
    } else if (words.is("--many")) {
      options.many = static_cast<int>(parse_positive(words.value()));
    } else {
      words.refuse();
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
  return mpi_main(argc, argv, "latency", usage, [&](int rank, int size) {
    const Options options = parse(argc, argv);
    if (size != 2) throw BadOption("the benchmark needs exactly 2 ranks, not " + std::to_string(size));
    run(options, rank);
    return 0;
  });
}
