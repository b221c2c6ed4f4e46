// SPDX-License-Identifier: Apache-2.0
#include "cli/launch.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "cli/paths.hpp"
#include "cli/say.hpp"

namespace lapwing::cli {

namespace {

using ProgramKind = Program::Kind;

std::string package_of(Mpi mpi) { return mpi == Mpi::mpich ? "mpich" : "openmpi-bin"; }

/// The launcher's words for `-n`.
std::vector<std::string> launch_with(Mpi mpi, int ranks) {
  const auto launcher = find_launcher(mpi);
  if (!launcher) {
    throw Failure(kNotFound,
                  fmt::format("the program is linked with {}, whose mpiexec is not installed or not in "
                              "PATH; install it (Debian: apt install {}), or give the launcher yourself: "
                              "lapwing run -- mpiexec -n {} ...",
                              name_of(mpi), package_of(mpi), ranks));
  }
  std::vector<std::string> words{*launcher};
  if (mpi == Mpi::openmpi) {
    // Bound to one core, a rank would share it with the thread that moves its messages.
    words.insert(words.end(), {"--bind-to", "none"});
    if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
    if (ranks > static_cast<int>(std::thread::hardware_concurrency())) words.emplace_back("--oversubscribe");
  }
  words.insert(words.end(), {"-n", std::to_string(ranks)});
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
      return fmt::format("{} is a program of another kind of machine", program.name);
    default:
      break;
  }
  if (program.mpi == Mpi::none) {
    return fmt::format("{} is linked with no MPI library, so there is nothing to hide", program.name);
  }
  if (program.mpi == Mpi::other) {
    return fmt::format(
        "{} is linked with an MPI that Lapwing does not know ({}); it knows MPICH 4 and Open MPI 4",
        program.name, program.mpi_library);
  }
  if (started_by != Mpi::unknown && program.mpi != Mpi::unknown && started_by != program.mpi) {
    const auto right = find_launcher(program.mpi);
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
  if (request.ranks) {
    if (launcher_name(request.words.front())) {
      throw Failure(kUsage, fmt::format("-n chooses the launcher itself: give either -n {0} ./program, or "
                                        "-- {1} -n {0} ./program",
                                        *request.ranks, request.words.front()));
    }
    CommandLine own;
    own.words = request.words;
    require_launcher(own);
    const Program program = inspect_program(request.words);
    Mpi mpi = program.mpi == Mpi::mpich || program.mpi == Mpi::openmpi ? program.mpi : Mpi::unknown;
    if (mpi == Mpi::unknown) {
      // No MPI of its own to go by: whichever plain `mpiexec` means here.
      mpi = find_executable("mpiexec") ? mpi_of(recognise("mpiexec")) : Mpi::unknown;
      if (mpi == Mpi::unknown) mpi = find_launcher(Mpi::mpich) ? Mpi::mpich : Mpi::openmpi;
      if (program.kind == ProgramKind::script || program.kind == ProgramKind::interpreter) {
        plan.notes.push_back(
            fmt::format("which MPI {} uses cannot be told from outside; it is launched with {}'s "
                        "mpiexec",
                        program.name, name_of(mpi)));
      }
    }
    plan.plain = launch_with(mpi, *request.ranks);
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
