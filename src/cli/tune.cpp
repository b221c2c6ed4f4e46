// SPDX-License-Identifier: Apache-2.0
// lapwing tune: measure the network and the machine, keep what was found, show what is kept.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/interrupted.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/mpi_library.hpp"
#include "cli/launch/paths.hpp"
#include "cli/say.hpp"
#include "cli/tune_table.hpp"
#include "machine/profile.hpp"

namespace lapwing::cli {

namespace {

struct TuneOptions {
  std::string profile;
  std::string mpi;
  bool json = false;
  bool show = false;
};

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

std::filesystem::path place_of(const TuneOptions& options) {
  return std::filesystem::absolute(options.profile.empty() ? default_profile()
                                                           : std::filesystem::path(options.profile));
}

int show_kept(const TuneOptions& options) {
  const std::string path = place_of(options).string();
  machine::Profile profile;
  std::string why;
  if (!std::filesystem::exists(path))
    throw Failure(kFailed, fmt::format("there is no profile at {}; `lapwing tune` makes one", path));
  if (!machine::read_profile(path, &profile, &why)) throw Failure(kFailed, why);
  if (options.json) {
    for (const machine::Measured& record : profile.records) fmt::print("{}\n", shown_as_json(record));
  } else {
    fmt::print("{}\nKept in {}.\n", shown_as_table(profile), path);
  }
  return 0;
}

/// Before anything is measured.
void prepare_place(const std::filesystem::path& profile) {
  const std::filesystem::path folder = profile.parent_path();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Failure(kFailed, fmt::format("cannot make {}: {}; choose another place with --profile",
                                       folder.string(), failed.message()));
  if (std::filesystem::exists(profile) && !std::filesystem::is_regular_file(profile)) return;
  std::string name = (folder / "profile-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0)
    throw Failure(kFailed,
                  fmt::format("nothing can be written in {}: {}; choose another place with --profile",
                              folder.string(), std::strerror(errno)));
  ::close(file);
  ::unlink(name.c_str());
}

/// The record that the measuring program has printed, among whatever the launcher prints.
machine::Measured record_in(const std::string& output) {
  machine::Measured record;
  std::string why = "it printed none";
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("{") && machine::parse_record(line, &record, &why)) return record;
  }
  throw Failure(
      kFailed,
      fmt::format("the measuring program gave no record that can be read ({}); nothing was stored", why));
}

machine::Measured measured_by(const TuneOptions& options, const std::vector<std::string>& given) {
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
  prepare_place(place_of(options));
  const auto program = helper_program(std::string(flavour_of(mpi)) + "/tune");
  if (!program) {
    throw Failure(kFailed,
                  fmt::format("{}/libexec/lapwing/{}/tune is missing; build or install the whole project",
                              prefix().string(), flavour_of(mpi)));
  }
  Job job;
  job.words = launch;
  job.words.push_back(program->string());
  const TemporaryFile output;
  job.output = output.path();
  say("measuring with {} (some seconds; longer over a slow network)", name_of(mpi));
  const Outcome outcome = run(job);
  if (outcome.interrupted != 0) throw Interrupted{outcome.interrupted};
  if (outcome.status != 0) {
    throw Failure(outcome.status,
                  fmt::format("measuring ended with status {}; nothing was stored", outcome.status));
  }
  return record_in(read_file(output.path()).value_or(""));
}

int tune(const TuneOptions& options, const std::vector<std::string>& given) {
  if (options.show) {
    if (!given.empty())
      throw Failure(kUsage, fmt::format("--show starts nothing; {} is too much", given.front()));
    return show_kept(options);
  }
  const machine::Measured record = measured_by(options, given);
  const std::string path = place_of(options).string();
  machine::Profile profile;
  std::string why;
  if (std::filesystem::is_regular_file(path) && !machine::read_profile(path, &profile, &why))
    say("{}: it is replaced", why);
  profile.keep(record);
  if (!machine::write_profile(path, profile, &why))
    throw Failure(kFailed, fmt::format("{}; choose another place with --profile", why));
  if (options.json) {
    fmt::print("{}\n", shown_as_json(record));
    return 0;
  }
  machine::Profile alone;
  alone.keep(record);
  fmt::print("{}\nStored in {}. {}\n", shown_as_table(alone), path,
             options.profile.empty() ? "Every `lapwing run` on such a machine uses it from now on."
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
          "Where records are kept, one for each kind of link, machine, MPI and transport (default: " +
              std::string("~/.config/lapwing/profile.json)"))
      ->type_name("FILE");
  command
      ->add_option("--mpi", options->mpi,
                   "Which MPI (default: that of the launcher, else MPICH if it is there)")
      ->check(CLI::IsMember({"mpich", "openmpi"}))
      ->type_name("mpich|openmpi");
  command->add_flag("--show", options->show, "Measure nothing: print what is kept, and what follows from it");
  command->add_flag("--json", options->json, "Print as JSON, one object for each record");
  command->footer(examples({{"lapwing tune", "two ranks on this machine"},
                            {"lapwing tune -- mpiexec -hosts a,b -n 2", "two ranks on two hosts"},
                            {"lapwing tune --show", "what is kept"}}));
  return {command, true, [options](const std::vector<std::string>& words) { return tune(*options, words); }};
}

}  // namespace lapwing::cli
