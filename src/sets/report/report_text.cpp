// SPDX-License-Identifier: Apache-2.0
#include "sets/report/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>

#include "mpi/ending.hpp"
#include "sets/messages.hpp"
#include "sets/report/finding.hpp"

namespace lapwing::sets {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

const char* has(const std::set<int>& ranks) { return ranks.size() == 1 ? "has" : "have"; }

// Processes that stand at the same place say the same.
struct Place {
  const Account* account;
  std::set<int> ranks;
};

std::vector<Place> places_of(const std::vector<Account>& accounts) {
  std::vector<Place> places;
  std::vector<const Account*> sorted;
  for (const Account& account : accounts) sorted.push_back(&account);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->rank < b->rank; });
  for (const Account* account : sorted) {
    const auto same = [&](const Place& place) {
      const Account& a = *place.account;
      return std::tie(a.call, a.details, a.group, a.site) ==
             std::tie(account->call, account->details, account->group, account->site);
    };
    const auto found = std::find_if(places.begin(), places.end(), same);
    if (found == places.end()) {
      places.push_back({account, {account->rank}});
    } else {
      found->ranks.insert(account->rank);
    }
  }
  return places;
}

std::string line_of(const Place& place) {
  const Account& a = *place.account;
  if (a.call.empty()) return fmt::format("  {}: computing\n", ranks_text(place.ranks));
  if (a.call == "exit")
    return fmt::format("  {}: {} ended without MPI_Finalize\n", ranks_text(place.ranks), has(place.ranks));
  const std::string details =
      a.details.empty() ? "" : (a.collective ? "(" + a.details + ")" : " " + a.details);
  const std::string group = a.collective && a.details.rfind("for ", 0) != 0 ? " on " + a.group : "";
  const std::string site = a.site.empty() ? "" : " at " + a.site;
  return fmt::format("  {}: {}{}{}{}\n", ranks_text(place.ranks), a.call, details, site,
                     a.group.empty() ? "" : group);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

// A place where processes took different branches, from what compiled code has
// noted: splits that are open on some of them, and the branches last taken there.
std::string parting(const std::vector<Account>& accounts) {
  std::map<std::string, std::map<std::string, std::set<int>>> taken;  // by site and branch
  std::vector<std::string> open;
  for (const Account& account : accounts) {
    for (std::string line : lines_of(account.path)) {
      const bool merged = line[0] == '~';
      if (merged) line.erase(0, 1);
      const std::size_t blank = line.find(' ');
      if (!merged) open.push_back(line.substr(0, blank));
      if (merged) taken[line.substr(0, blank)][line.substr(blank + 1)].insert(account.rank);
    }
  }
  for (const std::string& site : open) {
    if (taken[site].size() < 2) continue;
    std::string text = fmt::format("  They parted at {}:", site);
    for (const auto& [branch, ranks] : taken[site]) text += fmt::format(" {} {};", ranks_text(ranks), branch);
    text.back() = '.';
    return text + "\n";
  }
  return {};
}

std::string json_of(const std::string& kind, const std::vector<Account>& accounts, const std::string& what,
                    const std::string& text) {
  std::string calls;
  for (const Place& place : places_of(accounts)) {
    std::string ranks;
    for (const int rank : place.ranks) ranks += (ranks.empty() ? "" : ",") + std::to_string(rank);
    const Account& a = *place.account;
    calls += fmt::format("{}{{\"call\":{},\"details\":{},\"group\":{},\"site\":{},\"ranks\":[{}]}}",
                         calls.empty() ? "" : ",", quoted(a.call), quoted(a.details), quoted(a.group),
                         quoted(a.site), ranks);
  }
  return fmt::format("{{\"kind\":{},\"what\":{},\"calls\":[{}],\"message\":{}}}", quoted(kind), quoted(what),
                     calls, quoted(text));
}

const char* field_name(int field) {
  static constexpr const char* names[] = {"operation", "root",         "reduction", "data",
                                          "data",      "MPI_IN_PLACE", "arguments"};
  return names[field];
}

std::string field_sentence(int field) {
  switch (field) {
    case Signature::root:
      return "its processes name different roots";
    case Signature::reduction:
      return "its processes name different reduction operations";
    case Signature::data:
    case Signature::reverse:
      return "the counts or types of its processes do not fit together";
    case Signature::in_place:
      return "some of its processes pass MPI_IN_PLACE and others do not, or others than the root do";
    default:
      return "its processes pass different arguments where all must pass the same";
  }
}

bool is_of_epochs(const std::vector<Account>& accounts) {
  return std::any_of(accounts.begin(), accounts.end(),
                     [](const Account& a) { return !a.collective && a.call.rfind("MPI_Win_", 0) == 0; });
}

}  // namespace

