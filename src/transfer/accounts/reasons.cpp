// SPDX-License-Identifier: Apache-2.0
#include "transfer/accounts/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "machine/costs.hpp"

namespace lapwing::transfer {
namespace {

constexpr double call_s = 50e-6;  // a small message, or a step of a collective, between hosts
// Transfers that waited for their partner tell too low a rate; no machine is slower than these.
constexpr double least_rate_on_a_node = 500e6, least_rate = 10e6;
constexpr double of_the_wait = 0.25;  // if moving the bytes takes less than this, the rest is for the partner
constexpr double short_wait_s = 200e-6;     // of a message; strips save a part of it, and cost about a tenth
constexpr std::uint64_t many_watched = 64;  // messages, on all ranks
constexpr double worth_a_word_s = 1e-3;
constexpr double worth_a_share = 1e-3;
constexpr double worth_a_part = 0.05;

double seconds(std::uint64_t ns) { return 1e-9 * static_cast<double>(ns); }

std::uint64_t mean_bytes(const Line& line) { return line.calls > 0 ? line.bytes / line.calls : 0; }

std::string size_of(std::uint64_t bytes) {
  if (bytes < 10 << 10) return fmt::format("{} B", bytes);
  return bytes < 10 << 20 ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} MiB", bytes >> 20);
}

// The time that the line's bytes need, generously; those that were waited for, where that is known.
double needed_s(const Line& line, const JobFacts& job) {
  const double rate = std::max(job.rate, job.one_node ? least_rate_on_a_node : least_rate);
  const double steps = line.kind == Kind::message ? 1 : 4;
  const bool known = line.late_calls > 0;
  const double ways = line.call.find("endrecv") != std::string::npos ? 2 : 1;
  return static_cast<double>(known ? line.late_calls : line.calls) * steps * call_s +
         ways * static_cast<double>(known ? line.late_bytes : line.bytes) / rate;
}

bool waits_for_partner(const Line& line, const JobFacts& job) {
  // A deferred receive returns once it is matched: what it waited till then, it waited for its partner.
  if (!line.waited_at.empty() && 2 * line.deferred >= line.calls) return 2 * line.guard_ns < line.exposed_ns;
  return needed_s(line, job) < of_the_wait * seconds(line.exposed_ns);
}

bool receives(const Line& line) { return line.call.find("ecv") != std::string::npos; }
bool sends(const Line& line) { return line.call.find("end") != std::string::npos; }

bool has_votes(const Line& line) { return line.hides + line.learning + line.aside > 0; }

// A receiver does not decide: the sender of such messages does.
const Line* likely_sender(const Line& line, const Lines& lines) {
  const Line* best = nullptr;
  for (const auto& [key, other] : lines) {
    if (!sends(other) || !has_votes(other)) continue;
    const double ratio =
        static_cast<double>(mean_bytes(other) + 1) / static_cast<double>(mean_bytes(line) + 1);
    if (std::abs(std::log(ratio)) < 0.3 && (!best || other.calls > best->calls)) best = &other;
  }
  return best;
}

Reason never_pays() {
  return {
      "never-pays",
      "not deferred: by the profile of this machine, hiding costs more between these ranks than it saves"};
}

Reason used_at_once() {
  return {"used-at-once", "used at once: the data is touched as soon as it is received"};
}

// Messages that could have been deferred by their size.
Reason of_plain(const Line& line) {
  const auto most = std::max_element(line.plain.begin(), line.plain.end());
  if (*most == 0)
    return {"not-deferrable",
            "of a kind that is not deferred: buffered, to a rank itself, or of a persistent request"};
  switch (static_cast<PlainCause>(most - line.plain.begin())) {
    case PlainCause::layout:
      return {"layout", "not deferred: its datatype is not one run of bytes"};
    case PlainCause::own_node:
      return {"own-node", "not deferred: the other rank is on this node, and no core is free"};
    case PlainCause::communicator:
      return {"communicator", "not deferred: a rank of its communicator has no Lapwing"};
    case PlainCause::shared:
      return {"shared-memory", "not deferred: its memory is used by another transfer, or cannot be guarded"};
    case PlainCause::never_pays:
      return never_pays();
    case PlainCause::watched:
      break;
  }
  const double each = seconds(line.exposed_ns) / static_cast<double>(std::max<std::uint64_t>(line.calls, 1));
  if (each < short_wait_s)
    return {"waits-too-little",
            fmt::format("waits for {:.0f} us a message: too short to be hidden", 1e6 * each)};
  return {"no-gain-seen", "watched: nothing has shown that hiding would make the loop faster"};
}

// Strips may pay here, and have neither been found to pay nor not to.
Reason undecided(const Line& line, const char* whose) {
  if (line.stripped > 0)
    return {"undecided", fmt::format("{} of {} messages went in strips, and whether {} pays was not decided "
                                     "before the program ended",
                                     line.stripped, line.calls, whose)};
  const auto most = std::max_element(line.plain.begin(), line.plain.end());
  if (*most > 0 && static_cast<PlainCause>(most - line.plain.begin()) != PlainCause::watched)
    return of_plain(line);
  const std::uint64_t watched = line.plain[static_cast<std::size_t>(PlainCause::watched)];
  if (watched >= many_watched)
    return {"no-gain-seen", "watched: strips would save too small a part of the loop"};
  if (line.calls >= many_watched)
    return {"too-few-calls",
            fmt::format("only {} of {} messages were large enough to be watched, too few to tell whether {} "
                        "pays",
                        watched, line.calls, whose)};
  return {"too-few-calls", fmt::format("too few calls yet to tell whether {} pays", whose)};
}

Reason decided(const Line& line, const char* whose) {
  if (std::strcmp(line.decision(), "learning") == 0) return undecided(line, whose);
  return {"did-not-pay", fmt::format("both ways were tried: {} did not make the program faster", whose)};
}

Reason of_group_call(const Line& line, const JobFacts& job) {
  const bool late = waits_for_partner(line, job);
  if (line.kind == Kind::synchronisation) {
    if (late) return {"imbalance", "a synchronisation: waits for ranks that come later"};
    return {"synchronisation", "a synchronisation: it carries nothing that could be hidden"};
  }
  if (line.deferred > 0 && line.hidden_ns >= line.exposed_ns) return {};
  if (line.deferred > 0)
    return {"used-at-once", "a collective: its blocks are touched as soon as they are received"};
  const char* what = line.kind == Kind::reduction ? "a reduction" : "a collective";
  if (late) return {"imbalance", fmt::format("{}: waits for ranks that come later", what)};
  return {line.kind == Kind::reduction ? "reduction" : "collective", fmt::format("{}: not deferred", what)};
}

}  // namespace

