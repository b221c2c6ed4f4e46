// SPDX-License-Identifier: Apache-2.0
// lapwing report: what every call site did.
#include "report/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/say.hpp"
#include "report/remarks.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace lapwing::cli {

namespace {

namespace room = lapwing::report;

struct ReportOptions {
  std::string file;
  bool json = false;
  std::string sort = "exposed";
  std::optional<std::size_t> top;  ///< 0: all
  std::vector<std::string> remarks;
};

using Remarks = std::vector<room::Remark>;

std::string default_file() {
  if (const char* named = std::getenv("LAPWING_REPORT"); named != nullptr && *named != 0) return named;
  return "lapwing-report.json";
}

/// Long paths and names keep their end, which tells most.
std::string shortened(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : "..." + text.substr(text.size() - (width - 3));
}

room::Colour colour_of(const room::Site& site) {
  if (site.decision == "hides") return room::Colour::good;
  if (site.decision == "plain") return room::Colour::faint;
  return room::Colour::none;
}

/// The chief place, and how many others there are.
std::string waited_at(const room::Site& site) {
  if (site.waited_at.empty()) return "-";
  std::string text = shortened(site.waited_at.front().site, 24);
  if (site.waited_at.size() > 1) text += fmt::format(" +{}", site.waited_at.size() - 1);
  return text;
}

std::string headline(const room::Report& report) {
  const std::string mpi = report.mpi == "mpich" ? "MPICH" : report.mpi == "openmpi" ? "Open MPI" : report.mpi;
  std::string text =
      fmt::format("{} rank{}, {}, {} long; guard {}, helper {}, defer {} (Lapwing {})\n", report.ranks,
                  report.ranks == 1 ? "" : "s", mpi, room::seconds(report.wall_s), report.guard,
                  report.helper ? "on" : "off", report.mode, report.version);
  for (const std::string& place : report.unused_hints)
    text += fmt::format("There is a hint for {}, which is no call site of this run\n", place);
  if (!report.standing_aside.empty()) text += fmt::format("Lapwing stood aside: {}\n", report.standing_aside);
  return text;
}

std::string conclusion(const room::Report& report) {
  // Exposed wait is summed over ranks, so is the time that it is compared with.
  const double total = report.wall_s * report.ranks;
  const double exposed = report.exposed_s();
  std::string text = fmt::format("Exposed wait: {} summed over ranks", room::seconds(exposed));
  if (total > 0) text += fmt::format(", {} of their time", room::share(exposed / total));
  text += ".";
  if (const auto hidden = report.hidden()) {
    text += fmt::format(" Hidden: {}, {} of all waiting, hidden and exposed.",
                        room::seconds(report.hidden_s()), room::share(hidden));
  }
  text += "\n";
  if (const std::string advice = room::advice(report); !advice.empty())
    text += room::wrapped(advice, 110) + "\n";
  return text;
}

/// Prints the compiler's remarks about each site that is shown, in their order.
void print_remarks(const room::Report& report, std::size_t shown, const Remarks& remarks) {
  fmt::print("\nThe compiler, on these call sites:\n");
  bool any = false;
  for (std::size_t i = 0; i < shown; ++i) {
    for (const room::Remark& remark : remarks) {
      if (remark.site != report.sites[i].site) continue;
      any = true;
      fmt::print("  {} ({} exposed): {}\n", remark.site, room::seconds(report.sites[i].exposed_s),
                 remark.text);
    }
  }
  if (!any) fmt::print("  nothing; were they compiled by lwcc, lwc++ or lwfc, with -g?\n");
}

void print_table(const room::Report& report, std::size_t shown, const Remarks* remarks) {
  const bool colours = room::colour_wanted(STDOUT_FILENO);
  fmt::print("{}", headline(report));
  if (report.sites.empty()) {
    fmt::print("No call of this job sent or received anything.\n");
    return;
  }
  const bool faults =
      std::any_of(report.sites.begin(), report.sites.begin() + static_cast<std::ptrdiff_t>(shown),
                  [](const room::Site& site) { return site.faults > 0; });
  std::vector<room::Table::Column> columns{{"call site"},          {"function"},    {"call"},
                                           {"waited for at"},      {"calls", true}, {"bytes", true},
                                           {"exposed wait", true}, {"hidden", true}};
  if (faults) columns.insert(columns.end(), {{"faults", true}, {"direction"}});
  const bool hints =
      std::any_of(report.sites.begin(), report.sites.begin() + static_cast<std::ptrdiff_t>(shown),
                  [](const room::Site& site) { return !site.hint.empty(); });
  columns.insert(columns.end(), {{"decision"}, {"because"}});
  if (hints) columns.push_back({"hint"});
  room::Table table(columns);
  for (std::size_t i = 0; i < shown; ++i) {
    const room::Site& site = report.sites[i];
    std::vector<std::string> cells{shortened(site.site, 32),
                                   shortened(site.function.substr(0, site.function.find('(')), 24),
                                   site.call,
                                   waited_at(site),
                                   room::grouped(site.calls),
                                   room::bytes(site.bytes),
                                   room::seconds(site.exposed_s),
                                   room::share(site.hidden)};
    if (faults) cells.insert(cells.end(), {room::grouped(site.faults), site.direction});
    cells.insert(cells.end(), {site.decision, site.why});
    if (hints) cells.push_back(site.hint);
    table.add(cells, colour_of(site));
  }
  fmt::print("\n{}", table.text(colours));
  if (shown < report.sites.size())
    fmt::print("... and {} more{} (--top 0 shows all)\n", report.sites.size() - shown,
               report.sites[shown].reason == "little" ? " that hardly wait" : "");
  if (remarks) print_remarks(report, shown, *remarks);
  fmt::print("\n{}", conclusion(report));
}

nlohmann::json to_json(const room::Report& report, std::size_t shown, const Remarks* remarks) {
  nlohmann::json out{{"lapwing", report.version},
                     {"mpi", report.mpi},
                     {"ranks", report.ranks},
                     {"guard", report.guard},
                     {"helper", report.helper},
                     {"mode", report.mode},
                     {"wall_s", report.wall_s},
                     {"standing_aside", report.standing_aside},
                     {"unused_hints", report.unused_hints},
                     {"max_rss_kib", report.max_rss_kib},
                     {"exposed_s", report.exposed_s()},
                     {"hidden_s", report.hidden_s()}};
  const auto hidden = report.hidden();
  out["hidden"] = hidden ? nlohmann::json(*hidden) : nlohmann::json();
  out["advice"] = room::advice(report);
  out["sites"] = nlohmann::json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    const room::Site& site = report.sites[i];
    out["sites"].push_back({{"site", site.site},
                            {"function", site.function},
                            {"call", site.call},
                            {"module", site.module},
                            {"offset", site.offset},
                            {"calls", site.calls},
                            {"bytes", site.bytes},
                            {"exposed_s", site.exposed_s},
                            {"hidden_s", site.hidden_s},
                            {"hidden", site.hidden ? nlohmann::json(*site.hidden) : nlohmann::json()},
                            {"deferred", site.deferred},
                            {"stripped", site.stripped},
                            {"faults", site.faults},
                            {"direction", site.direction},
                            {"decision", site.decision},
                            {"hint", site.hint},
                            {"reason", site.reason},
                            {"why", site.why},
                            {"waited_at", nlohmann::json::array()}});
    for (const room::Wait& wait : site.waited_at)
      out["sites"].back()["waited_at"].push_back(
          {{"site", wait.site}, {"function", wait.function}, {"exposed_s", wait.exposed_s}});
    if (!remarks) continue;
    auto& said = out["sites"].back()["remarks"] = nlohmann::json::array();
    for (const room::Remark& remark : *remarks) {
      if (remark.site == site.site) said.push_back({{"moved", remark.moved}, {"text", remark.text}});
    }
  }
  return out;
}

