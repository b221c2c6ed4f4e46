// SPDX-License-Identifier: Apache-2.0
// One process measures one case in one way of running; the driver makes rounds of it. All iterations count,
// from the first, so that what the runtime pays for learning is in the figure; the second half is reported as
// well.
#include <mpi.h>

#include <algorithm>

#include "exchange/exchange.hpp"
#include "support/chain.hpp"
#include "support/json_line.hpp"
#include "support/mpi_main.hpp"
#include "support/option_words.hpp"
#include "support/statistics.hpp"
#include "support/texts.hpp"

namespace lapwing::bench::exchange {

namespace {

constexpr const char* usage =
    "usage: mpiexec -n N exchange --idiom irecv_isend_wait|sendrecv|send_irecv [--bytes B] [--unequal]\n"
    "       [--iterations I] [--steps S]\n"
    "N is 2, or more for a ring with two partners each. S: operations per element, in 1/256ths.\n";
constexpr int pieces = 8;  // the second half is four of them

struct Options {
  std::string idiom = "sendrecv";
  std::size_t bytes = 1 << 20;
  bool unequal = false;
  int per_piece = 2;
  std::uint64_t steps_q8 = 0;
};

Options parse(int argc, char** argv) {
  Options options;
  for (OptionWords words(argc, argv); words.next();) {
    if (words.is("--idiom")) {
      options.idiom = words.value();
    } else if (words.is("--bytes")) {
      options.bytes = parse_bytes(words.value());
    } else if (words.is("--unequal")) {
      options.unequal = true;
    } else if (words.is("--iterations")) {
      options.per_piece = std::max(1, static_cast<int>(parse_positive(words.value())) / pieces);
    } else if (words.is("--steps")) {
      options.steps_q8 = parse_bytes(words.value());
    } else {
      words.refuse();
    }
  }
  if (options.bytes < 64 || options.bytes % 64 != 0 || options.bytes > (1 << 30))
    throw BadOption("messages have multiples of 64 bytes, up to 1G");
  return options;
}

Idiom idiom_of(const std::string& name) {
  if (name == "irecv_isend_wait") return Idiom::irecv_isend_wait;
  if (name == "sendrecv") return Idiom::sendrecv;
  if (name == "send_irecv") return Idiom::send_irecv;
  throw BadOption("there is no idiom '" + name + "'");
}

/// With --unequal odd ranks send a quarter.
std::size_t words_of(const Options& options, int rank) {
  return options.bytes / 8 / (options.unequal && rank % 2 == 1 ? 4 : 1);
}

void run(const Options& options, int rank, int size) {
  const Idiom idiom = idiom_of(options.idiom);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  std::vector<Side> sides{{right, left, nullptr, words_of(options, rank), nullptr, words_of(options, left)}};
  if (size > 2)
    sides.push_back({left, right, nullptr, words_of(options, rank), nullptr, words_of(options, right)});
  std::vector<std::vector<std::uint64_t>> memory;
  for (Side& side : sides) {
    memory.emplace_back(side.out_words);
    side.out = memory.back().data();
    chain::fill(side.out, side.out_words, rank);
    memory.emplace_back(side.in_words);
    side.in = memory.back().data();
  }
  const double step = chain::step_seconds();
  const chain::Work work = chain::work(options.steps_q8);
  std::uint64_t sum = 0;
  std::vector<double> seconds;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = chain::now();
  for (int piece = 0; piece < pieces; ++piece) {
    const double from = chain::now();
    sum += iterate(idiom, sides, options.per_piece, work);
    seconds.push_back((chain::now() - from) / options.per_piece);
  }
  double mine = (chain::now() - begin) / (pieces * options.per_piece), slowest = 0;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  std::uint64_t right_sum = 0;
  for (const Side& side : sides)
    right_sum += chain::expected(side.in_words, side.from, std::uint64_t(pieces) * options.per_piece, work);
  int good = sum == right_sum ? 1 : 0, all_good = 0;
  MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  JsonLine()
      .text("exchange", options.idiom)
      .integer("bytes", static_cast<std::int64_t>(options.bytes))
      .integer("iterations", pieces * options.per_piece)
      .number("seconds", slowest)
      .number("steady_s", median(std::vector<double>(seconds.begin() + pieces / 2, seconds.end())))
      .number("step_s", step)
      .boolean("verified", all_good == 1)
      .print();
}

}  // namespace

}  // namespace lapwing::bench::exchange

int main(int argc, char** argv) {
  using namespace lapwing::bench;
  return mpi_main(argc, argv, "exchange", exchange::usage, [&](int rank, int size) {
    if (size < 2) throw BadOption("the benchmark needs at least 2 ranks");
    exchange::run(exchange::parse(argc, argv), rank, size);
    return 0;
  });
}
