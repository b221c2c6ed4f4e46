// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/launch/mpi_library.hpp"
#include "cli/launch/paths.hpp"
#include "cli/say.hpp"
#include "progress/cores.hpp"

namespace lapwing::cli {

namespace {

using ProgramKind = Program::Kind;

std::string package_of(Mpi mpi) { return mpi == Mpi::openmpi ? "openmpi-bin" : "mpich"; }

/// Slurm's plugin that this family speaks to; none is assumed where the user or the cluster has chosen one.
std::string slurm_plugin(Mpi mpi, const std::vector<std::string>& words) {
  const bool chosen =
      std::any_of(words.begin(), words.end(), [](const auto& word) { return word.starts_with("--mpi"); });
  if (chosen || std::getenv("SLURM_MPI_TYPE") != nullptr) return {};
  return mpi == Mpi::openmpi ? "--mpi=pmix" : mpi == Mpi::mpich || mpi == Mpi::standard ? "--mpi=pmi2" : "";
}

/// The launcher that the user has named, or that of the program's MPI, with what it needs to start `ranks`.
std::vector<std::string> launch_with(Mpi mpi, const std::filesystem::path& library, const Request& request) {
  std::vector<std::string> words = split_words(request.launcher);
  if (words.empty()) {
    auto found = find_launcher(mpi, library);
    if (!found && find_executable("srun")) found = "srun";
    if (!found) {
      throw Failure(kNotFound,
                    fmt::format("the program is linked with {}, whose mpiexec is not installed or not in "
                                "PATH; install it (Debian: apt install {}), or give the launcher yourself: "
                                "lapwing run -- mpiexec -n {} ...",
                                name_of(mpi), package_of(mpi), request.ranks.value_or(1)));
    }
    words.push_back(*found);
  }
  const Launcher launcher = recognise(words.front());
  if (launcher == Launcher::orte) {
    if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
    if (request.ranks > progress::cores_of_process()) words.emplace_back("--oversubscribe");
  } else if (launcher == Launcher::srun) {
    if (const std::string plugin = slurm_plugin(mpi, words); !plugin.empty()) words.push_back(plugin);
  }
  if (request.ranks) words.insert(words.end(), {"-n", std::to_string(*request.ranks)});
  return words;
}

void require_launcher(const CommandLine& line) {
  const std::string& name = line.words[line.launcher_at];
  if (find_executable(name)) return;
  if (launcher_name(name)) {
    const Mpi mpi = mpi_of(line.launcher);
    const std::string how = line.launcher == Launcher::srun ? "Slurm's client commands"
                            : mpi == Mpi::unknown
                                ? "an MPI (Debian: apt install mpich or openmpi-bin)"
                                : fmt::format("{} (Debian: apt install {})", name_of(mpi), package_of(mpi));
    throw Failure(kNotFound, fmt::format("{} is not installed or not in PATH; install {}", name, how));
  }
  const bool there = std::filesystem::exists(name);
  throw Failure(there ? kNotExecutable : kNotFound,
                there
                    ? fmt::format("{} is there but is not an executable program", name)
                    : fmt::format("there is no program {}{}", name,
                                  name.find('/') == std::string::npos && std::filesystem::exists("./" + name)
                                      ? "; did you mean ./" + name + "?"
                                      : ""));
}

/// Why this program cannot have the preload; empty if it can.
std::string obstacle(const Program& program, Launcher launcher) {
  const Mpi started_by = mpi_of(launcher);
  switch (program.kind) {
    case ProgramKind::fixed:
      return fmt::format(
          "{} is statically linked{}, so nothing can be preloaded into it; link it dynamically to have "
          "its waiting hidden",
          program.name, program.mpi == Mpi::other ? " together with its MPI" : "");
    case ProgramKind::fixed_mpi:
      return fmt::format(
          "{} has its MPI linked statically into it, so its calls cannot be reached; link it with the "
          "shared MPI library to have its waiting hidden",
          program.name);
    case ProgramKind::foreign:
      return fmt::format("{} is no program of this 64-bit machine, and the library to preload is one",
                         program.name);
    default:
      break;
  }
  if (program.mpi == Mpi::none && !program.not_found.empty()) {
    return fmt::format(
        "{} is linked with no MPI library that can be found, but needs {}, which is not found and may need "
        "one; name its folder in LD_LIBRARY_PATH",
        program.name, program.not_found);
  }
  if (program.mpi == Mpi::none) {
    return fmt::format("{} is linked with no MPI library, so there is nothing to hide", program.name);
  }
  if (program.mpi == Mpi::other) {
    return fmt::format(
        "{} is linked with an MPI that Lapwing does not know ({}); it knows the MPICH ABI (libmpi.so.12), "
        "Open MPI 4 and 5 (libmpi.so.40) and the standard ABI (libmpi_abi.so)",
        program.name, program.mpi_library);
  }
  if (program.mpi != Mpi::unknown && !std::filesystem::exists(engine_library(flavour_of(program.mpi)))) {
    return fmt::format("{} is linked with {} ({}), for which this installation of Lapwing has no engine ({})",
                       program.name, name_of(program.mpi), program.mpi_library,
                       engine_library(flavour_of(program.mpi)).filename().string());
  }
  // Any launcher may have learned to start programs of the standard ABI.
  const bool foreign = started_by != Mpi::unknown && program.mpi != Mpi::unknown &&
                       program.mpi != Mpi::standard && started_by != program.mpi;
  if (foreign) {
    const auto right = find_launcher(program.mpi, program.mpi_library);
    const std::string who =
        program.kind == ProgramKind::interpreter ? "the mpi4py of " + program.name : program.name;
    return fmt::format(
        "{} is linked with {} ({}), but the launcher is that of {}: each process would be a job of its "
        "own; use {}",
        who, name_of(program.mpi), program.mpi_library, name_of(started_by),
        right ? *right : std::string("the launcher of ") + name_of(program.mpi));
  }
  return {};
}

/// Ours stands before the user's own, so that no message passes it by; a
/// sanitizer's runtime refuses any place but the first.
std::string preload_value(const std::string& sanitizer, const std::string& users) {
  const std::string ours = preload_library().string();
  std::string value;
  const auto add = [&](const std::string& part) {
    if (part.empty() || (":" + value + ":").find(":" + part + ":") != std::string::npos) return;
    value += (value.empty() ? "" : ":") + part;
  };
  std::string rest = users;
  for (char& c : rest) {
    if (c == ' ') c = ':';
  }
  add(sanitizer);
  add(ours);
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t end = std::min(rest.find(':', begin), rest.size());
    add(rest.substr(begin, end - begin));
    begin = end + 1;
  }
  return value;
}

}  // namespace

