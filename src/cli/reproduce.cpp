// SPDX-License-Identifier: Apache-2.0
// lapwing reproduce: finds the driver of the papers' experiments and becomes it.
#include <memory>

#include "cli/commands.hpp"
#include "cli/launch/paths.hpp"
#include "cli/launch/process.hpp"
#include "cli/say.hpp"

namespace lapwing::cli {

namespace {

struct ReproduceOptions {
  bool quick = false, list = false, json = false, render = false, again = false, untimed = false;
  std::string only, folder, page, matrix, programs, mpi;
};

int reproduce(const ReproduceOptions& options) {
  const auto driver = helper_program("reproduce-driver");
  if (!driver) {
    throw Failure(
        kFailed,
        fmt::format("{}/libexec/lapwing/reproduce-driver is missing; build or install the whole project",
                    prefix().string()));
  }
  Job job;
  job.words = {driver->string(), "--prefix", prefix().string()};
  const std::pair<const char*, bool> flags[] = {{"--quick", options.quick}, {"--list", options.list},
                                                {"--json", options.json},   {"--render", options.render},
                                                {"--again", options.again}, {"--untimed", options.untimed}};
  for (const auto& [name, given] : flags) {
    if (given) job.words.emplace_back(name);
  }
  const std::pair<const char*, const std::string&> values[] = {
      {"--only", options.only},     {"--folder", options.folder},     {"--page", options.page},
      {"--matrix", options.matrix}, {"--programs", options.programs}, {"--mpi", options.mpi}};
  for (const auto& [name, value] : values) {
    if (!value.empty()) job.words.insert(job.words.end(), {name, value});
  }
  become(job);
}

}  // namespace

Command add_reproduce(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("reproduce", "Rerun the tables and figures of five papers, and judge them");
  auto options = std::make_shared<ReproduceOptions>();
  command->add_flag("--quick", options->quick, "Within 20 minutes, with fewer rounds and smaller inputs");
  command->add_flag("--list", options->list, "Name what there is, and how long it takes");
  command->add_option("--only", options->only, "Tables, figures and parts whose names match")
      ->type_name("REGEX");
  command->add_flag("--json", options->json, "One JSON object for each table and figure");
  command->add_option("--folder", options->folder, "For results, which are kept there, and pictures")
      ->type_name("DIR");
  command->add_option("--page", options->page, "The page to write; else DIR/papers.md")->type_name("FILE");
  command->add_flag("--render", options->render, "Measure nothing: write the page of what is there");
  command->add_flag("--again", options->again, "Measure what is there already, too");
  command->add_flag("--untimed", options->untimed, "Only what is simulated or counted");
  command->add_option("--matrix", options->matrix, "BCSSTK15 as a Matrix Market file")->type_name("FILE");
  command->add_option("--programs", options->programs, "The folder with the sources of NPB")
      ->type_name("DIR");
  command->add_option("--mpi", options->mpi, "Which MPI")
      ->check(CLI::IsMember({"mpich", "openmpi"}))
      ->type_name("mpich|openmpi");
  command->footer(examples({{"lapwing reproduce --quick", "what this machine can bear, in 20 minutes"},
                            {"lapwing reproduce --only hpf.F6", "one figure"},
                            {"lapwing reproduce --render", "the page of what has been measured"}}));
  return {command, false, [options](const std::vector<std::string>&) { return reproduce(*options); }};
}

}  // namespace lapwing::cli
