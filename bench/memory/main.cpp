// SPDX-License-Identifier: Apache-2.0
// lapwing_memget and lapwing_memput with a computation. Rank 0 gets a block and reads it in order, or
// computes a block in order and puts it, into one buffer or two in turn. Rank 1 waits in a barrier, so that
// MPI serves it. One process measures one way; the driver makes rounds of such processes. All iterations
// count, from the first.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "lapwing/memory.h"
#include "support/chain.hpp"
#include "support/json_line.hpp"
#include "support/mpi_main.hpp"
#include "support/option_words.hpp"
#include "support/texts.hpp"

namespace lapwing::bench::memory {
namespace {

constexpr const char* usage =
    "usage: mpiexec -n 2 memory --access get|put|put_two [--bytes B] [--iterations I] [--steps S] [--hand]\n"
    "S: operations per element, in 1/256ths; --hand: pieces of 128 KiB by calls that do not block\n";
constexpr std::size_t piece_words = (128 << 10) / sizeof(std::uint64_t), most_pieces = 512;

struct Options {
  std::string access = "get";
  std::size_t bytes = 4 << 20;
  int iterations = 16;
  std::uint64_t steps_q8 = 0;
  bool hand = false;
};

Options parse(int argc, char** argv) {
  Options options;
  for (OptionWords words(argc, argv); words.next();) {
    if (words.is("--access")) {
      options.access = words.value();
    } else if (words.is("--bytes")) {
      options.bytes = parse_bytes(words.value());
    } else if (words.is("--iterations")) {
      options.iterations = std::max(1, static_cast<int>(parse_positive(words.value())));
    } else if (words.is("--steps")) {
      options.steps_q8 = parse_bytes(words.value());
    } else if (words.is("--hand")) {
      options.hand = true;
    } else {
      words.refuse();
    }
  }
  if (options.access != "get" && options.access != "put" && options.access != "put_two")
    throw BadOption("--access is get, put or put_two");
  if (options.bytes < 64 || options.bytes % 64 != 0 || options.bytes > most_pieces * piece_words * 8)
    throw BadOption("blocks have multiples of 64 bytes, up to 64M");
  return options;
}

/// Pieces of a block, each by a call that does not block.
class Pieces {
 public:
  explicit Pieces(std::size_t words) : words_(words) {}
  std::size_t count() const { return (words_ + piece_words - 1) / piece_words; }
  std::size_t begin(std::size_t piece) const { return piece * piece_words; }
  std::size_t words(std::size_t piece) const { return std::min(piece_words, words_ - begin(piece)); }
  void wait(std::size_t piece) {
    if (started_[piece]) lapwing_memory_wait(&handles_[piece]);
    started_[piece] = false;
  }
  void wait_all() {
    for (std::size_t piece = 0; piece < count(); ++piece) wait(piece);
  }
  lapwing_memory_handle* start(std::size_t piece) {
    started_[piece] = true;
    return &handles_[piece];
  }

