// SPDX-License-Identifier: Apache-2.0
// lapwing run --compare: without and with Lapwing in turns.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/interrupted.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/paths.hpp"
#include "cli/outputs.hpp"
#include "cli/run_options.hpp"
#include "cli/say.hpp"
#include "cli/variables.hpp"
#include "report/report.hpp"
#include "report/statistics.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace lapwing::cli {

namespace {

namespace room = lapwing::report;

/// Every run reads the same standard input: a file from where it stands, what
/// a pipe delivers, nothing from a terminal.
class Input {
 public:
  Input() {
    struct stat status {};
    if (::fstat(STDIN_FILENO, &status) != 0 || ::isatty(STDIN_FILENO) == 1) return;
    const bool file = S_ISREG(status.st_mode);
    // A pipe that says nothing for a second is somebody's idle standard input.
    struct pollfd waiting {
      STDIN_FILENO, POLLIN, 0
    };
    if (!file && (S_ISCHR(status.st_mode) || ::poll(&waiting, 1, 1000) <= 0)) return;
    copy_ = std::make_unique<TemporaryFile>();
    std::ofstream out(copy_->path(), std::ios::binary);
    char block[65536];
    for (ssize_t got; (got = ::read(STDIN_FILENO, block, sizeof block)) > 0;) out.write(block, got);
  }
  std::filesystem::path path() const { return copy_ ? copy_->path() : std::filesystem::path("/dev/null"); }

 private:
  std::unique_ptr<TemporaryFile> copy_;
};

struct Side {
  std::vector<double> wall_s;
  std::vector<std::string> output;              ///< standard output of each run
  std::vector<std::vector<std::string>> files;  ///< of each run, each --output file
};

struct Comparison {
  Side off, on;
  Side again;                                 ///< plain runs that are not timed
  std::vector<double> ratios;                 ///< off / on, pair by pair
  std::optional<room::Report> before, after;  ///< Lapwing only watching, and at work
};

class Runner {
 public:
  Runner(const RunOptions& options, const Plan& plan, Variables variables)
      : options_(options), plan_(plan), variables_(std::move(variables)) {
    std::erase_if(variables_, [](const auto& variable) { return variable.first == "LAPWING_REPORT"; });
  }

  Outcome off(Side& side) { return once(plan_.off(), &side); }
  Outcome on(Side& side) { return once(plan_.on(variables_), &side); }
  /// A run that is not timed: looking for what waits costs a start of its own.
  std::optional<room::Report> watched(bool defer) {
    const TemporaryFile file;
    Variables variables = variables_;
    if (!defer) set_variable(variables, "LAPWING_DEFER", "off");
    variables.emplace_back("LAPWING_REPORT", file.path().string());
    if (once(plan_.on(variables), nullptr).status != 0) return std::nullopt;
    try {
      return room::read_report(file.path().string());
    } catch (const room::BadReport&) {
      return std::nullopt;  // a launcher that runs rank 0 on another host
    }
  }

 private:
  Outcome once(Job job, Side* side) {
    const TemporaryFile output;
    job.input = input_.path();
    job.output = output.path();
    const Outcome outcome = run(job);
    if (outcome.interrupted != 0) throw Interrupted{outcome.interrupted};
    if (side == nullptr) return outcome;
    side->wall_s.push_back(outcome.wall_s);
    side->output.push_back(read_file(output.path()).value_or(""));
    side->files.emplace_back();
    for (const auto& file : options_.files) {
      const auto content = read_file(file);
      if (!content && outcome.status == 0) {
        throw Failure(kFailed, fmt::format("the program has not written {}, which --output names", file));
      }
      side->files.back().push_back(content.value_or(""));
    }
    return outcome;
  }