std::string ranks_text(const std::set<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + rank_list(ranks);
}

Finding finding(const std::string& kind, const std::string& what, const std::vector<Account>& accounts,
                const std::string& head, const std::string& advice) {
  Finding f;
  f.kind = kind;
  f.text = "lapwing: " + head + "\n";
  for (const Place& place : places_of(accounts)) f.text += line_of(place);
  f.text += parting(accounts);
  f.text += "  " + advice + "\n";
  f.json = json_of(kind, accounts, what, f.text);
  return f;
}

std::string rank_list(const std::set<int>& ranks) {
  std::string text;
  for (auto it = ranks.begin(); it != ranks.end();) {
    const int first = *it;
    int last = first;
    while (++it != ranks.end() && *it == last + 1) last = *it;
    text += text.empty() ? "" : ", ";
    text += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

Finding mismatch_finding(std::uint32_t wrong, const std::vector<Account>& accounts, int members) {
  int field = 0;
  while (field < Signature::fields - 1 && !(wrong & 1u << field)) ++field;
  const Account& first = accounts.front();
  std::string more;
  if (static_cast<int>(accounts.size()) < members)
    more = fmt::format(" ({} of its {} processes could be asked)", accounts.size(), members);
  if (field == Signature::operation) {
    return finding("mismatch", field_name(field), accounts,
                   fmt::format("the processes of {} do not make the same call{}:", first.group, more),
                   "All processes of a communicator must make the same collective calls in the same order.");
  }
  return finding("mismatch", field_name(field), accounts,
                 fmt::format("{} on {}: {}{}:", first.call, first.group, field_sentence(field), more),
                 "Pass arguments that agree on all processes of the communicator.");
}

Finding amount_finding(const Account& here, int from, const Amount& amount) {
  return finding("mismatch", "data", {here},
                 fmt::format("{} on {}: rank {} sends {} to rank {}, which expects another amount or type:",
                             here.call, here.group, from, amount_text(amount.count, amount.type), here.rank),
                 "The data that one process sends to another must be those that it expects.");
}

Finding deadlock_finding(const std::vector<Account>& accounts, const std::set<int>& core,
                         const std::vector<Attended>& calls) {
  std::vector<Account> involved = accounts;
  bool somebody_ended = false, somebody_sends = false;
  for (const Account& account : involved) {
    somebody_ended = somebody_ended || (account.ended && core.count(account.rank) != 0);
    somebody_sends = somebody_sends || !account.collective;
  }
  // The collective call that has most, but not all, of its processes.
  const Account* missed = nullptr;
  std::set<int> come, absent, known;
  for (const Account& account : involved) {
    if (!account.call.empty()) known.insert(account.rank);
  }
  for (const Attended& call : calls) {
    for (const Account& account : involved) {
      if (!account.collective || account.ended || account.circle != call.circle ||
          account.number != call.number)
        continue;
      std::set<int> rest;
      for (const int rank : account.members) {
        if (call.come.count(rank) == 0 && known.count(rank) != 0) rest.insert(rank);
      }
      if (rest.empty() || (missed && call.come.size() <= come.size())) continue;
      missed = &account;
      come = call.come;
      absent = rest;
    }
  }
  if (missed) {
    return finding(
        "missing", missed->call, involved,
        fmt::format("{} at {} on {} can never complete: {} {} come to it, {} {} not and never will.",
                    missed->call, missed->site, missed->group, ranks_text(come), has(come),
                    ranks_text(absent), has(absent)),
        "Let every process of the communicator make the call, or make it on a communicator of those "
        "that do.");
  }
  if (somebody_ended && somebody_sends) {
    return finding("partner", "ended", involved, "a process waits for another that can no longer answer:",
                   is_of_epochs(involved)
                       ? "For each MPI_Win_start there must be an MPI_Win_post, and for each "
                         "MPI_Win_post an MPI_Win_complete, before MPI_Finalize."
                       : "For each send there must be a receive, and for each receive a send, before "
                         "MPI_Finalize.");
  }
  if (somebody_ended) {
    return finding("missing", "MPI_Finalize", involved,
                   "some processes have ended and others have not:", "All processes must call MPI_Finalize.");
  }
  if (core.size() == 1) {
    return finding("deadlock", "cycle", involved,
                   fmt::format("{} waits for itself and can never go on:", ranks_text(core)),
                   "Use a non-blocking call for one of the two sides.");
  }
  return finding("deadlock", "cycle", involved,
                 fmt::format("{} wait for each other and can never go on:", ranks_text(core)),
                 "Let one of them act first, or use non-blocking calls.");
}

Finding stuck_finding(const std::vector<Account>& accounts) {
  std::vector<Account> same;
  std::set<int> ranks;
  bool over = false, messages = false;
  for (const Account& account : accounts) {
    ranks.insert(account.rank);
    messages = messages || (!account.collective && !account.ended);
    over = over || account.ended;
    if (!same.empty() || account.circle == 0) continue;
    for (const Account& other : accounts) {
      if (other.circle == account.circle && other.number == account.number) same.push_back(other);
    }
    const bool differ = std::any_of(same.begin(), same.end(),
                                    [&](const Account& other) { return other.call != account.call; });
    if (!differ) same.clear();
  }
  const char* const advice =
      messages ? "A receive needs a message that its partner sends before it waits itself, and before "
                 "MPI_Finalize."
               : "Every process of a set must make the set's collective calls, in the same order, before "
                 "MPI_Finalize.";
  if (!same.empty()) return mismatch_finding(1u << Signature::operation, same, static_cast<int>(same.size()));
  if (over) {
    return finding("missing", "MPI_Finalize", accounts,
                   "some processes have come to the end and others wait for them for ever:", advice);
  }
  const char* const waits = ranks.size() == 1 ? "waits for itself" : "wait for each other";
  return finding("deadlock", "cycle", accounts,
                 fmt::format("{} {} and can never go on:", ranks_text(ranks), waits), advice);
}

namespace {

void write_json(const Finding& finding) {
  if (const char* path = std::getenv("LAPWING_CHECK_JSON"); path && *path) {
    if (std::FILE* file = std::fopen(path, "w")) {
      std::fprintf(file, "%s\n", finding.json.c_str());
      std::fclose(file);
    } else {
      std::fprintf(stderr, "lapwing: %s cannot be written, so the finding is not in it.\n", path);
    }
  }
}

void say_text(const Finding& finding) {
  std::fflush(nullptr);
  std::fwrite(finding.text.data(), 1, finding.text.size(), stderr);
}

}  // namespace

void warn(const Finding& finding) {
  write_json(finding);
  say_text(finding);
}

void end_job(const Finding& finding) {
  job_ends = true;
  if (Messages::board() && !Messages::board()->take_word()) mpi::end_job_in_silence(error_status);
  write_json(finding);
  say_text(finding);
  mpi::end_job(error_status);
}

}  // namespace lapwing::sets