Job Plan::off() const {
  Job job;
  job.words = plain;
  return job;
}

Job Plan::on(const Variables& variables) const {
  Job job;
  Variables all{{"LD_PRELOAD", preload}};
  if (uniform) all.emplace_back("LAPWING_JOB", "uniform");
  for (const auto& variable : variables) {
    if (variable.first != "LD_PRELOAD" && variable.first != "LAPWING_JOB") all.push_back(variable);
  }
  job.words = with_variables(line, all, job.set);
  return job;
}

Plan make_plan(const Request& request) {
  Plan plan;
  if (request.words.empty()) {
    throw Failure(kUsage,
                  "no program was given; for example: lapwing run -n 4 ./program, or "
                  "lapwing run -- mpiexec -n 4 ./program");
  }
  if (request.ranks || !request.launcher.empty()) {
    if (launcher_name(request.words.front())) {
      throw Failure(kUsage,
                    request.ranks
                        ? fmt::format("-n chooses the launcher itself: give either -n {0} ./program, or "
                                      "-- {1} -n {0} ./program",
                                      *request.ranks, request.words.front())
                        : fmt::format("--launcher {} and {} are two launchers; give one of them",
                                      request.launcher, request.words.front()));
    }
    CommandLine own;
    own.words = request.words;
    require_launcher(own);
    const Program program = inspect_program(request.words);
    Mpi mpi = *flavour_of(program.mpi) != 0 ? program.mpi : Mpi::unknown;
    if (mpi == Mpi::unknown && request.launcher.empty()) {
      // No MPI of its own to go by: whichever plain `mpiexec` means here.
      mpi = find_executable("mpiexec") ? mpi_of(recognise("mpiexec")) : Mpi::unknown;
      if (mpi == Mpi::unknown) mpi = find_launcher(Mpi::mpich, {}) ? Mpi::mpich : Mpi::openmpi;
      if (program.kind == ProgramKind::script || program.kind == ProgramKind::interpreter) {
        plan.notes.push_back(
            fmt::format("which MPI {} uses cannot be told from outside; it is launched with {}'s "
                        "mpiexec",
                        program.name, name_of(mpi)));
      }
    }
    plan.plain = launch_with(mpi, program.mpi_library, request);
    plan.plain.insert(plan.plain.end(), request.words.begin(), request.words.end());
  } else {
    plan.plain = request.words;
  }
  plan.line = parse_command(plan.plain);
  require_launcher(plan.line);
  plan.mpi = mpi_of(plan.line.launcher);

  std::string sanitizer;
  bool certain = true;
  std::string why_not;
  std::size_t without = 0;
  for (std::size_t i = 0; i < plan.line.segments.size(); ++i) {
    const Program program = inspect_program(plan.line.program_words(i));
    if (std::string why = obstacle(program, plan.line.launcher); !why.empty()) {
      ++without;
      if (why_not.empty()) why_not = std::move(why);
    }
    if (!program.sanitizer.empty()) sanitizer = program.sanitizer.string();
    if (plan.mpi == Mpi::unknown) plan.mpi = program.mpi;
    certain = certain && (program.kind == ProgramKind::elf || program.kind == ProgramKind::interpreter);
  }
  if (without > 0 && without == plan.line.segments.size() && !plan.line.from_file) {
    plan.plain_because = why_not;
    return plan;
  }
  if (without > 0) plan.notes.push_back(why_not + "; the job's other programs run with Lapwing");
  plan.preloaded = true;
  plan.uniform = certain && plan.line.launcher != Launcher::none && plan.line.segments.size() == 1 &&
                 !plan.line.from_file && !plan.line.own_environment;
  std::string users = plan.line.user_preload;
  for (const auto& [name, value] : request.variables) {
    if (name == "LD_PRELOAD") users = value;
  }
  if (const char* inherited = std::getenv("LD_PRELOAD"); users.empty() && inherited != nullptr)
    users = inherited;
  plan.preload = preload_value(sanitizer, users);
  if (plan.preload.find_first_of(" \t\n") != std::string::npos) {
    throw Failure(kFailed,
                  fmt::format("the loader cannot preload from a path with a blank in it: {}; install Lapwing "
                              "elsewhere",
                              plan.preload));
  }
  return plan;
}

}  // namespace lapwing::cli
