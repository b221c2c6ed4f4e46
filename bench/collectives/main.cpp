// SPDX-License-Identifier: Apache-2.0
// Prints one line of JSON: the time of one kind of operation alone, and with a computation as long between
// its start and its end. The driver makes rounds of such processes.
#include <mpi.h>

#include <algorithm>
#include <string>

#include "collectives/collectives.hpp"
#include "support/json_line.hpp"
#include "support/mpi_main.hpp"
#include "support/option_words.hpp"
#include "support/statistics.hpp"
#include "support/texts.hpp"

namespace lapwing::bench::collectives {

namespace {

constexpr const char* usage =
    "usage: mpiexec -n N collectives --kind NAME [--bytes B] [--seconds S] [--steps N]\n"
    "bytes of each block; seconds of each of the two parts; steps of the computation (as long as the "
    "operation alone)\n";
constexpr int warm_up = 4, most_blocks = 64;

struct Options {
  const Kind* kind = nullptr;
  std::size_t bytes = 1 << 20;
  double seconds = 0.5;
  std::uint64_t steps = 0;
};

const Kind* kind_of(const std::string& name) {
  for (const Kind& kind : kinds())
    if (kind.name == name) return &kind;
  throw BadOption("there is no kind '" + name + "'");
}

Options parse(int argc, char** argv) {
  Options options;
  for (OptionWords words(argc, argv); words.next();) {
    if (words.is("--kind")) {
      options.kind = kind_of(words.value());
    } else if (words.is("--bytes")) {
      options.bytes = parse_bytes(words.value());
    } else if (words.is("--seconds")) {
      options.seconds = parse_positive(words.value());
    } else if (words.is("--steps")) {
      options.steps = static_cast<std::uint64_t>(parse_positive(words.value()));
    } else {
      words.refuse();
    }
  }
  if (!options.kind) throw BadOption("--kind is missing");
  if (options.bytes < 8 || options.bytes % 8 != 0 || options.bytes > (1 << 28))
    throw BadOption("blocks have multiples of 8 bytes, up to 256M");
  return options;
}

/// The slowest rank's median seconds; counts the rounds and sums the scans.
class Rounds {
 public:
  Rounds(const Kind& kind, Job& job) : kind_(kind), job_(job) {}

  double time(int count, std::uint64_t steps) {
    std::vector<double> seconds;
    for (int i = 0; i < count; ++i) {
      chain::advance(job_.out.data(), job_.out.size());
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = chain::now();
      sum_ += kind_.once(job_, steps);
      seconds.push_back(chain::now() - begin);
    }
    count_ += count;
    double mine = median(seconds), slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
  }

  bool right() const {
    const std::uint64_t first = scan_of(1), each = scan_of(2) - first;
    const int good = sum_ == count_ * first + each * (count_ * (count_ - 1) / 2) ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all == 1;
  }

 private:
  std::uint64_t scan_of(std::uint64_t round) const {
    std::vector<std::uint64_t> wanted(job_.in.size()), one(job_.words);
    const int left = (job_.rank + job_.size - 1) % job_.size;
    for (std::size_t block = 0; block * job_.words < wanted.size(); ++block) {
      const auto origin =
          kind_.origin ? kind_.origin(static_cast<int>(block), job_.rank) : Kind::Origin{left, 0};
      for (int from = 0; from < job_.size; ++from) {
        if (origin.from >= 0 && origin.from != from) continue;
        chain::fill(one.data(), one.size(), from * most_blocks + origin.block);
        for (int i = 0; i < job_.words; ++i)
          wanted[block * job_.words + i] += one[i] + round * chain::round_step;
      }
    }
    return chain::scan(wanted.data(), wanted.size(), job_.work);
  }

  const Kind& kind_;
  Job& job_;
  std::uint64_t sum_ = 0, count_ = 0;
};

double compute_alone(const Job& job, std::uint64_t steps) {
  double mine = 1e30, slowest = 0;
  volatile std::uint64_t kept = 0;
  for (int i = 0; i < 5; ++i) {
    const double begin = chain::now();
    kept = chain::turned(kept | 1, job.work.factor, steps);
    mine = std::min(mine, chain::now() - begin);
  }
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

void run(const Options& options, int rank, int size) {
  const Kind& kind = *options.kind;
  Job job{rank, size, static_cast<int>(options.bytes / 8), {}, {}, {}, {}, chain::work(0)};
  job.out.resize(std::size_t(job.words) * kind.out_blocks(rank, size));
  job.in.resize(std::size_t(job.words) * kind.in_blocks(rank, size));
  for (std::size_t block = 0; block * job.words < job.out.size(); ++block)
    chain::fill(job.out.data() + block * job.words, job.words, rank * most_blocks + static_cast<int>(block));
  for (int i = 0; i < size; ++i) {
    job.counts.push_back(job.words);
    job.places.push_back(i * job.words);
  }
  Rounds rounds(kind, job);
  const double about = rounds.time(warm_up, 0), step = chain::step_seconds();
  int count = std::clamp(static_cast<int>(options.seconds / about), 5, 500);
  std::uint64_t steps = options.steps;
  const double pure = rounds.time(count, 0);
  if (steps == 0) steps = static_cast<std::uint64_t>(pure / step) + 1;
  MPI_Bcast(&steps, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  rounds.time(warm_up, steps);
  const double total = rounds.time(count, steps), alone = compute_alone(job, steps);
  const bool right = rounds.right();
  if (rank != 0) return;
  JsonLine()
      .text("collective", kind.name)
      .integer("bytes", static_cast<std::int64_t>(options.bytes))
      .integer("iterations", count)
      .integer("steps", static_cast<std::int64_t>(steps))
      .number("pure_s", pure)
      .number("compute_s", alone)
      .number("total_s", total)
      .number("overlap", std::clamp(1 - (total - alone) / pure, 0.0, 1.0))
      .boolean("verified", right)
      .print();
}

}  // namespace

}  // namespace lapwing::bench::collectives

int main(int argc, char** argv) {
  using namespace lapwing::bench;
  return mpi_main(argc, argv, "collectives", collectives::usage, [&](int rank, int size) {
    if (size < 2 || size > collectives::most_blocks) throw BadOption("the benchmark needs 2 to 64 ranks");
    collectives::run(collectives::parse(argc, argv), rank, size);
    return 0;
  });
}
