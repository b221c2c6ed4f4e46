// SPDX-License-Identifier: Apache-2.0
// The cost of a split: by itself, where computation covers it, and in the
// recursive program of MIPS 5; beside the calls that it replaces. One process of it measures one way
// (LAPWING_SPLIT, or --none); bench-driver compares them.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "lapwing/sets.h"
#include "split/recursion.h"
#include "support/json_line.hpp"
#include "support/statistics.hpp"

namespace {

using lapwing::bench::JsonLine;
using lapwing::bench::median;

struct Options {
  bool none = false;
  std::string mode = "none";
  int rounds = 30, repeat = 200;
  bool micro = true, covered = true, recursion = true, latency = false, counts = false;
};

int rank = 0, size = 1;
volatile double sink = 2;

double compute(double seconds) {
  const double end = MPI_Wtime() + seconds;
  double x = sink;
  while (MPI_Wtime() < end) {
    for (int i = 0; i < 50; ++i) x = x * 0.999 + 1e-3;
  }
  sink = x;
  return x;
}

// A division that changes from split to split among a few that have been seen.
int branch_of(int i) { return (rank + i / 8) % 2; }

void split_once(int i) {
  lapwing_split(MPI_COMM_WORLD, 2, branch_of(i));
  if (lapwing_set_size(MPI_COMM_WORLD) < 1) MPI_Abort(MPI_COMM_WORLD, 1);
  lapwing_merge(MPI_COMM_WORLD);
}

void allgather_once(int i) {
  static std::vector<int> all;
  all.resize(static_cast<std::size_t>(size));
  const int mine = branch_of(i);
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
}

void comm_split_once(int i) {
  MPI_Comm made;
  MPI_Comm_split(MPI_COMM_WORLD, branch_of(i), rank, &made);
  MPI_Comm_free(&made);
}

// By the processes of one branch alone, who are told beforehand which they are.
void create_group_once(int) {
  std::vector<int> members;
  for (int r = rank % 2; r < size; r += 2) members.push_back(r);
  MPI_Group world, group;
  MPI_Comm made;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &made);
  MPI_Comm_free(&made);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

template <typename F>
double time_of(int repeat, F f) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int i = 0; i < repeat; ++i) f(i);
  double mine = (MPI_Wtime() - began) / repeat, worst = 0;
  MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

void report(JsonLine& line) {
  if (rank == 0) line.print();
}

// Each round measures all of them, so that what disturbs one disturbs the others.
void micro(const Options& options) {
  const int few = options.repeat / 10 + 1;
  // Before this, sets are new, and the room learns how they are best told.
  for (int i = 0; i < 50 && !options.none; ++i) {
    split_once(i);
    lapwing_on_set();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int round = 0; round < options.rounds; ++round) {
    JsonLine line;
    line.text("what", "micro").text("mode", options.mode).integer("ranks", size).integer("round", round);
    if (!options.none) line.number("split_s", time_of(options.repeat, split_once));
    line.number("allgather_s", time_of(options.repeat, allgather_once));
    line.number("allgather_again_s", time_of(options.repeat, allgather_once));
    line.number("comm_split_s", time_of(few, comm_split_once));
    line.number("create_group_s", time_of(few, create_group_once));
    report(line);
  }
}

