// SPDX-License-Identifier: Apache-2.0
// Compares random programs with their serial meaning: random_main [PROGRAMS [FIRST_SEED]]; or an object that
// gets the place of one that has ended: random_main reuse.
#include <lapwing/tasks/options.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>

#include "random_program.hpp"

int reused_place();  // random_reuse.cpp

namespace {

// -1 if this is not one of several ranks.
int rank() {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (const char* const text = std::getenv(variable)) return std::atoi(text);
  }
  return -1;
}

lapwing::tasks::Options choose(std::mt19937_64& random) {
  lapwing::tasks::Options options;
  const auto pick = [&](auto... each) {
    const double values[] = {static_cast<double>(each)...};
    return values[random() % sizeof...(each)];
  };
  options.workers = static_cast<int>(pick(1, 2, 3, 4));
  options.locality = pick(0, 1) != 0;
  options.placement = pick(0, 1) != 0;
  options.patience = pick(0, 5, 200);
  options.window = static_cast<std::size_t>(pick(0, 1, 3, 16));
  options.stack = static_cast<std::size_t>(pick(128, 1024));
  const auto spare_threads = [&] { return static_cast<int>(pick(-1, -1, 1, 8)); };
  if (rank() < 0) {
    options.spare = spare_threads();
    return options;
  }
  options.workers = static_cast<int>(pick(1, 1, 2));
  options.replication = pick(0, 1, 1, 1) != 0;
  options.broadcast = pick(0, 1) != 0;
  options.central = pick(0, 1) != 0;
  options.target = static_cast<int>(pick(1, 2, 5));
  options.concurrent_fetches = pick(0, 1) != 0;
  options.large = static_cast<std::size_t>(pick(1, 1, 16384));
  options.strips = pick(0, 1) != 0;
  options.strip = static_cast<std::size_t>(pick(5, 8, 24));
  options.lend = pick(0, 1, 1) != 0;
  options.node_memory = pick(0, 1, 1) != 0;
  options.spare = spare_threads();
  return options;
}

std::string text(const lapwing::tasks::Options& o) {
  char line[400];
  std::snprintf(line, sizeof line,
                "workers %d, locality %d, placement %d, patience %g, window %zu, stack %zu, replication %d, "
                "broadcast %d, central %d, target %d, concurrent %d, large %zu, strips %d of %zu, lend %d, "
                "node memory %d, spare %d",
                o.workers, o.locality, o.placement, o.patience, o.window, o.stack, o.replication, o.broadcast,
                o.central, o.target, o.concurrent_fetches, o.large, o.strips, o.strip, o.lend, o.node_memory,
                o.spare);
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "reuse") return reused_place();
  const long programs = argc > 1 ? std::atol(argv[1]) : 300;
  const long first = argc > 2 ? std::atol(argv[2]) : 1;
  int wrong = 0, failing = 0;
  long tasks = 0;
  for (long seed = first; seed < first + programs && (wrong < 5 || rank() >= 0); ++seed) {
    const auto program = random_program::generate(static_cast<std::uint64_t>(seed));
    const auto expected = random_program::interpret(program);
    tasks += program.tasks;
    failing += expected.failed >= 0;
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    for (int turn = 0; turn < 3; ++turn) {
      const auto options = choose(random);
      std::string problem;
      try {
        const auto got = random_program::run_tasks(program, options);
        if (got == expected || rank() > 0) continue;
        problem = got.failed != expected.failed ? "failed in " + std::to_string(got.failed) + " instead of " +
                                                      std::to_string(expected.failed)
                                                : "other values";
      } catch (const std::exception& error) {
        problem = error.what();
      }
      std::printf("seed %ld, %d tasks: %s (%s)\n", seed, program.tasks, problem.c_str(),
                  text(options).c_str());
      std::fflush(stdout);
      ++wrong;
      if (rank() < 0) break;
    }
  }
  if (rank() > 0) return 0;
  std::printf("%ld programs, %ld tasks, %d with an exception, %d wrong\n", programs, tasks, failing, wrong);
  return wrong == 0 ? 0 : 1;
}
