// SPDX-License-Identifier: Apache-2.0
// lapwing check: the user's program with every group call compared and every
// wait followed; nothing else about it changes.
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/paths.hpp"
#include "cli/run_options.hpp"
#include "cli/say.hpp"
#include "cli/variables.hpp"

namespace lapwing::cli {
namespace {

constexpr int found_status = 86;  // lapwing::sets::error_status

struct CheckOptions {
  RunOptions run;
  bool json = false;
  bool verbose = false;
  std::string leaks, sends, races, overlaps;
  bool buffers = false;
};

int check(const CheckOptions& options, const std::vector<std::string>& words) {
  Request request{words, options.run.ranks, options.run.launcher, variables_of(options.run)};
  const Plan plan = make_plan(request);
  for (const auto& note : plan.notes) say("{}", note);
  if (!plan.preloaded) throw Failure(kFailed, plan.plain_because + "; it cannot be checked");
  Variables variables = request.variables;
  set_variable(variables, "LAPWING_SETS", "check");
  set_variable(variables, "LAPWING_DEFER", "off");
  if (!options.leaks.empty()) set_variable(variables, "LAPWING_CHECK_LEAKS", options.leaks);
  if (!options.sends.empty()) set_variable(variables, "LAPWING_CHECK_SENDS", options.sends);
  if (!options.races.empty()) set_variable(variables, "LAPWING_CHECK_RACES", options.races);
  if (!options.overlaps.empty()) set_variable(variables, "LAPWING_CHECK_OVERLAPS", options.overlaps);
  if (options.buffers) set_variable(variables, "LAPWING_CHECK_BUFFERS", "on");
  std::optional<TemporaryFile> found;
  if (options.json) {
    // By its whole path: ranks may stand in another folder.
    found.emplace();
    set_variable(variables, "LAPWING_CHECK_JSON", std::filesystem::absolute(found->path()).string());
  }
  const Job job = plan.on(variables);
  if (options.run.dry_run) {
    fmt::print("{}\n", quoted(job.words));
    return 0;
  }
  // Ours is the job's place where nothing is to be said afterwards.
  if (!options.json && !options.verbose) become(job);
  const Outcome outcome = run(job);
  if (found) fmt::print("{}", read_file(found->path()).value_or(""));
  if (options.verbose && outcome.status != found_status) say("no error found");
  return outcome.status;
}

}  // namespace

Command add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "check", "Run an MPI program and report collectives that do not match, and deadlocks");
  auto options = std::make_shared<CheckOptions>();
  command->prefix_command();
  command
      ->add_option("-n,--np", options->run.ranks,
                   "Number of ranks; the launcher is that of the program's MPI")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("RANKS");
  add_launcher(*command, options->run);
  command->add_flag("--json", options->json, "The finding as one JSON object, after the program's output");
  command->add_flag("-v,--verbose", options->verbose, "Say so if nothing was found");
  const auto severity = [command](const char* name, std::string* value, const char* about) {
    command->add_option(name, *value, about)
        ->check(CLI::IsMember({"error", "warning", "off"}))
        ->type_name("error|warning|off");
  };
  severity(
      "--leaks", &options->leaks,
      "Handles that are not freed at MPI_Finalize, and waits for persistent requests that are never started: "
      "error ends the job with status 86; by default a warning");
  severity("--sends", &options->sends,
           "Standard sends that would wait for each other if MPI did not buffer them; by default a warning");
  severity(
      "--races", &options->races,
      "Receives from any source after which the program hangs if they take another message; by default a "
      "warning");
  severity("--overlaps", &options->overlaps,
           "Calls that use memory of an operation in flight, one of them writing; by default an error. "
           "ScaLAPACK and "
           "others do so with right results");
  command->add_flag("--buffers", options->buffers,
                    "Report also uses of a buffer whose operation has not been completed");
  command->add_option("--env", options->run.assigned, "Set a variable in every rank; may be repeated")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  command->add_flag("--dry-run", options->run.dry_run, "Print the exact command instead of running it");
  command->footer(
      examples({{"lapwing check -n 4 ./solver", "with the launcher of the program's MPI"},
                {"lapwing check -- mpiexec -n 4 ./solver in.txt", "with your own launch command"},
                {"lapwing check --json -n 4 ./solver", "the finding for a program to read"}}) +
      "\nWhat is found is proved: calls of one communicator that differ, or processes that wait for each\n"
      "other with no message on its way. A process that computes for long is not an error. Compile with\n"
      "-g to see file and line.\n"
      "Exit status: 86 if something was found, and the job is ended there; else the program's own; 125 if\n"
      "Lapwing itself fails, 126 or 127 if the command cannot be started.\n");
  return {command, true, [options](const std::vector<std::string>& words) { return check(*options, words); }};
}

}  // namespace lapwing::cli
