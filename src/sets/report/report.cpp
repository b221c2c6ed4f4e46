// SPDX-License-Identifier: Apache-2.0
#include "sets/report/report.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <map>

#include "mpi/ending.hpp"
#include "sets/check/kinds.hpp"
#include "sets/check/path.hpp"
#include "sets/check/targets.hpp"
#include "sets/check/waiting.hpp"
#include "sets/messages.hpp"
#include "sets/packed_values.hpp"
#include "sets/report/report_text.hpp"
#include "transfer/accounts/places.hpp"
#include "transfer/engine.hpp"

namespace lapwing::sets {
namespace {

/// The accounts of the members of one call, on the one that reports.
struct Gathered {
  std::uint32_t wrong = 0;
  std::map<int, Account> accounts;
  std::uint64_t since = 0;
  const Circle* circle = nullptr;
};
std::map<std::pair<std::uint64_t, std::uint64_t>, Gathered> gathered;
bool reporting = false;
struct {
  Finding finding;
  std::uint64_t due = 0;
} next_finding;
struct {
  int rank = -1;
  std::uint64_t since = 0;
} told;  // who reports what is wrong here
constexpr std::uint64_t long_enough = 2'000'000'000u;

// Several processes may have something to report at the same time. One says it;
// the others wait a little, which the job does not survive.
void say(const Finding& finding) {
  const int before = std::min(Messages::rank(), 10);
  if (before == 0) end_job(finding);
  if (next_finding.due) return;
  next_finding.finding = finding;
  next_finding.due = transfer::now_ns() + static_cast<std::uint64_t>(before) * 100'000'000u;
}

void finish(const Gathered& g) {
  std::vector<Account> accounts;
  for (const auto& [rank, account] : g.accounts) accounts.push_back(account);
  say(mismatch_finding(g.wrong, accounts, g.circle->size()));
}

void take_report(int, const char* data, std::size_t size) {
  PackedValues in(data, size);
  const auto circle = in.get<std::uint64_t>();
  const auto call = in.get<std::uint64_t>();
  const auto wrong = in.get<std::uint32_t>();
  const std::string text = in.get_text();
  Gathered& g = gathered[{circle, call}];
  if (g.accounts.empty()) g.since = transfer::now_ns();
  g.wrong |= wrong;
  g.circle = Circles::by_id(circle);
  const Account account = Account::unpacked(text.data(), text.size());
  g.accounts[account.rank] = account;
  reporting = true;
  if (g.circle && static_cast<int>(g.accounts.size()) == g.circle->size()) finish(g);
}

std::string argument_text(const Told& told) {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (told.has_root) {
    add(told.root == MPI_ROOT        ? "root MPI_ROOT"
        : told.root == MPI_PROC_NULL ? "root MPI_PROC_NULL"
                                     : fmt::format("root {}", told.root));
  }
  if (told.has_data) add(amount_text(told.count, told.type));
  if (*told.op) add(told.op);
  return text;
}

std::string name_of_target(int number) {
  const void* function = Targets::function(number);
  const std::string name =
      function ? transfer::place_of(static_cast<const char*>(function) + 1).function : "";
  return name.empty() ? "another function" : name;
}

std::string path_text() { return path_recorder().text(name_of_target); }

}  // namespace

std::string Account::packed() const {
  PackedValues out;
  out.put<std::int32_t>(rank);
  for (const std::string* text : {&call, &details, &group, &site, &path}) out.put_text(*text);
  out.put(circle);
  out.put(number);
  out.put<std::int32_t>(collective);
  out.put<std::int32_t>(ended);
  out.put_all(members);
  return {out.data(), out.size()};
}

Account Account::unpacked(const char* data, std::size_t size) {
  PackedValues in(data, size);
  Account account;
  account.rank = in.get<std::int32_t>();
  for (std::string* text : {&account.call, &account.details, &account.group, &account.site, &account.path})
    *text = in.get_text();
  account.circle = in.get<std::uint64_t>();
  account.number = in.get<std::uint64_t>();
  account.collective = in.get<std::int32_t>() != 0;
  account.ended = in.get<std::int32_t>() != 0;
  account.members = in.get_all<int>();
  return account;
}

std::string site_text(const Told& told) {
  if (told.site) {
    const std::string file = told.site->place.file ? told.site->place.file : "?";
    return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), told.site->place.line);
  }
  return told.returns_to ? transfer::place_of(told.returns_to).site : "an unknown place";
}

