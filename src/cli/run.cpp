// SPDX-License-Identifier: Apache-2.0
// lapwing run: the user's program, with Lapwing before it.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/paths.hpp"
#include "cli/run_options.hpp"
#include "cli/say.hpp"
#include "cli/variables.hpp"
#include "options/check.hpp"

namespace lapwing::cli {

namespace {

std::string type_of(const options::Option& option) {
  if (option.kind == options::Kind::bytes) return "BYTES";
  if (option.kind == options::Kind::path) return "FILE";
  return option.kind == options::Kind::choice ? std::string(option.values) : "TEXT";
}

/// The option of `run` that stands for a variable, if it has one.
void add_variable(CLI::App& app, RunOptions& options, const options::Option& known) {
  if (known.flag.empty()) return;
  std::string help(known.meaning);
  help[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(help[0])));
  const std::size_t equals = known.flag.find('=');
  const std::string flag(known.flag.substr(0, equals)), name(known.name);
  if (equals != std::string_view::npos) {
    app.add_flag_callback(
        flag,
        [&options, name, value = std::string(known.flag.substr(equals + 1))] {
          options.variables.emplace_back(name, value);
        },
        help);
    return;
  }
  app.add_option_function<std::string>(
         flag,
         [&options, &known, name, flag](const std::string& given) {
           std::string value = given;
           if (const std::string wanted = options::complaint(known, value); !wanted.empty()) {
             throw CLI::ValidationError(
                 fmt::format("{} {} cannot be used: it should be {}", flag, value, wanted));
           }
           // Ranks may stand in another folder.
           if (known.kind == options::Kind::path) value = std::filesystem::absolute(value).string();
           options.variables.emplace_back(name, value);
         },
         help)
      ->type_name(type_of(known));
}

bool is_verbose(const RunOptions& options) {
  return std::any_of(options.variables.begin(), options.variables.end(),
                     [](const auto& entry) { return entry.first == "LAPWING_VERBOSE"; });
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

void add_launcher(CLI::App& app, RunOptions& options) {
  app.add_option(
         "--launcher", options.launcher,
         "Start the program with this, its own options included, rather than with the launcher of the "
         "program's MPI")
      ->type_name("COMMAND");
}

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
  add_launcher(*run, *options);
  for (const options::Option& option : options::table) add_variable(*run, *options, option);
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
                        {"lapwing run --launcher srun -n 2 ./heat", "under Slurm"},
                        {"lapwing run --report r.json -n 2 ./heat", "then: lapwing report r.json"},
                        {"lapwing run --compare -n 2 ./heat", "is it equal, and what is gained?"}}) +
              "\nExit status: the program's own; 123 if --compare finds a difference, 125 if Lapwing itself\n"
              "fails, 126 or 127 if the command cannot be started.\n");
  return {run, true, [options](const std::vector<std::string>& words) {
            if (options->compare && !options->dry_run) return compare(*options, words);
            Request request{words, options->ranks, options->launcher, variables_of(*options)};
            const Plan plan = make_plan(request);
            for (const auto& note : plan.notes) say("{}", note);
            if (!plan.preloaded) say("{}; running it without Lapwing", plan.plain_because);
            Job job = plan.preloaded ? plan.on(request.variables) : plan.off();
            if (options->dry_run) {
              show_dry_run(plan, job);
              return 0;
            }
            if (is_verbose(*options)) say("starting {}", quoted(job.words));
            // The job takes this process' place: its signals, its exit status and
            // its terminal are then its own.
            become(job);
          }};
}

}  // namespace lapwing::cli
