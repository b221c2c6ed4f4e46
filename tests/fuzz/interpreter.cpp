// SPDX-License-Identifier: Apache-2.0
// Runs generated programs, each rank its part, and logs what each step saw.
//
//   interpreter --seed S --programs K --log PREFIX --dir DIRECTORY [--threads] [--one-sided] [--steps 3,4,7]
//   interpreter --describe --seed S --ranks N [--threads] [--one-sided]     (needs no mpiexec)
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

#include "lapwing/lapwing.h"
#include "runner.hpp"

namespace {

struct Options {
  uint64_t seed = 1, programs = 1;
  int ranks = 2;
  bool threaded = false, one_sided = false, describe = false, some_steps = false;
  std::string log = "fuzz-log", directory = "/tmp";
  std::set<int> steps;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    auto value = [&]() -> std::string {
      if (i + 1 < argc) return argv[++i];
      std::fprintf(stderr, "interpreter: %s needs a value\n", name.c_str());
      std::exit(2);
    };
    if (name == "--seed")
      options.seed = std::stoull(value());
    else if (name == "--programs")
      options.programs = std::stoull(value());
    else if (name == "--ranks")
      options.ranks = std::stoi(value());
    else if (name == "--threads")
      options.threaded = true;
    else if (name == "--one-sided")
      options.one_sided = true;
    else if (name == "--describe")
      options.describe = true;
    else if (name == "--log")
      options.log = value();
    else if (name == "--dir")
      options.directory = value();
    else if (name == "--steps") {
      options.some_steps = true;
      std::istringstream list(value());
      for (std::string step; std::getline(list, step, ',');) options.steps.insert(std::stoi(step));
    } else {
      std::fprintf(stderr, "interpreter: unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  return options;
}

// How much was deferred, so that a run in which nothing was does not pass for a test.
void log_counters(int log) {
  auto get = reinterpret_cast<decltype(&lapwing_get_stats)>(dlsym(RTLD_DEFAULT, "lapwing_get_stats"));
  if (get == nullptr) return;
  lapwing_stats stats{};
  get(&stats);
  dprintf(log, "Z %lu %lu\n", static_cast<unsigned long>(stats.deferred_receives + stats.deferred_sends),
          static_cast<unsigned long>(stats.strips));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lapwing::fuzz;
  Options options = parse(argc, argv);
  auto wanted = [&](int step) { return !options.some_steps || options.steps.count(step) > 0; };
  if (options.describe) {
    Program program = generate(options.seed, options.ranks, options.threaded, options.one_sided);
    for (const Step& step : program.steps)
      if (wanted(step.index)) std::fputs(describe(program, step).c_str(), stdout);
    return 0;
  }
  int level = 0, rank = 0, size = 0;
  if (options.threaded) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE) {
      std::fprintf(stderr, "interpreter: this MPI gives no MPI_THREAD_MULTIPLE\n");
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int log =
      open((options.log + "." + std::to_string(rank)).c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
  if (log < 0) {
    std::perror("interpreter: the log given by --log cannot be written");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  {
    Runner runner(options.directory, log);
    for (uint64_t i = 0; i < options.programs; ++i)
      runner.run(generate(options.seed + i, size, options.threaded, options.one_sided), wanted);
  }
  log_counters(log);
  MPI_Finalize();
  close(log);
  return 0;
}