/// Unless told otherwise, a table ends where sites hardly wait.
std::size_t shown_of(const room::Report& report, const ReportOptions& options) {
  std::size_t count = report.sites.size();
  if (options.top && *options.top > 0) return std::min(*options.top, count);
  if (options.top || options.json) return count;
  while (count > 0 && report.sites[count - 1].reason == "little") --count;
  return count > 0 ? count : std::min<std::size_t>(report.sites.size(), 5);
}

int show(const ReportOptions& options) {
  room::Report report;
  const std::string file = options.file.empty() ? default_file() : options.file;
  if (options.file.empty() && !std::filesystem::exists(file)) {
    throw Failure(
        kFailed,
        fmt::format("which report? There is no {} here; write one with: lapwing run --report {} ..., "
                    "then: lapwing report {}",
                    file, file, file));
  }
  Remarks remarks;
  try {
    report = room::read_report(file);
    for (const std::string& record : options.remarks) {
      for (room::Remark& remark : room::read_remarks(record)) remarks.push_back(std::move(remark));
    }
  } catch (const room::BadReport& bad) {
    throw Failure(kFailed, bad.what());
  }
  room::sort_sites(report, options.sort == "bytes"   ? room::Order::bytes
                           : options.sort == "calls" ? room::Order::calls
                                                     : room::Order::exposed);
  const std::size_t shown = shown_of(report, options);
  const Remarks* told = options.remarks.empty() ? nullptr : &remarks;
  if (options.json) {
    using Handler = nlohmann::json::error_handler_t;
    fmt::print("{}\n", to_json(report, shown, told).dump(-1, ' ', false, Handler::replace));
  } else {
    print_table(report, shown, told);
  }
  return 0;
}

}  // namespace

Command add_report(CLI::App& app) {
  CLI::App* report = app.add_subcommand("report", "Show per call site what waited and what was hidden");
  auto options = std::make_shared<ReportOptions>();
  report
      ->add_option("FILE", options->file,
                   "The report (default: LAPWING_REPORT, else lapwing-report.json here)")
      ->type_name("");
  report->add_flag("--json", options->json, "One JSON object");
  report->add_option("--sort", options->sort, "The order of the call sites")
      ->check(CLI::IsMember({"exposed", "bytes", "calls"}))
      ->type_name("exposed|bytes|calls")
      ->capture_default_str();
  report->add_option("--top", options->top, "Show that many call sites only; 0: also those that hardly wait")
      ->type_name("N");
  report
      ->add_option("--remarks", options->remarks,
                   "The compiler's remarks: *.opt.yaml of -fsave-optimization-record")
      ->type_name("FILE...");
  report->footer(
      examples({{"lapwing run --report r.json -n 2 ./heat", "writes the report"},
                {"lapwing report r.json --top 5", "the five sites that wait longest"},
                {"lapwing report r.json --remarks heat.opt.yaml", "and what stopped their waits"}}) +
      "\nExposed wait is time in which the program could do nothing but wait: in the call, or in a wait for\n"
      "what it had started; hidden is the share of all waiting, hidden and exposed, that was hidden.\n"
      "Decisions: hides, learning, stands aside (hiding did not pay there), plain (not deferred).\n");
  return {report, false, [options](const std::vector<std::string>&) { return show(*options); }};
}

}  // namespace lapwing::cli