JobFacts facts_of(const Lines& lines) {
  JobFacts job;
  for (const auto& [key, line] : lines) job.rate = std::max(job.rate, static_cast<double>(line.rate));
  return job;
}

Reason reason_of(const Line& line, const Lines& lines, const JobFacts& job) {
  const double exposed = seconds(line.exposed_ns), hidden = seconds(line.hidden_ns);
  const std::string decision = line.decision();
  const bool little = exposed < worth_a_word_s || exposed < worth_a_share * job.seconds;
  if (line.kind == Kind::other) return {"unknown-request", "waits for a request whose start was not seen"};
  if (line.kind == Kind::probe)
    return little ? Reason{"little", "hardly waits"}
                  : Reason{"late-partner", "late partner: a probe waits for the other rank to send"};
  if (line.kind != Kind::message) return little ? Reason{"little", "hardly waits"} : of_group_call(line, job);
  if (decision == "hides" && (little || hidden >= exposed)) return {};
  if (little) return {"little", "hardly waits"};
  if (waits_for_partner(line, job)) {
    const double part = std::min(1.0, needed_s(line, job) / exposed);
    return {
        "late-partner",
        part < of_the_wait
            ? fmt::format("late partner: the bytes need {:.0f} % of this time, the rest is waiting for the "
                          "other rank to come",
                          std::ceil(100 * part))
            : "late partner: it waits for the other rank to come, not for the bytes"};
  }
  const Line* const sender = receives(line) && !has_votes(line) ? likely_sender(line, lines) : nullptr;
  if (sender && 2 * line.deferred < line.calls && std::strcmp(sender->decision(), "hides") != 0)
    return decided(*sender, "hiding its sender's part");
  if (decision == "hides")
    return hidden >= worth_a_part * (hidden + exposed)
               ? Reason{"used-at-once", "hidden in part: the rest is touched before it has come"}
               : used_at_once();
  if (!job.aside.empty()) return {"stands-aside", "Lapwing stands aside in this job (see above)"};
  if (!job.defers) return {"off", "deferring is off (LAPWING_DEFER=off)"};
  if (line.at_once > 0) return used_at_once();
  if (decision == "plain" && line.calls > 0 && job.guard_threshold == machine::never) return never_pays();
  if (decision == "plain" && line.calls > 0 && mean_bytes(line) < job.guard_threshold)
    return {"too-small", fmt::format("too small: {} a message, and hiding begins at {}",
                                     size_of(mean_bytes(line)), size_of(job.guard_threshold))};
  if (decision != "plain") return decided(line, "hiding");
  return of_plain(line);
}

}  // namespace lapwing::transfer
