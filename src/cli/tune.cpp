// SPDX-License-Identifier: Apache-2.0
// lapwing tune: measure the network and the machine, keep what was found.
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/interrupted.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/mpi_library.hpp"
#include "cli/launch/paths.hpp"
#include "cli/say.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace lapwing::cli {

namespace {

namespace room = lapwing::report;
using nlohmann::json;

struct TuneOptions {
  std::string profile;
  std::string mpi;
  bool json = false;
};

/// The name says the unit: the profile's keys end in _s, _bytes and so on.
std::string value_of(const std::string& name, const json& value) {
  if (!value.is_number()) return value.is_string() ? value.get<std::string>() : value.dump();
  const double number = value.get<double>();
  if (name.ends_with("_ns_per_byte")) {
    return number > 0 ? fmt::format("{}/s", room::bytes(static_cast<std::uint64_t>(1e9 / number))) : "-";
  }
  if (name.ends_with("_per_byte")) {
    return number > 0 ? fmt::format("{}/s", room::bytes(static_cast<std::uint64_t>(1 / number))) : "-";
  }
  if (name.ends_with("_ns")) return room::seconds(number * 1e-9);
  if (name.ends_with("_us")) return room::seconds(number * 1e-6);
  if (name.ends_with("_s")) return room::seconds(number);
  if (value.is_number_unsigned()) {
    const bool size = name.find("bytes") != std::string::npos ||
                      name.find("threshold") != std::string::npos ||
                      name.find("strip") != std::string::npos || name.find("window") != std::string::npos;
    if (size) return room::bytes(value.get<std::uint64_t>());
  }
  return fmt::format("{}", number);
}

void add_rows(room::Table& table, const std::string& path, const json& object) {
  for (const auto& [name, value] : object.items()) {
    const std::string full = path.empty() ? name : path + "." + name;
    if (value.is_object()) {
      add_rows(table, full, value);
    } else {
      table.add({full, value_of(name, value)});
    }
  }
}

std::vector<std::string> default_launch(const std::string& wanted) {
  const std::vector<Mpi> order = wanted == "openmpi" ? std::vector{Mpi::openmpi}
                                 : wanted == "mpich" ? std::vector{Mpi::mpich}
                                                     : std::vector{Mpi::mpich, Mpi::openmpi};
  for (const Mpi mpi : order) {
    const auto launcher = find_launcher(mpi, {});
    if (!launcher) continue;
    std::vector<std::string> words{*launcher, "-n", "2"};
    if (mpi == Mpi::openmpi) {
      words.insert(words.end(), {"--bind-to", "none", "--oversubscribe"});
      if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
    }
    return words;
  }
  throw Failure(kNotFound,
                wanted.empty() || wanted == "both"
                    ? std::string("no mpiexec is installed (Debian: apt install mpich or openmpi-bin)")
                    : fmt::format("the mpiexec of {} is not installed", wanted));
}

int tune(const TuneOptions& options, const std::vector<std::string>& given) {
  const std::vector<std::string> launch = given.empty() ? default_launch(options.mpi) : given;
  CommandLine line = parse_command(launch);
  Mpi mpi = mpi_of(line.launcher);
  if (mpi == Mpi::unknown && !options.mpi.empty()) mpi = options.mpi == "openmpi" ? Mpi::openmpi : Mpi::mpich;
  if (mpi == Mpi::unknown) {
    throw Failure(kUsage, fmt::format("which MPI does {} start? Say it with --mpi mpich or --mpi openmpi",
                                      launch.front()));
  }
  if (!find_executable(launch[line.launcher_at])) {
    throw Failure(kNotFound, fmt::format("{} is not installed or not in PATH", launch[line.launcher_at]));
  }
  const std::filesystem::path profile = std::filesystem::absolute(
      options.profile.empty() ? default_profile() : std::filesystem::path(options.profile));
  std::error_code failed;
  std::filesystem::create_directories(profile.parent_path(), failed);
  if (failed) {
    throw Failure(kFailed, fmt::format("cannot make {}: {}; choose another place with --profile",
                                       profile.parent_path().string(), failed.message()));
  }
  const auto program = helper_program(std::string(flavour_of(mpi)) + "/tune");
  if (!program) {
    throw Failure(kFailed,
                  fmt::format("{}/libexec/lapwing/{}/tune is missing; build or install the whole project",
                              prefix().string(), flavour_of(mpi)));
  }
  Job job;
  job.words = launch;
  job.words.insert(job.words.end(), {program->string(), "--profile", profile.string()});
  const TemporaryFile output;
  if (options.json) job.output = output.path();
  say("measuring with {} (about half a minute)", name_of(mpi));
  const Outcome outcome = run(job);
  if (outcome.interrupted != 0) throw Interrupted{outcome.interrupted};
  if (outcome.status != 0) {
    throw Failure(outcome.status,
                  fmt::format("measuring ended with status {}; nothing was stored", outcome.status));
  }
  const auto text = read_file(profile);
  const json stored = text ? json::parse(*text, nullptr, false) : json();
  if (!stored.is_object()) {
    throw Failure(kFailed, fmt::format("no profile was stored at {}", profile.string()));
  }
  if (options.json) {
    fmt::print("{}\n", stored.dump());
    return 0;
  }
  room::Table table({{"parameter"}, {"value", true}});
  add_rows(table, "", stored);
  fmt::print("{}\nStored in {}. {}\n", table.text(room::colour_wanted(STDOUT_FILENO)), profile.string(),
             options.profile.empty() ? "Every `lapwing run` uses it from now on."
                                     : "Use it with: lapwing run --profile " + options.profile + " ...");
  return 0;
}

}  // namespace

Command add_tune(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tune", "Measure network and machine; thresholds and strips follow");
  auto options = std::make_shared<TuneOptions>();
  command->prefix_command();
  command
      ->add_option(
          "--profile", options->profile,
          "Where to store what was found (default: " + std::string("~/.config/lapwing/profile.json)"))
      ->type_name("FILE");
  command
      ->add_option("--mpi", options->mpi,
                   "Which MPI (default: that of the launcher, else MPICH if it is there)")
      ->check(CLI::IsMember({"mpich", "openmpi"}))
      ->type_name("mpich|openmpi");
  command->add_flag("--json", options->json, "Print the profile as JSON");
  command->footer(examples({{"lapwing tune", "two ranks on this machine"},
                            {"lapwing tune -- mpiexec -hosts a,b -n 2", "two ranks on two hosts"}}));
  return {command, true, [options](const std::vector<std::string>& words) { return tune(*options, words); }};
}

}  // namespace lapwing::cli
