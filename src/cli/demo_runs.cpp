// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_runs.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/interrupted.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/mpi_library.hpp"
#include "cli/launch/paths.hpp"
#include "cli/say.hpp"
#include "cli/variables.hpp"
#include "report/report.hpp"

namespace lapwing::cli {

namespace {

namespace room = lapwing::report;

constexpr int kRounds = 3;
constexpr double kRunLimit = 15;  // a run takes about 4 s

const char* program_of(Variant variant) { return variant == Variant::hand ? "demo_hand" : "demo_plain"; }

std::string path_of(Mpi mpi, Variant variant) {
  const std::string name = std::string(flavour_of(mpi)) + "/" + program_of(variant);
  const auto path = helper_program(name);
  if (!path) {
    throw Failure(kFailed, fmt::format("{}/libexec/lapwing/{} is missing; build or install the whole project",
                                       prefix().string(), name));
  }
  return path->string();
}

/// The program's own line among what launchers may print.
std::optional<DemoRun> parse(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("checksum") || !object.contains("seconds")) continue;
    DemoRun run;
    run.seconds = object.value("seconds", 0.0);
    run.mpi_seconds = object.value("mpi_seconds", 0.0);
    run.checksum = object.value("checksum", "");
    return run;
  }
  return std::nullopt;
}

}  // namespace

std::vector<DemoRun>& DemoSeries::of(Variant variant) {
  return variant == Variant::plain ? plain : variant == Variant::hand ? hand : lapwing;
}

const std::vector<DemoRun>& DemoSeries::of(Variant variant) const {
  return const_cast<DemoSeries*>(this)->of(variant);
}

std::vector<std::string> DemoRunner::launcher(Mpi mpi) const {
  if (emulated_) {
    const char* words = std::getenv(mpi == Mpi::mpich ? "NETLAB_MPIEXEC_MPICH" : "NETLAB_MPIEXEC_OPENMPI");
    return words != nullptr ? split_words(words) : std::vector<std::string>{};
  }
  const auto found = find_launcher(mpi, {});
  if (!found) return {};
  std::vector<std::string> words{*found};
  if (mpi == Mpi::openmpi) {
    words.insert(words.end(), {"--bind-to", "none", "--oversubscribe"});
    if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  }
  return words;
}

bool DemoRunner::available(Mpi mpi, std::string& why) const {
  if (launcher(mpi).empty()) {
    why = fmt::format("{} is not installed here and is left out", name_of(mpi));
    return false;
  }
  path_of(mpi, Variant::plain);
  path_of(mpi, Variant::hand);
  return true;
}

DemoRun DemoRunner::once(Mpi mpi, Variant variant, const DemoWork& work) const {
  Request request;
  request.words = launcher(mpi);
  request.words.insert(
      request.words.end(),
      {"-n", "2", path_of(mpi, variant), "--bytes", std::to_string(work.bytes), "--iterations",
       std::to_string(work.iterations), "--work", std::to_string(work.work)});
  request.variables = checked_environment();
  const TemporaryFile report_file, output, errors;
  Plan plan = make_plan(request);
  Job job = plan.off();
  if (variant == Variant::lapwing) {
    if (!plan.preloaded) throw Failure(kFailed, plan.plain_because);
    set_variable(request.variables, "LAPWING_REPORT", report_file.path().string());
    job = plan.on(request.variables);
  }
  job.input = "/dev/null";
  job.output = output.path();
  job.errors = errors.path();
  job.limit_s = kRunLimit;
  Outcome outcome = run(job);
  // MPICH over TCP sometimes hangs at its start or in MPI_Finalize where cores
  // are busy, with nothing preloaded: such a run has its result, or another chance.
  if (outcome.timed_out && outcome.interrupted == 0 && variant != Variant::lapwing) {
    if (auto result = parse(read_file(output.path()).value_or(""))) return *result;
    outcome = run(job);
  }
  if (outcome.interrupted != 0) throw Interrupted{outcome.interrupted};
  auto result = parse(read_file(output.path()).value_or(""));
  if (outcome.status != 0 || !result) {
    const std::string what = outcome.timed_out     ? fmt::format("did not end within {:.0f} s", kRunLimit)
                             : outcome.status != 0 ? fmt::format("ended with status {}", outcome.status)
                                                   : std::string("printed no result");
    throw Failure(kFailed, fmt::format("{} {} Lapwing under {} {}:\n{}\n{}", program_of(variant),
                                       variant == Variant::lapwing ? "with" : "without", name_of(mpi), what,
                                       quoted(job.words), read_file(errors.path()).value_or("")));
  }
  if (variant == Variant::lapwing) {
    try {
      const room::Report report = room::read_report(report_file.path().string());
      result->reported = true;
      result->standing_aside = report.standing_aside;
      for (const room::Site& site : report.sites) {
        result->deferred += site.deferred;
        result->faults += site.faults;
      }
    } catch (const room::BadReport&) {
      result->reported = false;  // the results count all the same
    }
  }
  return *result;
}

void DemoRunner::calibrate(Mpi mpi, DemoWork& work, double budget_s) const {
  DemoWork trial = work;
  trial.iterations = 4;
  const DemoRun run = once(mpi, Variant::plain, trial);
  const double computing = std::max(run.seconds - run.mpi_seconds, 1e-6);
  const double scaled = trial.work * run.mpi_seconds / computing;
  work.work = static_cast<int>(std::lround(std::clamp(scaled, 1.0, 400.0)));
  // Where messages are fast, more of them, so that there is something to see.
  const double iteration = 2 * run.mpi_seconds / trial.iterations;
  work.iterations = static_cast<int>(std::clamp(budget_s / 12 / std::max(iteration, 1e-4), 16.0, 400.0));
}

std::vector<DemoSeries> run_demo(const DemoRunner& runner, const std::vector<Mpi>& mpis, DemoWork& work,
                                 double budget_s, const std::function<void(const std::string&)>& progress) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto used = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::vector<DemoSeries> all;
  for (const Mpi mpi : mpis) all.push_back({mpi, {}, {}, {}});
  progress("a first run, to see how long messages take here");
  runner.calibrate(mpis.front(), work, budget_s);
  for (int round = 0; round < kRounds; ++round) {
    const double before = used();
    for (DemoSeries& series : all) {
      for (int turn = 0; turn < 3; ++turn) {
        // Another variant goes first in each round.
        const auto variant = static_cast<Variant>((turn + round) % 3);
        static const char* const kNames[] = {"plain program, without Lapwing", "plain program, with Lapwing",
                                             "program rewritten by hand"};
        progress(fmt::format("round {} of {}, {}: {}", round + 1, kRounds, name_of(series.mpi),
                             kNames[static_cast<int>(variant)]));
        series.of(variant).push_back(runner.once(series.mpi, variant, work));
      }
    }
    if (used() + (used() - before) > budget_s) break;
  }
  return all;
}

}  // namespace lapwing::cli
