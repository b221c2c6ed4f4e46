// SPDX-License-Identifier: Apache-2.0
#include "sets/check/permitted.hpp"

#include <mutex>
#include <vector>

#include "sets/all_processes.hpp"
#include "sets/check/kinds.hpp"
#include "sets/check/leaks.hpp"
#include "sets/check/p2p_waits.hpp"
#include "sets/report/report_text.hpp"

namespace lapwing::sets {
namespace {

using Accounts = std::vector<Account>;

// Of all ranks, on rank 0.
Accounts leaks, unstarted;
// Of this rank's requests that have been freed: the first one, and the wait for it.
Accounts unstarted_and_freed;

void take_leak(int, const char* data, std::size_t size) { leaks.push_back(Account::unpacked(data, size)); }
void take_unstarted(int, const char* data, std::size_t size) {
  unstarted.push_back(Account::unpacked(data, size));
}

// The program has waited for it, and has never started it.
bool is_unstarted(const Pending& pending) {
  return pending.persistent && !pending.ever_started && pending.waited_at;
}

Accounts account_of_unstarted(const Pending& pending) {
  Account made, waited;
  made.rank = waited.rank = Messages::rank();
  made.call = pending.name;
  made.details = "made the request";
  made.site = site_text(told_of(pending));
  waited.call = "a wait";
  waited.details = "for it";
  waited.site = site_text(told_of("", pending.waited_at));
  return {made, waited};
}

Accounts find_unstarted() {
  if (!unstarted_and_freed.empty()) return unstarted_and_freed;
  for (const auto& [key, pending] : PendingRequests::all())
    if (is_unstarted(pending)) return account_of_unstarted(pending);
  return {};
}

// Gives rank 0 what all have found: false if nobody has anything.
bool gather(const Accounts& own, CheckKind kind, Accounts* all) {
  if (combine_all<int>({own.empty() ? 0 : 1}, MPI_INT, MPI_SUM)[0] == 0) return false;
  for (const Account& account : own) {
    const std::string text = account.packed();
    const std::lock_guard guard(Messages::lock());
    if (Messages::rank() == 0)
      all->push_back(account);
    else
      Messages::send(0, kind, text.data(), text.size());
  }
  settle();
  return true;
}

// `all` is what rank 0 has gathered.
void tell(Finding (*finding)(const Accounts&), const Accounts& all) {
  const bool goes_on = Leaks::report() == Leaks::Report::warning;
  if (Messages::rank() == 0) {
    if (!goes_on) end_job(finding(all));
    warn(finding(all));
  }
  if (!goes_on) Messages::wait([] { return false; });
}

}  // namespace

void Permitted::start() {
  Messages::on(leak_kind, take_leak);
  Messages::on(unstarted_kind, take_unstarted);
}

void Permitted::freed(const Pending& request) {
  if (unstarted_and_freed.empty() && is_unstarted(request))
    unstarted_and_freed = account_of_unstarted(request);
}

void Permitted::report() {
  if (Leaks::report() == Leaks::Report::off) return;
  Accounts own_leaks, own_unstarted;
  {
    const std::lock_guard guard(Messages::lock());
    own_leaks = Leaks::accounts();
    own_unstarted = find_unstarted();
  }
  if (gather(own_unstarted, unstarted_kind, &unstarted)) tell(unstarted_finding, unstarted);
  if (gather(own_leaks, leak_kind, &leaks)) tell(leak_finding, leaks);
}

}  // namespace lapwing::sets