const char* kind_made(Operation operation) {
  if (operation >= Operation::win_create && operation <= Operation::win_fence) return "window";
  if (operation >= Operation::file_open && operation <= Operation::file_write_ordered) return "file";
  return "communicator";
}

Account account_of(const Told& told, const Circle& circle, std::uint64_t number) {
  Account account;
  account.rank = Messages::rank();
  account.call = told.name;
  account.details = argument_text(told);
  account.group = circle.described();
  account.site = site_text(told);
  account.path = path_text();
  account.circle = circle.id;
  account.number = number;
  account.collective = true;
  account.ended = told.operation == Operation::finalize;
  account.members = circle.members;
  return account;
}

Account account_of(const Wait& wait) {
  const Told told = wait.told();
  if (wait.circle() && wait.details().empty()) return account_of(told, *wait.circle(), wait.call());
  Account account;
  account.rank = Messages::rank();
  account.call = told.name;
  account.details = wait.details();
  account.site = site_text(told);
  account.path = path_text();
  if (const Circle* circle = wait.circle()) {
    account.circle = circle->id;
    account.number = wait.call();
    account.group = circle->described();
    account.collective = true;
    account.members = circle->members;
  }
  return account;
}

Account account_of_place(const Told& told) {
  Account account;
  account.rank = Messages::rank();
  account.call = told.name;
  account.site = site_text(told);
  return account;
}

Account account_of_use(const Told& told, bool writes) {
  Account account;
  account.rank = Messages::rank();
  account.call = told.name;
  account.details = writes ? "writes to it" : "reads it";
  account.site = site_text(told);
  account.path = path_text();
  return account;
}

void end_job_in_turn(const Finding& finding) {
  const long wait = std::min(Messages::rank(), 10) * 100L;
  const timespec pause{wait / 1000, wait % 1000 * 1'000'000L};
  nanosleep(&pause, nullptr);
  end_job(finding);
}

void note_mismatch(Circle& circle, std::uint64_t call) {
  const Opened* opened = circle.find(call);
  if (!opened) return;
  PackedValues out;
  out.put(circle.id);
  out.put(call);
  out.put<std::uint32_t>(opened->combined.wrong);
  out.put_text(account_of(opened->told, circle, call).packed());
  if (told.rank < 0) told = {circle.members.front(), transfer::now_ns()};
  Messages::send(circle.members.front(), report_kind, out.data(), out.size());
}

void note_wrong_amount(Circle& circle, std::uint64_t call, const Amount& amount) {
  Opened* opened = circle.find(call);
  if (!opened || opened->combined.wrong) return;
  opened->combined.wrong |= 1u << Signature::data;
  say(amount_finding(account_of(opened->told, circle, call),
                     circle.members[static_cast<std::size_t>(amount.from)], amount));
}

void report_deadlock(const std::vector<Account>& accounts, const std::set<int>& core,
                     const std::vector<Attended>& calls) {
  say(deadlock_finding(accounts, core, calls));
}

void Reports::start() { Messages::on(report_kind, take_report); }

void Reports::look(std::uint64_t now) {
  if (next_finding.due && now >= next_finding.due) end_job(next_finding.finding);
  // Launchers have been seen to leave a process behind when another ended the job.
  const transfer::Board* const board = Messages::board();
  if (told.rank >= 0 && now - told.since > long_enough && board && board->has_ended(told.rank))
    mpi::end_job(error_status);
  if (!reporting) return;
  // A process that computes does not hear of it; the others have said enough.
  for (const auto& [key, g] : gathered) {
    if (g.circle && now - g.since > long_enough) finish(g);
  }
}

}  // namespace lapwing::sets
