// SPDX-License-Identifier: Apache-2.0
// lapwing run: the user's program, with Lapwing before it.
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "cli/launch.hpp"
#include "cli/paths.hpp"
#include "cli/run_options.hpp"
#include "cli/say.hpp"
#include "cli/variables.hpp"

namespace lapwing::cli {

namespace {

/// An option that stands for an environment variable, with that variable's rules.
void add_variable(CLI::App& app, RunOptions& options, const std::string& flag, const char* variable,
                  const std::string& help) {
  const Variable* known = find_variable(variable);
  std::string type = "TEXT";
  if (known->kind == Variable::Kind::bytes) type = "BYTES";
  if (known->kind == Variable::Kind::path) type = "FILE";
  if (known->kind == Variable::Kind::choice) {
    type.clear();
    for (const auto& choice : known->choices) type += (type.empty() ? "" : "|") + choice;
  }
  app.add_option_function<std::string>(
         flag,
         [&options, known](const std::string& given) {
           std::string value = given;
           if (const std::string wanted = complaint(*known, value); !wanted.empty()) {
             throw CLI::ValidationError(fmt::format("{} is not {}", value, wanted));
           }
           // Ranks may stand in another folder.
           if (known->kind == Variable::Kind::path) value = std::filesystem::absolute(value).string();
           options.variables.emplace_back(known->name, value);
         },
         help)
      ->type_name(type);
}

void show_dry_run(const Plan& plan, const Job& job) {
  std::vector<std::string> words;
  if (!job.set.empty()) words.emplace_back("env");
  for (const auto& [name, value] : job.set) words.push_back(name + "=" + value);
  words.insert(words.end(), job.words.begin(), job.words.end());
  fmt::print("{}\n", quoted(words));
  if (!plan.plain_because.empty()) fmt::print("# without Lapwing: {}\n", plan.plain_because);
}

}  // namespace

Variables variables_of(const RunOptions& options) {
  Variables all = checked_environment();
  for (const auto& [name, value] : options.variables) set_variable(all, name, value);
  for (const auto& assignment : options.assigned) {
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw Failure(kUsage, fmt::format("--env {}: give it as NAME=VALUE", assignment));
    }
    set_variable(all, assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  const bool has_profile =
      std::any_of(all.begin(), all.end(), [](const auto& entry) { return entry.first == "LAPWING_PROFILE"; });
  std::error_code ignored;
  if (!has_profile && std::filesystem::exists(default_profile(), ignored)) {
    all.emplace_back("LAPWING_PROFILE", default_profile().string());
  }
  return all;
}

Command add_run(CLI::App& app) {
  CLI::App* run = app.add_subcommand("run", "Run an MPI program with its waiting hidden");
  auto options = std::make_shared<RunOptions>();
  run->prefix_command();
  run->add_option("-n,--np", options->ranks, "Number of ranks; the launcher is that of the program's MPI")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("RANKS");
  add_variable(*run, *options, "--defer", "LAPWING_DEFER",
               "Which transfers end at their first use; auto: where it pays, found out per call site");
  add_variable(*run, *options, "--guard", "LAPWING_GUARD",
               "How a program is stopped at bytes that have not landed");
  run->add_flag_callback(
      "--no-helper", [options] { options->variables.emplace_back("LAPWING_HELPER", "off"); },
      "No thread that moves messages while the program computes");
  add_variable(*run, *options, "--threshold-guard", "LAPWING_THRESHOLD_GUARD",
               "Smaller messages travel plainly");
  add_variable(*run, *options, "--threshold-strip", "LAPWING_THRESHOLD_STRIP",
               "Larger messages travel in strips");
  add_variable(*run, *options, "--strip-first", "LAPWING_STRIP_FIRST", "Size of the first strip");
  add_variable(*run, *options, "--strip-max", "LAPWING_STRIP_MAX", "Size to which strips grow");
  add_variable(*run, *options, "--window", "LAPWING_WINDOW", "Bytes in flight for one message");
  add_variable(*run, *options, "--staging", "LAPWING_STAGING",
               "Most memory for Lapwing's own copies, per rank");
  add_variable(*run, *options, "--profile", "LAPWING_PROFILE", "What `lapwing tune` measured");
  add_variable(*run, *options, "--report", "LAPWING_REPORT",
               "Write what every call site did, for `lapwing report`");
  run->add_flag_callback(
      "-v,--verbose",
      [options] {
        options->verbose = true;
        options->variables.emplace_back("LAPWING_VERBOSE", "1");
      },
      "Say what is decided and why");
  run->add_option("--env", options->assigned, "Set a variable in every rank; may be repeated")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  run->add_flag("--dry-run", options->dry_run, "Print the exact command instead of running it");
  run->add_flag("--compare", options->compare,
                "Run without and with Lapwing in turns, compare outputs and times");
  run->add_option("--pairs", options->pairs, "How often --compare runs each; from 5 on with an interval")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  run->add_option("--output", options->files, "A file that the program writes, to be compared as well")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  run->add_option("--ignore", options->ignored, "Lines that match this expression are not compared")
      ->type_name("REGEX")
      ->expected(1)
      ->take_all();
  run->add_flag("--json", options->json, "With --compare: the result as one JSON object");
  run->footer(examples({{"lapwing run -n 2 ./heat", "with the launcher of the program's MPI"},
                        {"lapwing run -- mpiexec -n 2 ./heat 1000", "with your own launch command"},
                        {"lapwing run --report r.json -n 2 ./heat", "then: lapwing report r.json"},
                        {"lapwing run --compare -n 2 ./heat", "is it equal, and what is gained?"}}) +
              "\nExit status: the program's own; 123 if --compare finds a difference, 125 if Lapwing itself\n"
              "fails, 126 or 127 if the command cannot be started.\n");
  return {run, true, [options](const std::vector<std::string>& words) {
            if (options->compare && !options->dry_run) return compare(*options, words);
            Request request{words, options->ranks, variables_of(*options)};
            const Plan plan = make_plan(request);
            for (const auto& note : plan.notes) say("{}", note);
            if (!plan.preloaded) say("{}; running it without Lapwing", plan.plain_because);
            Job job = plan.preloaded ? plan.on(request.variables) : plan.off();
            if (options->dry_run) {
              show_dry_run(plan, job);
              return 0;
            }
            if (options->verbose) say("starting {}", quoted(job.words));
            // The job takes this process' place: its signals, its exit status and
            // its terminal are then its own.
            become(job);
          }};
}

}  // namespace lapwing::cli