  const RunOptions& options_;
  const Plan& plan_;
  Variables variables_;
  Input input_;
};

[[noreturn]] void fail(const Outcome& outcome, const Side& side, const char* how) {
  std::fwrite(side.output.back().data(), 1, side.output.back().size(), stdout);
  std::fflush(stdout);
  throw Failure(outcome.status,
                outcome.signal != 0
                    ? fmt::format("the run {} Lapwing was ended by signal {}", how, outcome.signal)
                    : fmt::format("the run {} Lapwing ended with status {}", how, outcome.status));
}

std::string sentence(const Verdict& verdict, const std::string& what) {
  switch (verdict.sameness) {
    case Sameness::bitwise:
      return what + ": equal, byte for byte";
    case Sameness::reordered:
      return what + ": equal lines, in another order (ranks print when they come to it)";
    case Sameness::varying:
      return fmt::format("{}: equal, but for {} that {} between runs without Lapwing too, such as\n    {}",
                         what, verdict.varying == 1 ? "1 line" : fmt::format("{} lines", verdict.varying),
                         verdict.varying == 1 ? "differs" : "differ", verdict.example);
    case Sameness::different:
      break;
  }
  return what + ": DIFFERENT";
}

const char* word_of(Sameness sameness) {
  switch (sameness) {
    case Sameness::bitwise:
      return "bitwise";
    case Sameness::reordered:
      return "reordered";
    case Sameness::varying:
      return "varying";
    case Sameness::different:
      break;
  }
  return "different";
}

struct Named {
  std::string name;
  Verdict verdict;
};

std::vector<Named> verdicts_of(const RunOptions& options, const Comparison& result) {
  std::vector<std::string> plain = result.off.output;
  plain.insert(plain.end(), result.again.output.begin(), result.again.output.end());
  std::vector<Named> verdicts{{"standard output", compare_outputs(plain, result.on.output, options.ignored)}};
  for (std::size_t f = 0; f < options.files.size(); ++f) {
    std::vector<std::string> off, on;
    for (const auto& run : result.off.files) off.push_back(run[f]);
    for (const auto& run : result.again.files) off.push_back(run[f]);
    for (const auto& run : result.on.files) on.push_back(run[f]);
    verdicts.push_back({options.files[f], compare_outputs(off, on, options.ignored)});
  }
  return verdicts;
}

bool all_equal(const std::vector<Named>& verdicts) {
  return std::none_of(verdicts.begin(), verdicts.end(),
                      [](const Named& named) { return named.verdict.sameness == Sameness::different; });
}

/// A difference counts only if plain runs do not differ there as well, and two of
/// them may agree by chance. Runs that fail now prove nothing.
std::vector<Named> judged(const RunOptions& options, Runner& runner, Comparison& result) {
  constexpr std::size_t least_plain = 2, more = 2;
  const std::size_t timed = result.off.output.size();
  const std::size_t most = std::max(timed, least_plain) + (timed < 5 ? more : 0);
  std::vector<Named> verdicts = verdicts_of(options, result);
  while (!all_equal(verdicts) && timed + result.again.output.size() < most) {
    if (result.again.output.empty())
      say("the outputs differ: running it again without Lapwing, to see in what plain runs differ");
    if (runner.off(result.again).status != 0) {
      result.again.output.pop_back();
      result.again.files.pop_back();
      break;
    }
    verdicts = verdicts_of(options, result);
  }
  return verdicts;
}

void print_json(const Comparison& result, const std::vector<Named>& verdicts, bool equal) {
  const room::Interval interval = room::median_interval(result.ratios);
  nlohmann::json out{{"equal", equal},
                     {"pairs", result.ratios.size()},
                     {"plain_runs", result.off.output.size() + result.again.output.size()},
                     {"plain_s", result.off.wall_s},
                     {"lapwing_s", result.on.wall_s},
                     {"ratio", room::median(result.ratios)}};
  if (result.ratios.size() >= 5) {
    out["ratio_low"] = interval.low;
    out["ratio_high"] = interval.high;
    out["confidence"] = interval.confidence;
  }
  for (const auto& named : verdicts) {
    out["outputs"][named.name] = word_of(named.verdict.sameness);
    out["varying_lines"][named.name] = named.verdict.varying;
  }
  if (result.before) out["exposed_before_s"] = result.before->exposed_s();
  if (result.after) {
    out["exposed_after_s"] = result.after->exposed_s();
    out["standing_aside"] = result.after->standing_aside;
  }
  fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_text(const Comparison& result, const std::vector<Named>& verdicts) {
  const bool colours = room::colour_wanted(STDOUT_FILENO);
  room::Table table({{""}, {"median time", true}, {"least", true}, {"exposed wait", true}});
  const auto least = [](const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
  };
  const auto row = [&](const char* name, const Side& side, const std::string& exposed) {
    table.add({name, room::seconds(room::median(side.wall_s)), room::seconds(least(side.wall_s)), exposed});
  };
  row("without Lapwing", result.off, result.before ? room::seconds(result.before->exposed_s()) : "-");
  row("with Lapwing", result.on, result.after ? room::seconds(result.after->exposed_s()) : "-");
  fmt::print("{}\n", table.text(colours));
  const double ratio = room::median(result.ratios);
  std::string line = fmt::format("Speed: {:.3f} of the plain run", ratio);
  if (result.ratios.size() >= 5) {
    const room::Interval interval = room::median_interval(result.ratios);
    line += fmt::format(" ({:.0f} % interval of the median: {:.3f} to {:.3f}, {} pairs)",
                        100 * interval.confidence, interval.low, interval.high, result.ratios.size());
  } else {
    line += fmt::format(" ({} pair{}; --pairs 6 gives an interval)", result.ratios.size(),
                        result.ratios.size() == 1 ? "" : "s");
  }
  fmt::print("{}\n", line);
  if (result.after && !result.after->standing_aside.empty())
    fmt::print("Lapwing stood aside: {}\n", result.after->standing_aside);
  for (const auto& named : verdicts) {
    const bool bad = named.verdict.sameness == Sameness::different;
    fmt::print("{}\n", room::painted(sentence(named.verdict, named.name),
                                     bad ? room::Colour::bad : room::Colour::good, colours));
    if (bad) fmt::print("{}", short_diff(named.verdict, 20));
  }
}

}  // namespace

int compare(const RunOptions& options, const std::vector<std::string>& words) {
  const Request request{words, options.ranks, options.launcher, variables_of(options)};
  const Plan plan = make_plan(request);
  for (const auto& note : plan.notes) say("{}", note);
  if (!plan.preloaded) {
    say("{}; there is nothing to compare: running it once, without Lapwing", plan.plain_because);
    become(plan.off());
  }
  Runner runner(options, plan, request.variables);
  Comparison result;
  for (int pair = 0; pair < options.pairs; ++pair) {
    // Each goes first every other time, so that neither always finds warm caches.
    for (int turn = 0; turn < 2; ++turn) {
      if ((pair + turn) % 2 == 0) {
        if (const Outcome outcome = runner.off(result.off); outcome.status != 0)
          fail(outcome, result.off, "without");
      } else {
        if (const Outcome outcome = runner.on(result.on); outcome.status != 0)
          fail(outcome, result.on, "with");
      }
    }
    result.ratios.push_back(result.off.wall_s.back() / result.on.wall_s.back());
    say("pair {} of {}: {} without, {} with", pair + 1, options.pairs,
        room::seconds(result.off.wall_s.back()), room::seconds(result.on.wall_s.back()));
  }
  // The waiting that was hidden, and how much there was to hide.
  result.after = runner.watched(true);
  if (result.after && result.after->standing_aside.empty()) result.before = runner.watched(false);
  const std::vector<Named> verdicts = judged(options, runner, result);
  const bool equal = all_equal(verdicts);
  if (options.json) {
    print_json(result, verdicts, equal);
  } else {
    print_text(result, verdicts);
  }
  if (!equal) {
    say("{} runs without Lapwing agree where this differs; lines that may differ can be left out: --ignore "
        "REGEX",
        result.off.output.size() + result.again.output.size());
  }
  return equal ? 0 : static_cast<int>(kDifferent);
}

}  // namespace lapwing::cli
