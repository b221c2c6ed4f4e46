// SPDX-License-Identifier: Apache-2.0
#include "sets/orders/orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "sets/all_processes.hpp"
#include "sets/check/kinds.hpp"
#include "sets/check/pending.hpp"
#include "sets/orders/records.hpp"
#include "sets/orders/search.hpp"
#include "sets/packed_values.hpp"
#include "sets/report/report_text.hpp"

namespace lapwing::sets {
namespace {

using Guard = std::lock_guard<Lock>;

constexpr std::size_t all_bytes = std::size_t{64} << 20;  // of all records, on rank 0
constexpr std::size_t most_acts = 200'000;                // of one process
constexpr std::size_t most_findings = 8;

// On rank 0.
std::map<std::pair<int, std::uint32_t>, Account> accounts;

std::string partner_of(const Act& act) {
  const Circle* circle = Circles::by_id(act.circle);
  if (!circle || circle->peers.empty()) return "";  // of a window
  Pending pending;
  pending.kind = act.kind == Act::send ? Pending::send : Pending::receive;
  pending.tag = act.tag == Act::any ? MPI_ANY_TAG : act.tag;
  pending.peer = MPI_ANY_SOURCE;
  if (act.peer != Act::any) {
    const auto peer = std::find(circle->peers.begin(), circle->peers.end(), act.peer);
    pending.peer = static_cast<int>(peer - circle->peers.begin());
  }
  return fmt::format("{}, on {}", partner_text(pending), circle->described());
}

Account account_of_act(std::uint32_t place) {
  const Act& act = History::acts().list[place];
  const Told& told = History::call_of(act);
  Account account;
  account.rank = Messages::rank();
  account.call = told.name;
  account.site = site_text(told);
  if (act.kind == Act::together) {
    const Circle* circle = Circles::by_id(act.circle);
    if (circle) account.group = circle->described();
    account.collective = true;
    return account;
  }
  const Act& message = act.kind == Act::wait ? History::acts().list[act.subject] : act;
  account.details = partner_of(message);
  if (message.call != act.call)
    account.details = fmt::format("for {} {}", History::call_of(message).name, account.details);
  return account;
}

// Asks for the words about some acts, or is told them.
void take_accounts(int source, const char* data, std::size_t size) {
  PackedValues in(data, size), out;
  const auto asks = in.get<std::int32_t>() != 0;
  const auto places = in.get_all<std::uint32_t>();
  if (!asks) {
    for (const std::uint32_t place : places) {
      const std::string text = in.get_text();
      accounts[{source, place}] = Account::unpacked(text.data(), text.size());
    }
    return;
  }
  out.put<std::int32_t>(0);
  out.put_all(places);
  for (const std::uint32_t place : places) out.put_text(account_of_act(place).packed());
  Messages::send(source, account_kind, out.data(), out.size());
}

void fetch_accounts(const std::vector<ActPlace>& places) {
  std::map<int, std::vector<std::uint32_t>> of_rank;
  for (const ActPlace place : places) {
    if (place.rank == 0) {
      accounts[{0, place.act}] = account_of_act(place.act);
    } else if (place.exists()) {
      of_rank[place.rank].push_back(place.act);
    }
  }
  std::size_t wanted = accounts.size();
  for (auto& [rank, acts] : of_rank) {
    std::sort(acts.begin(), acts.end());
    acts.erase(std::unique(acts.begin(), acts.end()), acts.end());
    wanted +=
        static_cast<std::size_t>(std::count_if(acts.begin(), acts.end(), [rank = rank](std::uint32_t act) {
          return accounts.count({rank, act}) == 0;
        }));
    PackedValues out;
    out.put<std::int32_t>(1);
    out.put_all(acts);
    const Guard guard(Messages::lock());
    Messages::send(rank, account_kind, out.data(), out.size());
  }
  Messages::wait([wanted] { return accounts.size() >= wanted; });
}

const Account& words(ActPlace place) { return accounts[{place.rank, place.act}]; }

Finding finding_of(const UnsafeSends& sends) {
  fetch_accounts(sends);
  std::vector<Account> list;
  for (const ActPlace place : sends) list.push_back(words(place));
  return unsafe_sends_finding(list);
}

Finding finding_of(const Race& race) {
  std::vector<ActPlace> places{race.receive, race.taken, race.other};
  const std::vector<ActPlace> then = race.stuck.empty() ? std::vector<ActPlace>{race.too_short} : race.stuck;
  places.insert(places.end(), then.begin(), then.end());
  fetch_accounts(places);
  std::vector<Account> after;
  for (const ActPlace place : then) after.push_back(words(place));
  return race_finding(words(race.receive), words(race.taken), words(race.other), after, !race.stuck.empty());
}

template <typename Found>
void say(const std::vector<Found>& found, Orders::Severity severity) {
  for (const Found& one : found) {
    const Finding finding = finding_of(one);
    if (severity == Orders::Severity::error) end_job(finding);
    warn(finding);
  }
}

}  // namespace

void Orders::start(Severity sends, Severity races) {
  sends_ = sends;
  races_ = races;
  const std::size_t share = all_bytes / sizeof(Act) / static_cast<std::size_t>(Messages::processes());
  History::start(std::min(most_acts, share));
}

void Orders::report() {
  if (!History::on() || (sends_ == Severity::off && races_ == Severity::off)) return;
  {
    const Guard guard(Messages::lock());
    Messages::on(account_kind, take_accounts);
  }
  // The lengths first: a program without messages has nothing to send.
  const bool any = std::any_of(History::acts().list.begin(), History::acts().list.end(),
                               [](const Act& act) { return act.kind == Act::send; });
  if (combine_all<int>({any ? 1 : 0}, MPI_INT, MPI_MAX)[0] == 0) return;
  Records::gather();
  if (Messages::rank() == 0) {
    if (sends_ != Severity::off) say(find_unsafe_sends(Records::all(), most_findings), sends_);
    if (races_ != Severity::off) say(find_races(Records::all(), most_findings), races_);
  }
  // Rank 0 may end the job before it comes here.
  meet_all();
}

}  // namespace lapwing::sets
