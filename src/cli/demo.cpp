// SPDX-License-Identifier: Apache-2.0
// lapwing demo: see waiting disappear from a plain MPI program.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/commands.hpp"
#include "cli/demo_runs.hpp"
#include "cli/launch/paths.hpp"
#include "cli/launch/process.hpp"
#include "cli/say.hpp"
#include "cli/variables.hpp"
#include "options/table.hpp"
#include "report/statistics.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace lapwing::cli {

namespace {

namespace room = lapwing::report;

struct DemoOptions {
  bool local = false, json = false, inside = false;
  std::string size = "4M";
  std::string mpi = "both";
  double seconds = 48;  // of a minute; launchers and labs take the rest
  std::string why_local;
};

/// Medians over the repetitions of one variant under one MPI.
struct Row {
  Variant variant;
  double seconds = 0, waiting = 0, speed_up = 0;
  std::optional<double> hidden;  ///< of the plain program's waiting
};

double median_of(const std::vector<DemoRun>& runs, double DemoRun::*field) {
  std::vector<double> values;
  for (const DemoRun& run : runs) values.push_back(run.*field);
  return room::median(values);
}

/// The computation is the same in all three; what a program takes beyond it,
/// it waited, or lost to the handling of messages.
std::vector<Row> rows_of(const DemoSeries& series) {
  const double plain = median_of(series.plain, &DemoRun::seconds);
  const double computing = plain - median_of(series.plain, &DemoRun::mpi_seconds);
  std::vector<Row> rows;
  for (const Variant variant : {Variant::plain, Variant::lapwing, Variant::hand}) {
    const double seconds = median_of(series.of(variant), &DemoRun::seconds);
    Row row{variant, seconds, std::max(0.0, seconds - computing), plain / seconds, std::nullopt};
    if (variant != Variant::plain && plain > computing) row.hidden = (plain - seconds) / (plain - computing);
    rows.push_back(row);
  }
  return rows;
}

/// Noise may make a run slower than the plain one: then nothing was hidden.
std::string hidden_share(const Row& row) {
  if (!row.hidden) return "-";
  return *row.hidden < 0.005 ? "none" : room::share(row.hidden);
}

const char* title_of(Variant variant) {
  switch (variant) {
    case Variant::plain:
      return "plain program";
    case Variant::lapwing:
      return "the same, with Lapwing";
    case Variant::hand:
      break;
  }
  return "rewritten by hand";
}

bool all_equal(const std::vector<DemoSeries>& all) {
  std::set<std::string> sums;
  for (const DemoSeries& series : all) {
    for (const Variant variant : {Variant::plain, Variant::lapwing, Variant::hand}) {
      for (const DemoRun& run : series.of(variant)) sums.insert(run.checksum);
    }
  }
  return sums.size() == 1 && !sums.begin()->empty();
}

std::string checksums_of(const std::vector<DemoRun>& runs) {
  std::set<std::string> sums;
  for (const DemoRun& run : runs) sums.insert(run.checksum);
  std::string text;
  for (const auto& sum : sums) text += (text.empty() ? "" : " ") + sum;
  return text;
}

std::string setting(const DemoOptions& options, const DemoWork& work) {
  return fmt::format("Two ranks {}; {} messages of {} each way, as much computing as communicating.",
                     options.inside ? "on two emulated hosts with a link of 1 Gbit/s" : "on this host",
                     work.iterations, room::bytes(work.bytes));
}

std::string what_happened(const std::vector<DemoSeries>& all, bool equal) {
  if (!equal) {
    return "The results differ: that must never happen. Please report it with the output of `lapwing demo "
           "--json` and "
           "`lapwing doctor --json`.";
  }
  std::string text =
      "The plain program sends and receives with MPI_Sendrecv and then computes on what it got. Without "
      "Lapwing it "
      "first waits for the whole message. With Lapwing, the same binary goes on as soon as the message is "
      "announced, "
      "and stops only where it touches bytes that have not arrived; meanwhile the rest travels. The third "
      "program "
      "does the same by hand, at the price of being rewritten.";
  for (const DemoSeries& series : all) {
    const std::vector<Row> rows = rows_of(series);
    const Row &off = rows[0], &on = rows[1], &hand = rows[2];
    const std::string& aside = series.lapwing.back().standing_aside;
    text += fmt::format(" Under {} ", name_of(series.mpi));
    if (!series.lapwing.back().reported) {
      text += "Lapwing wrote no report, so what it did is not known.";
    } else if (!aside.empty()) {
      text += fmt::format("Lapwing stood aside ({}), so the times are those of the plain program.", aside);
    } else if (series.lapwing.back().deferred == 0) {
      text += "Lapwing deferred nothing: it found that hiding does not pay here.";
    } else if (on.speed_up < 1.02) {
      text += fmt::format(
          "nothing was gained here: {} against {}. Where messages pass through memory and no core is "
          "spare, there is little to hide.",
          room::seconds(on.seconds), room::seconds(off.seconds));
    } else {
      text += fmt::format("{} of {} of waiting disappeared ({}); rewriting by hand saves {} ({}).",
                          room::seconds(off.seconds - on.seconds), room::seconds(off.waiting),
                          hidden_share(on), room::seconds(off.seconds - hand.seconds), hidden_share(hand));
    }
  }
  return text + " The checksums cover every bit received and computed, on both ranks: they are equal.";
}

void print_text(const DemoOptions& options, const std::vector<DemoSeries>& all, const DemoWork& work,
                bool equal) {
  const bool colours = room::colour_wanted(STDOUT_FILENO);
  fmt::print("\n{}\n", setting(options, work));
  if (!options.why_local.empty()) fmt::print("{}\n", options.why_local);
  room::Table table({{"MPI"},
                     {"program"},
                     {"time", true},
                     {"of it waiting", true},
                     {"speed-up", true},
                     {"waiting hidden", true},
                     {"checksum of the results"}});
  for (const DemoSeries& series : all) {
    if (&series != &all.front()) table.rule();
    for (const Row& row : rows_of(series)) {
      const bool ours = row.variant == Variant::lapwing;
      table.add(
          {name_of(series.mpi), title_of(row.variant), room::seconds(row.seconds), room::seconds(row.waiting),
           fmt::format("{:.2f}", row.speed_up), hidden_share(row), checksums_of(series.of(row.variant))},
          ours ? room::Colour::good : room::Colour::none);
    }
  }
  fmt::print("\n{}\n", table.text(colours));
  fmt::print("{}\n", room::painted(equal ? "Results: bitwise equal in all runs."
                                         : "Results: DIFFERENT (see the checksums).",
                                   equal ? room::Colour::good : room::Colour::bad, colours));
  fmt::print("\n{}\n", room::wrapped(what_happened(all, equal), 100));
  if (equal) fmt::print("Your own program: lapwing run --compare -n 2 ./program\n");
}

void print_json(const DemoOptions& options, const std::vector<DemoSeries>& all, const DemoWork& work,
                bool equal) {
  static const char* const kNames[] = {"plain", "lapwing", "hand"};
  nlohmann::json out{{"equal", equal},      {"hosts", options.inside ? 2 : 1},
                     {"bytes", work.bytes}, {"iterations", work.iterations},
                     {"work", work.work},   {"why_local", options.why_local}};
  out["rows"] = nlohmann::json::array();
  for (const DemoSeries& series : all) {
    for (const Row& row : rows_of(series)) {
      const auto& runs = series.of(row.variant);
      nlohmann::json line{{"mpi", flavour_of(series.mpi)},
                          {"program", kNames[static_cast<int>(row.variant)]},
                          {"seconds", row.seconds},
                          {"waiting_s", row.waiting},
                          {"speed_up", row.speed_up},
                          {"checksum", checksums_of(runs)},
                          {"runs", runs.size()}};
      line["hidden"] = row.hidden ? nlohmann::json(*row.hidden) : nlohmann::json();
      if (row.variant == Variant::lapwing) {
        line["deferred"] = runs.back().deferred;
        line["faults"] = runs.back().faults;
        line["standing_aside"] = runs.back().standing_aside;
      }
      out["rows"].push_back(line);
    }
  }
  fmt::print("{}\n", out.dump());
}

/// Progress on stderr: one line that changes on a terminal, lines elsewhere.
void show_progress(const std::string& text) {
  if (::isatty(STDERR_FILENO) == 1) {
    fmt::print(stderr, "\r\033[K{}", text.empty() ? text : text + " ...");
  } else if (!text.empty()) {
    fmt::print(stderr, "{}\n", text);
  }
  std::fflush(stderr);
}

/// Into a lab of two hosts, if one can be made; else a sentence why not.
std::string enter_lab(const DemoOptions& options) {
  const auto tool = netlab();
  if (!tool) return "The tool for emulated hosts is not installed, so both ranks run on this host.";
  const auto answer = capture({tool->string(), "check", "--json"}, 20);
  const auto found = answer ? nlohmann::json::parse(answer->output, nullptr, false) : nlohmann::json();
  if (!answer || answer->status != 0 || !found.is_object()) {
    std::string why;
    if (found.is_object() && found.contains("findings")) {
      for (const auto& [name, finding] : found["findings"].items()) {
        const bool needed =
            name == "lab" || name == "ip" || name == "tc" || name == "nsenter" || name == "setpriv";
        if (needed && !finding.value("there", true)) why += " " + finding.value("text", "");
      }
    }
    return "Emulated hosts cannot be made here, so both ranks run on this host." + why;
  }
  Job job;
  job.words = {tool->string(), "with",      "--hosts",   "2",
               "--rate",       "1gbit",     "--",        (prefix() / "bin/lapwing").string(),
               "demo",         "--inside",  "--size",    options.size,
               "--mpi",        options.mpi, "--seconds", fmt::format("{}", options.seconds)};
  if (options.json) job.words.emplace_back("--json");
  become(job);
}

int demo(DemoOptions& options) {
  DemoWork work;
  std::size_t bytes = 0;
  if (!options::parse_bytes(options.size, &bytes) || bytes < 4096 || bytes > (1 << 30)) {
    throw Failure(kUsage, fmt::format("--size {}: give a size from 4K to 1G, such as 4M", options.size));
  }
  work.bytes = bytes;
  preload_library();
  if (!options.local && !options.inside) options.why_local = enter_lab(options);

  const DemoRunner runner(options.inside);
  std::vector<Mpi> mpis;
  std::string missing;
  for (const Mpi mpi : {Mpi::mpich, Mpi::openmpi}) {
    if (options.mpi != "both" && options.mpi != flavour_of(mpi)) continue;
    std::string why;
    if (runner.available(mpi, why)) {
      mpis.push_back(mpi);
    } else {
      say("{}", why);
    }
  }
  if (mpis.empty()) throw Failure(kNotFound, "no MPI is installed (Debian: apt install mpich openmpi-bin)");
  const std::vector<DemoSeries> all = run_demo(runner, mpis, work, options.seconds, show_progress);
  show_progress("");
  const bool equal = all_equal(all);
  if (options.json) {
    print_json(options, all, work, equal);
  } else {
    print_text(options, all, work, equal);
  }
  return equal ? 0 : static_cast<int>(kDifferent);
}

}  // namespace

Command add_demo(CLI::App& app) {
  CLI::App* command = app.add_subcommand("demo", "See waiting disappear from a plain MPI program (a minute)");
  auto options = std::make_shared<DemoOptions>();
  command->add_flag("--local", options->local, "Both ranks on this host, without emulated hosts");
  command->add_option("--size", options->size, "Bytes of each message")
      ->type_name("BYTES")
      ->capture_default_str();
  command->add_option("--mpi", options->mpi, "Which MPI")
      ->check(CLI::IsMember({"mpich", "openmpi", "both"}))
      ->type_name("mpich|openmpi|both")
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "How long it may measure")
      ->check(CLI::Range(1.0, 3600.0))
      ->type_name("SECONDS")
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object");
  command->add_flag("--inside", options->inside)->group("");  // this process is in a lab already
  command->footer(
      "A program that sends, receives, and computes on what it got runs three times in turns: as it\n"
      "is, with Lapwing, and rewritten by hand for overlap. Their results are compared bit by bit.\n"
      "Exit status: 0 if all results are equal, 123 if not.\n");
  return {command, false, [options](const std::vector<std::string>&) { return demo(*options); }};
}

}  // namespace lapwing::cli
