// SPDX-License-Identifier: Apache-2.0
// lapwing bench: finds the driver of the benchmarks and becomes it.
#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "cli/launch/paths.hpp"
#include "cli/launch/process.hpp"
#include "cli/say.hpp"

namespace lapwing::cli {

namespace {

struct BenchOptions {
  std::string name;
  bool quick = false, json = false, local = false;
  std::string mpi, transport, cases, matrix;
  int pairs = 0;
};

int bench(const BenchOptions& options, const std::vector<std::string>& extra) {
  const auto driver = helper_program("bench-driver");
  if (!driver) {
    throw Failure(
        kFailed, fmt::format("{}/libexec/lapwing/bench-driver is missing; build or install the whole project",
                             prefix().string()));
  }
  Job job;
  job.words = {driver->string(), options.name};
  if (options.quick) job.words.emplace_back("--quick");
  if (options.json) job.words.emplace_back("--json");
  if (options.local) job.words.emplace_back("--local");
  if (!options.mpi.empty()) job.words.insert(job.words.end(), {"--mpi", options.mpi});
  if (!options.transport.empty()) job.words.insert(job.words.end(), {"--transport", options.transport});
  if (!options.cases.empty()) job.words.insert(job.words.end(), {"--cases", options.cases});
  if (!options.matrix.empty()) job.words.insert(job.words.end(), {"--matrix", options.matrix});
  if (options.pairs > 0) job.words.insert(job.words.end(), {"--pairs", std::to_string(options.pairs)});
  job.words.insert(job.words.end(), {"--prefix", prefix().string()});
  // Behind the benchmark's own argument (`programs DIR -- --only x`) the `--` arrives here.
  std::vector<std::string> rest = extra;
  if (const auto mark = std::find(rest.begin(), rest.end(), "--"); mark != rest.end()) rest.erase(mark);
  job.words.insert(job.words.end(), rest.begin(), rest.end());
  become(job);
}

}  // namespace

Command add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Measure: plain, hand-written, Lapwing and the limit");
  auto options = std::make_shared<BenchOptions>();
  command->prefix_command();
  command
      ->add_option(
          "NAME", options->name,
          "overlap: transfers with computation beside them; latency: ping-pongs; kernels: whole "
          "programs; check: what check mode costs them; split: "
          "splits of process sets; redistribute, ghosts, pingpong, pipeline: distributed arrays; tasks: "
          "tasks "
          "with declared accesses; jade: the applications of the Jade paper, and its tables by replay; "
          "programs DIR: "
          "programs that were not written here, by recipes; exchange: two directions at once; collectives: "
          "what is hidden of them; thresholds: the sizes that tune derives, beside the best of a sweep; "
          "memory: lapwing_memget and lapwing_memput with a computation")
      ->check(CLI::IsMember({"overlap", "latency", "kernels", "check", "split", "redistribute", "ghosts",
                             "pingpong", "pipeline", "tasks", "jade", "programs", "exchange", "collectives",
                             "thresholds", "memory"}))
      ->required()
      ->type_name("");
  command->add_flag("--quick", options->quick, "Ends within 45 seconds, with wider intervals");
  command->add_flag("--json", options->json, "One JSON object a line");
  command->add_option("--mpi", options->mpi, "Which MPI")
      ->check(CLI::IsMember({"mpich", "openmpi", "both"}))
      ->type_name("mpich|openmpi|both");
  command->add_option("--pairs", options->pairs, "Alternating pairs of each case")
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  command->add_option("--cases", options->cases, "Some of the cases only")->type_name("CASE,...");
  command->add_option("--matrix", options->matrix, "jade: a Matrix Market file for Panel Cholesky")
      ->type_name("FILE");
  command->add_flag("--local", options->local, "On this host's own transport, without emulated hosts");
  command->add_option("--transport", options->transport, "Settings of the transport")
      ->check(CLI::IsMember({"default", "best"}))
      ->type_name("default|best");
  command->footer(examples({{"lapwing bench overlap --quick", "what is hidden, case by case"},
                            {"lapwing bench latency --json", "one line a case, for programs"}}));
  return {command, true, [options](const std::vector<std::string>& words) { return bench(*options, words); }};
}

}  // namespace lapwing::cli