 private:
  std::size_t words_;
  std::array<lapwing_memory_handle, most_pieces> handles_{};
  std::array<bool, most_pieces> started_{};
};

// Word i of a block in an iteration, after as many operations as are asked for.
std::uint64_t computed(std::size_t word, std::uint64_t iteration, chain::Work work) {
  return chain::turned(word * iteration + 1, work.factor, work.steps_q8 >> 8);
}

void compute(std::uint64_t* to, std::size_t first, std::size_t words, std::uint64_t iteration,
             chain::Work work) {
  for (std::size_t i = 0; i < words; ++i) to[i] = computed(first + i, iteration, work);
}

/// At rank 0. The sum of the scans of all that it got.
std::uint64_t get(const Options& options, MPI_Win window, chain::Work work) {
  const std::size_t words = options.bytes / 8;
  std::vector<std::uint64_t> copy(words);
  Pieces pieces(words);
  std::uint64_t sum = 0;
  for (int i = 0; i < options.iterations; ++i) {
    if (!options.hand) {
      lapwing_memget(copy.data(), 0, 1, options.bytes, window);
      sum += chain::scan(copy.data(), words, work);
      continue;
    }
    for (std::size_t p = 0; p < pieces.count(); ++p)
      lapwing_memget_nb(&copy[pieces.begin(p)], static_cast<MPI_Aint>(pieces.begin(p) * 8), 1,
                        pieces.words(p) * 8, window, pieces.start(p));
    for (std::size_t p = 0; p < pieces.count(); ++p) {
      pieces.wait(p);
      sum += chain::scan(&copy[pieces.begin(p)], pieces.words(p), work);
    }
  }
  return sum;
}

void put(const Options& options, MPI_Win window, chain::Work work) {
  const std::size_t words = options.bytes / 8;
  std::vector<std::uint64_t> block(words), second(options.access == "put_two" ? words : 0);
  Pieces of_block(words), of_second(words);
  for (int i = 1; i <= options.iterations; ++i) {
    const bool swap = !second.empty() && i % 2 == 0;
    std::vector<std::uint64_t>& now = swap ? second : block;
    Pieces& pieces = swap ? of_second : of_block;
    if (!options.hand) {
      compute(now.data(), 0, words, static_cast<std::uint64_t>(i), work);
      lapwing_memput(0, 1, now.data(), options.bytes, window);
      continue;
    }
    // Puts of the same bytes have no order until the first has been waited for.
    if (!second.empty()) (swap ? of_block : of_second).wait_all();
    for (std::size_t p = 0; p < pieces.count(); ++p) {
      pieces.wait(p);
      compute(&now[pieces.begin(p)], pieces.begin(p), pieces.words(p), static_cast<std::uint64_t>(i), work);
      lapwing_memput_nb(static_cast<MPI_Aint>(pieces.begin(p) * 8), 1, &now[pieces.begin(p)],
                        pieces.words(p) * 8, window, pieces.start(p));
    }
  }
  of_block.wait_all();
  of_second.wait_all();
}

void run(const Options& options, int rank) {
  const std::size_t words = options.bytes / 8;
  const chain::Work work = chain::work(options.steps_q8);
  const double step = chain::step_seconds();
  std::vector<std::uint64_t> mine(words);
  chain::fill(mine.data(), words, rank);
  MPI_Win window;
  MPI_Win_create(mine.data(), static_cast<MPI_Aint>(options.bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                 &window);
  MPI_Win_lock_all(0, window);
  lapwing_memory_barrier(window, MPI_COMM_WORLD);
  const double begin = chain::now();
  std::uint64_t sum = 0;
  if (rank == 0 && options.access == "get")
    sum = get(options, window, work);
  else if (rank == 0)
    put(options, window, work);
  lapwing_memory_barrier(window, MPI_COMM_WORLD);
  const double seconds = (chain::now() - begin) / options.iterations;
  MPI_Win_unlock_all(window);
  int good = 1, all = 0;
  if (options.access == "get" && rank == 0) {
    std::vector<std::uint64_t> theirs(words);
    chain::fill(theirs.data(), words, 1);
    const Pieces pieces(words);
    std::uint64_t once = options.hand ? 0 : chain::scan(theirs.data(), words, work);
    for (std::size_t p = 0; options.hand && p < pieces.count(); ++p)
      once += chain::scan(&theirs[pieces.begin(p)], pieces.words(p), work);
    good = sum == static_cast<std::uint64_t>(options.iterations) * once;
  } else if (options.access != "get" && rank == 1) {
    for (std::size_t i = 0; i < words; ++i)
      good &= mine[i] == computed(i, static_cast<std::uint64_t>(options.iterations), work);
  }
  MPI_Win_free(&window);
  MPI_Reduce(&good, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  JsonLine()
      .text("memory", options.access)
      .integer("bytes", static_cast<std::int64_t>(options.bytes))
      .integer("iterations", options.iterations)
      .number("seconds", seconds)
      .number("step_s", step)
      .boolean("verified", all == 1)
      .print();
}

}  // namespace
}  // namespace lapwing::bench::memory

int main(int argc, char** argv) {
  using namespace lapwing::bench;
  return mpi_main(argc, argv, "memory", memory::usage, [&](int rank, int size) {
    if (size != 2) throw BadOption("the benchmark needs 2 ranks");
    memory::run(memory::parse(argc, argv), rank);
    return 0;
  });
}
