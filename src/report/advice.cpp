// SPDX-License-Identifier: Apache-2.0
// From the reasons of a report's lines to what its reader can do.
#include <fmt/format.h>

#include <map>

#include "report/report.hpp"
#include "report/units.hpp"

namespace lapwing::report {

namespace {

constexpr double little_share = 0.01;  // of the job's time: not worth any work

const std::map<std::string, const char*>& remedies() {
  static const std::map<std::string, const char*> known{
      {"late-partner",
       "is for ranks that come late: they compute longer. No transfer can hide that; balance the work "
       "between ranks, or "
       "let a rank do other work before it waits"},
      {"imbalance",
       "is for ranks that come late to a collective: they compute longer. Balance the work between ranks, or "
       "use a "
       "non-blocking collective and wait for it later"},
      {"too-small", "is for messages too small to be hidden: send fewer and larger ones, several in one"},
      {"used-at-once",
       "is for data that is used as soon as it is received: do what does not need it first; with the source, "
       "lwcc looks "
       "for such work by itself"},
      {"did-not-pay",
       "is for transfers of which hiding did not make the program faster, mostly because their data is used "
       "at once: do "
       "what does not need it first; with the source, lwcc looks for such work by itself"},
      {"too-few-calls",
       "is at call sites that were not called often enough to decide: a longer run decides; LAPWING_DEFER=on "
       "hides at "
       "once"},
      {"undecided",
       "is at call sites where hiding was tried and not yet judged when the program ended: a longer run "
       "decides; LAPWING_DEFER=on hides at once"},
      {"reduction",
       "is in reductions, which are not hidden: use the non-blocking form, and wait for it later"},
      {"collective",
       "is in collectives, which are not hidden here: use the non-blocking form and wait for it later, or "
       "let lwcc -flto "
       "split them"},
      {"synchronisation",
       "is in synchronisations, which carry nothing to hide: leave out those that are not needed"},
      {"stands-aside", "could not be looked at, for Lapwing stood aside: the line above says why"},
      {"off", "was not looked at, for deferring is off: run it with LAPWING_DEFER=auto"},
      {"waits-too-little",
       "is made of short waits, each of which is too small a part of its loop to be hidden: send "
       "fewer and larger messages; with the source, lwcc moves waits of any length"},
      {"no-gain-seen",
       "is where nothing has shown yet that hiding would pay: LAPWING_DEFER=on tries it at once"},
      {"layout",
       "is for messages whose datatype is not one run of bytes: pack them, or let lwcc move their waits"},
      {"own-node", "is for messages within a node on which no core is free for the helper: leave one free"},
      {"communicator", "is on communicators with ranks that have no Lapwing: start them with it, too"},
      {"shared-memory", "is for transfers whose memory cannot be guarded, or is used by another transfer"},
      {"not-deferrable", "is for transfers of a kind that is not deferred: docs/limitations.md lists them"},
      {"unknown-request", "is for requests whose start was not seen"},
      {"", "is at sites that hide already: what is left is used before it has landed"},
  };
  return known;
}

}  // namespace

std::string advice(const Report& report) {
  const double exposed = report.exposed_s(), time = report.wall_s * report.ranks;
  if (report.sites.empty()) return "";
  if (exposed < little_share * time) return "Nothing to gain: the program hardly waits.";
  std::map<std::string, double> by_reason;
  for (const Site& site : report.sites) by_reason[site.reason] += site.exposed_s;
  std::string most;
  double most_s = -1;
  for (const auto& [reason, seconds] : by_reason) {
    if (seconds <= most_s || !remedies().contains(reason)) continue;
    most = reason;
    most_s = seconds;
  }
  if (most_s <= 0) return "";
  return fmt::format("Most of it, {} ({}), {}.", seconds(most_s), share(most_s / exposed),
                     remedies().at(most));
}

}  // namespace lapwing::report
