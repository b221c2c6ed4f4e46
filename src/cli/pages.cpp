// SPDX-License-Identifier: Apache-2.0
// lapwing pages: in which order a program uses what it receives, and what would pay.
#include "report/pages.hpp"

#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/say.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace lapwing::cli {

namespace {

namespace room = lapwing::report;

struct PagesOptions {
  std::string file;
  bool json = false, hints = false;
  std::size_t top = 0;  ///< 0: all
};

/// How much longer, or shorter, than the transfer the use of its data lasts.
std::string against(double used_s, double transfer_s) {
  return transfer_s > 0 ? fmt::format("{} ({:.2f})", room::seconds(used_s), used_s / transfer_s)
                        : room::seconds(used_s);
}

void print_table(const room::PageTrace& trace, const std::vector<room::PagedSite>& sites) {
  const std::string mpi = trace.mpi == "mpich" ? "MPICH" : trace.mpi == "openmpi" ? "Open MPI" : trace.mpi;
  fmt::print("{} rank{}, {}; guard {} (Lapwing {})\n", trace.ranks, trace.ranks == 1 ? "" : "s", mpi,
             trace.guard.empty() ? "-" : trace.guard, trace.version);
  for (const std::string& note : trace.notes) fmt::print("Note: {}.\n", note);
  if (sites.empty()) {
    fmt::print("No receive of this job was traced.\n");
    return;
  }
  room::Table table({{"call site"},
                     {"call"},
                     {"waited for at"},
                     {"receives", true},
                     {"traced", true},
                     {"bytes", true},
                     {"order of use"},
                     {"untouched", true},
                     {"waited", true},
                     {"first touch", true},
                     {"used over", true},
                     {"hint"},
                     {"hides", true}});
  for (const room::PagedSite& s : sites) {
    const bool blocks = s.wait == s.site && s.wait_call == s.call;
    table.add({s.site, s.call, s.traced == 0 || blocks ? "-" : s.wait, room::grouped(s.receives),
               room::grouped(s.traced), room::bytes(s.bytes), s.traced == 0 ? "-" : s.order,
               room::share(s.untouched), room::seconds(s.waited_s), room::seconds(s.first_touch_s),
               against(s.used_over_s, s.transfer_s), s.hint.empty() ? "-" : s.hint,
               s.saves_s > 0 ? room::share(s.saves_s / s.waited_s) : "-"},
              s.saves_s > 0 ? room::Colour::good : room::Colour::none);
  }
  fmt::print("\n{}\n", table.text(room::colour_wanted(STDOUT_FILENO)));
  for (const room::PagedSite& s : sites)
    fmt::print("{}\n", room::wrapped(fmt::format("{} ({}): {}", s.site, s.call, s.advice), 110, "  "));
}

nlohmann::json to_json(const room::PageTrace& trace, const std::vector<room::PagedSite>& sites) {
  nlohmann::json out{{"lapwing", trace.version}, {"mpi", trace.mpi},     {"ranks", trace.ranks},
                     {"guard", trace.guard},     {"notes", trace.notes}, {"sites", nlohmann::json::array()}};
  for (const room::PagedSite& s : sites)
    out["sites"].push_back({{"site", s.site},
                            {"function", s.function},
                            {"call", s.call},
                            {"wait", s.wait},
                            {"wait_call", s.wait_call},
                            {"first_use", s.first_use},
                            {"receives", s.receives},
                            {"traced", s.traced},
                            {"bytes", s.bytes},
                            {"order", s.order},
                            {"untouched", s.untouched ? nlohmann::json(*s.untouched) : nlohmann::json()},
                            {"waited_s", s.waited_s},
                            {"transfer_s", s.transfer_s},
                            {"first_touch_s", s.first_touch_s},
                            {"used_over_s", s.used_over_s},
                            {"strips_up_s", s.up_s},
                            {"strips_down_s", s.down_s},
                            {"later_s", s.later_s},
                            {"train", s.train},
                            {"train_s", s.train_s},
                            {"hint", s.hint},
                            {"saves_s", s.saves_s},
                            {"advice", s.advice}});
  return out;
}

/// Lines for LAPWING_HINTS.
void print_hints(const std::vector<room::PagedSite>& sites) {
  for (const room::PagedSite& s : sites)
    if (!s.hint.empty()) fmt::print("{} {}  # {} a receive\n", s.site, s.hint, room::seconds(s.saves_s));
}

int show(const PagesOptions& options) {
  room::PageTrace trace;
  try {
    trace = room::read_pages(options.file);
  } catch (const room::BadReport& bad) {
    throw Failure(kFailed, bad.what());
  }
  std::vector<room::PagedSite> sites = room::sites_of(trace);
  if (options.top > 0 && sites.size() > options.top) sites.resize(options.top);
  if (options.json)
    fmt::print("{}\n", to_json(trace, sites).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  else if (options.hints)
    print_hints(sites);
  else
    print_table(trace, sites);
  return 0;
}

}  // namespace

Command add_pages(CLI::App& app) {
  CLI::App* pages =
      app.add_subcommand("pages", "Show in which order received data is used, and what would pay");
  auto options = std::make_shared<PagesOptions>();
  pages
      ->add_option("FILE", options->file,
                   "The page trace: FILE of lapwing run --pages FILE, or one rank's file")
      ->required()
      ->type_name("");
  pages->add_flag("--json", options->json, "One JSON object");
  pages->add_flag("--hints", options->hints, "The hints alone, as lines for LAPWING_HINTS");
  pages->add_option("--top", options->top, "Show that many call sites only; 0: all")->type_name("N");
  pages->footer(examples({{"lapwing run --pages p -n 2 ./heat", "writes the traces p.0 and p.1"},
                          {"lapwing pages p", "a table, and a sentence for each call site"},
                          {"lapwing pages p --hints > hints", "then: lapwing run --hints hints ..."}}) +
                "\nTimes are of one receive. Waited: for it; first touch: from its landing to its first use; "
                "used over: from\n"
                "then until each of its pages has been touched (in brackets: that time by the transfer's); "
                "hides: the share\n"
                "of the waiting that the hint, or the change that is advised, would hide, by the model that "
                "decides on strips.\n");
  return {pages, false, [options](const std::vector<std::string>&) { return show(*options); }};
}

}  // namespace lapwing::cli
