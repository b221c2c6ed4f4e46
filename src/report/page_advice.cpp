// SPDX-License-Identifier: Apache-2.0
#include "report/page_advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/units.hpp"

namespace lapwing::report {

namespace {

// As of the engine: a shorter wait is not worth a look.
constexpr double least_wait_s = 50e-6;
// A gain that shows.
constexpr double least_share = 0.1, least_gain_s = 20e-6;

std::string of_waiting(double saved_s, const PagedSite& site) {
  return fmt::format("{} of the {} that a receive is waited for", seconds(saved_s), seconds(site.waited_s));
}

void say(PagedSite& site, double saves_s, const char* hint, std::string advice) {
  site.saves_s = saves_s;
  site.hint = hint;
  site.advice = std::move(advice);
}

// Where a line of the program is known to touch the data first.
bool knows_use(const PagedSite& site) {
  return !site.first_use.empty() && site.first_use.find("+0x") == std::string::npos;
}

std::string later(const PagedSite& site) {
  const bool blocks = site.wait == site.site && site.wait_call == site.call;
  const std::string where = knows_use(site) ? "at " + site.first_use : "where it is used first";
  const std::string change =
      blocks ? fmt::format("start it with MPI_Irecv and wait {}", where)
             : fmt::format("move its wait from {} to right before its use {}", site.wait, where);
  return fmt::format(
      "Wait later: none of it is touched for {} after it has come. To {} would hide {}; Lapwing's strips "
      "hide "
      "as much without a change, and may be large.",
      seconds(site.first_touch_s), change, of_waiting(site.later_s, site));
}

}  // namespace

void advise(PagedSite& site) {
  if (site.traced == 0)
    return say(
        site, 0, "",
        "Not watched: its datatype is not one run of bytes, it has fewer than four whole pages, or its "
        "memory cannot be guarded.");
  if (site.waited_s < least_wait_s)
    return say(site, 0, "",
               fmt::format("Nothing to gain: a receive is waited for {} only.", seconds(site.waited_s)));
  const double least = std::max(least_gain_s, least_share * site.waited_s);
  const double strips_s = std::max(site.up_s, site.down_s);
  if (site.untouched && *site.untouched > 0.999)
    return say(
        site, site.later_s, "first=64K max=256K",
        fmt::format("None of it is ever touched: leave the message out, or wait for it at the end; that "
                    "hides {}.",
                    of_waiting(site.later_s, site)));
  if (site.train > 1 && site.train_s >= least && site.train_s >= 0.85 * std::max(strips_s, site.later_s))
    return say(
        site, site.train_s, "train=1",
        fmt::format("A train: up to {} messages of one wait are used one after the other. If each is waited "
                    "for where it is used, or if all but the first come whole (train=1), {} are hidden.",
                    site.train, of_waiting(site.train_s, site)));
  if (site.later_s >= least && site.later_s >= 0.95 * strips_s)
    return say(site, site.later_s, "first=64K max=256K", later(site));
  if (strips_s < least) {
    const bool at_once = site.used_over_s < 0.5 * site.waited_s;
    return say(
        site, 0, "",
        fmt::format("Nothing to gain: it is used {}, its first page {} after it has come and its last {} "
                    "later. Do what does not need it first.",
                    at_once ? "at once and whole" : "too soon", seconds(site.first_touch_s),
                    seconds(site.used_over_s)));
  }
  if (site.down_s > site.up_s + least / 2)
    return say(site, site.down_s, "order=down",
               fmt::format("Strips from its end: order=down would hide {}; from its beginning they hide {}.",
                           of_waiting(site.down_s, site), seconds(site.up_s)));
  say(site, site.up_s, "order=up",
      fmt::format(
          "Strips would hide {}: its pages are used while the rest would still travel. Lapwing tries that "
          "by itself.",
          of_waiting(site.up_s, site)));
}

}  // namespace lapwing::report