// A millisecond and more of computation between the split and the use of the set;
// what is left of the split is what the clock adds to the computation.
void covered(const Options& options) {
  const int repeat = options.repeat / 10 + 1;
  for (const int imbalance : {0, 50, 100}) {
    for (int round = 0; round < options.rounds; ++round) {
      std::vector<double> split, gather;
      for (int i = 0; i < repeat; ++i) {
        std::uint64_t random =
            static_cast<std::uint64_t>(i + 1000 * round + 77 * rank + 1) * 0x9e3779b97f4a7c15u;
        random ^= random >> 33;
        const double seconds = 1e-3 * (1 + static_cast<double>(random % 101) / 100 * imbalance / 100);
        double began = MPI_Wtime();
        if (!options.none) {
          lapwing_split(MPI_COMM_WORLD, 2, branch_of(i));
          const double taken = MPI_Wtime() - began;
          compute(seconds);
          began = MPI_Wtime();
          lapwing_set_size(MPI_COMM_WORLD);
          lapwing_merge(MPI_COMM_WORLD);
          split.push_back(taken + MPI_Wtime() - began);
        }
        began = MPI_Wtime();
        allgather_once(i);
        gather.push_back(MPI_Wtime() - began);
        compute(seconds);
      }
      // Of one iteration: what disturbs a few of them is the machine's affair.
      double mine[2] = {options.none ? 0 : median(split), median(gather)}, worst[2];
      MPI_Allreduce(mine, worst, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      JsonLine line;
      line.text("what", "covered").text("mode", options.mode).integer("ranks", size).integer("round", round);
      line.integer("imbalance", imbalance);
      if (!options.none) line.number("split_s", worst[0]);
      line.number("allgather_s", worst[1]);
      report(line);
    }
  }
}

void take(void*, int branches, int branch) { lapwing_split(MPI_COMM_WORLD, branches, branch); }
void meet(void*) { lapwing_merge(MPI_COMM_WORLD); }

void recursion(const Options& options) {
  for (const long load : {0L, 100000L}) {
    for (int round = 0; round < options.rounds; ++round) {
      lapwing_recursion r;
      std::memset(&r, 0, sizeof r);
      r.repetitions = load;
      if (!options.none) {
        r.split = take;
        r.merge = meet;
      }
      MPI_Barrier(MPI_COMM_WORLD);
      const double began = MPI_Wtime();
      lapwing_recursion_run(&r, MPI_COMM_WORLD);
      if (!options.none) lapwing_set_size(MPI_COMM_WORLD);
      double mine = MPI_Wtime() - began, worst = 0;
      MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      std::vector<long> values;
      for (int i = 0; i < size; ++i) values.push_back(i + 1);
      lapwing_recursion_expected(values.data(), 0, 1, size);
      int right = values[static_cast<std::size_t>(rank)] == r.value, all = 0;
      MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      JsonLine line;
      line.text("what", "recursion")
          .text("mode", options.mode)
          .integer("ranks", size)
          .integer("round", round);
      line.boolean("load", load > 0).integer("splits", r.splits).number("seconds", worst);
      line.boolean("verified", all != 0);
      report(line);
    }
  }
}

// Table 3: half a round trip of a short message.
void latency(const Options& options) {
  for (const int bytes : {0, 32, 64, 128}) {
    char data[128] = "";
    for (int round = 0; round < options.rounds; ++round) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double began = MPI_Wtime();
      for (int i = 0; i < options.repeat && rank < 2; ++i) {
        if (rank == 0) MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
      JsonLine line;
      line.text("what", "latency").text("mode", "none").integer("ranks", size).integer("round", round);
      line.integer("bytes", bytes).number("seconds", (MPI_Wtime() - began) / options.repeat / 2);
      report(line);
    }
  }
}

// Counted, not timed: the busiest process.
void counts(const Options& options) {
  constexpr int splits = 4;
  for (const bool fresh : {true, false}) {
    lapwing_sets_stats before, after;
    lapwing_sets_get_stats(&before);
    for (int i = 0; i < splits; ++i) {
      lapwing_split(MPI_COMM_WORLD, 2, (rank >> i) & 1);
      lapwing_set_comm(MPI_COMM_WORLD);
      lapwing_merge(MPI_COMM_WORLD);
    }
    lapwing_sets_get_stats(&after);
    unsigned long long mine[4] = {after.messages - before.messages, after.bytes - before.bytes,
                                  after.communicators - before.communicators, after.sets - before.sets};
    unsigned long long worst[4];
    MPI_Allreduce(mine, worst, 4, MPI_UNSIGNED_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    int rounds = 0;
    while (1 << rounds < size) ++rounds;
    JsonLine line;
    line.text("what", "counts")
        .text("mode", options.mode)
        .integer("ranks", size)
        .boolean("new_membership", fresh);
    line.number("messages_per_split", static_cast<double>(worst[0]) / splits);
    line.number("bytes_per_split", static_cast<double>(worst[1]) / splits);
    line.integer("rounds", rounds).integer("communicators_made", static_cast<std::int64_t>(worst[2]));
    line.integer("new_sets", static_cast<std::int64_t>(worst[3]));
    report(line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Options options;
  std::string what = "micro,covered,recursion";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--none") {
      options.none = true;
      continue;
    }
    if (word == "--rounds") {
      options.rounds = std::atoi(value);
    } else if (word == "--repeat") {
      options.repeat = std::atoi(value);
    } else if (word == "--what") {
      what = value;
    } else {
      if (rank == 0)
        std::fprintf(stderr, "split: %s is not an option: --none --rounds N --repeat N --what LIST\n",
                     argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    ++i;
  }
  const char* mode = std::getenv("LAPWING_SPLIT");
  if (!options.none) options.mode = mode ? mode : "auto";
  if (!options.none && lapwing_sets_mode() != LAPWING_SETS_RUN) {
    if (rank == 0) std::fprintf(stderr, "split: process sets are off here\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const auto wants = [&](const char* name) {
    return ("," + what + ",").find("," + std::string(name) + ",") != std::string::npos;
  };
  if (wants("micro")) micro(options);
  if (wants("covered")) covered(options);
  if (wants("recursion")) recursion(options);
  if (wants("latency")) latency(options);
  if (wants("counts") && !options.none) counts(options);
  if (rank == 0) {
    std::puts("end");
    std::fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
