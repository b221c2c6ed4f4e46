// SPDX-License-Identifier: Apache-2.0
// lapwing report: what every call site did.
#include "report/report.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/say.hpp"
#include "report/remarks.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace lapwing::cli {

namespace {

namespace room = lapwing::report;

struct Options {
  std::string file;
  bool json = false;
  std::string sort = "exposed";
  std::size_t top = 0;
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

std::string headline(const room::Report& report) {
  const std::string mpi = report.mpi == "mpich" ? "MPICH" : report.mpi == "openmpi" ? "Open MPI" : report.mpi;
  std::string text =
      fmt::format("{} rank{}, {}, {} long; guard {}, helper {}, defer {} (Lapwing {})\n", report.ranks,
                  report.ranks == 1 ? "" : "s", mpi, room::seconds(report.wall_s), report.guard,
                  report.helper ? "on" : "off", report.mode, report.version);
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
    text += fmt::format(" Hidden: {}, {} of what the deferred transfers took.",
                        room::seconds(report.hidden_s()), room::share(hidden));
  } else if (!report.sites.empty()) {
    text += " No transfer was deferred.";
  }
  return text + "\n";
}

/// What the compiler said about each site that is shown, in their order.
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
  room::Table table({{"call site"},
                     {"function"},
                     {"call"},
                     {"calls", true},
                     {"bytes", true},
                     {"exposed wait", true},
                     {"hidden", true},
                     {"faults", true},
                     {"direction"},
                     {"decision"}});
  for (std::size_t i = 0; i < shown; ++i) {
    const room::Site& site = report.sites[i];
    table.add({shortened(site.site, 40), shortened(site.function, 24), site.call, room::grouped(site.calls),
               room::bytes(site.bytes), room::seconds(site.exposed_s), room::share(site.hidden),
               room::grouped(site.faults), site.direction, site.decision},
              colour_of(site));
  }
  fmt::print("\n{}", table.text(colours));
  if (shown < report.sites.size())
    fmt::print("... and {} more (--top 0 shows all)\n", report.sites.size() - shown);
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
                     {"max_rss_kib", report.max_rss_kib},
                     {"exposed_s", report.exposed_s()},
                     {"hidden_s", report.hidden_s()}};
  const auto hidden = report.hidden();
  out["hidden"] = hidden ? nlohmann::json(*hidden) : nlohmann::json();
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
                            {"decision", site.decision}});
    if (!remarks) continue;
    auto& said = out["sites"].back()["remarks"] = nlohmann::json::array();
    for (const room::Remark& remark : *remarks) {
      if (remark.site == site.site) said.push_back({{"moved", remark.moved}, {"text", remark.text}});
    }
  }
  return out;
}

int show(const Options& options) {
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
  const std::size_t shown =
      options.top == 0 ? report.sites.size() : std::min(options.top, report.sites.size());
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
  auto options = std::make_shared<Options>();
  report
      ->add_option("FILE", options->file,
                   "The report (default: LAPWING_REPORT, else lapwing-report.json here)")
      ->type_name("");
  report->add_flag("--json", options->json, "One JSON object");
  report->add_option("--sort", options->sort, "What comes first")
      ->check(CLI::IsMember({"exposed", "bytes", "calls"}))
      ->type_name("exposed|bytes|calls")
      ->capture_default_str();
  report->add_option("--top", options->top, "Show that many call sites only")->type_name("N");
  report
      ->add_option("--remarks", options->remarks,
                   "What the compiler said: *.opt.yaml of -fsave-optimization-record")
      ->type_name("FILE...");
  report->footer(
      examples({{"lapwing run --report r.json -n 2 ./heat", "writes the report"},
                {"lapwing report r.json --top 5", "the five sites that wait longest"},
                {"lapwing report r.json --remarks heat.opt.yaml", "and what stopped their waits"}}) +
      "\nExposed wait is time in which the program could do nothing but wait; hidden is the share of a\n"
      "transfer's time in which it computed. Decisions: hides, learning, stands aside (hiding did not\n"
      "pay there), plain (too small, or nothing that could be deferred).\n");
  return {report, false, [options](const std::vector<std::string>&) { return show(*options); }};
}

}  // namespace lapwing::cli
