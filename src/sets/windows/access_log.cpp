// SPDX-License-Identifier: Apache-2.0
#include "sets/windows/access_log.hpp"

#include <fmt/format.h>

#include <mutex>
#include <string>
#include <unordered_map>

#include "sets/all_processes.hpp"
#include "sets/check/kinds.hpp"
#include "sets/orders/history.hpp"
#include "sets/orders/records.hpp"
#include "sets/packed_values.hpp"
#include "sets/report/report_text.hpp"
#include "sets/windows/conflicts.hpp"

namespace lapwing::sets {
namespace {

constexpr std::size_t most_accesses = 100'000, most_runs = 1'000'000;

AccessRecord& record_here = *new AccessRecord;
std::vector<Told>& access_places = *new std::vector<Told>;
std::uint32_t access_clock = 0;

// On rank 0, by world rank: what was accessed, and words for each place of it.
std::vector<AccessRecord>& all_accesses = *new std::vector<AccessRecord>;
std::vector<std::vector<Account>>& all_words = *new std::vector<std::vector<Account>>;

std::uint32_t place_index(const GroupCall& call) {
  static auto& known = *new std::unordered_map<const void*, std::uint32_t>;
  const auto [found, is_new] =
      known.try_emplace(call.returns_to, static_cast<std::uint32_t>(access_places.size()));
  if (is_new) {
    Told told;
    told.name = call.name;
    told.returns_to = call.returns_to;
    told.site = call.site;
    access_places.push_back(told);
  }
  return found->second;
}

Access::Kind kind_of_access(Operation operation) {
  if (operation == Operation::put) return Access::put;
  return operation == Operation::get ? Access::get : Access::accumulate;
}

std::int32_t op_of_access(const GroupCall& call) {
  if (call.operation == Operation::compare_and_swap) return Access::swap;
  if (call.op == MPI_NO_OP || call.op == MPI_OP_NULL) return Access::no_op;
  const MPI_Op known[] = {MPI_SUM,  MPI_MAX, MPI_MIN,  MPI_PROD,   MPI_LAND,   MPI_LOR,    MPI_LXOR,
                          MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE};
  std::int32_t number = 1;
  for (const MPI_Op op : known) {
    if (op == call.op) return number;
    ++number;
  }
  return Access::swap;
}

void take_accesses(int source, const char* data, std::size_t size) {
  PackedValues in(data, size);
  const auto rank = static_cast<std::size_t>(source);
  all_accesses[rank].list = in.get_all<Access>();
  all_accesses[rank].runs = in.get_all<ByteRange>();
  const auto places = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < places; ++i) {
    const std::string text = in.get_text();
    all_words[rank].push_back(Account::unpacked(text.data(), text.size()));
  }
}

std::string packed_accesses() {
  PackedValues out;
  out.put_all(record_here.list);
  out.put_all(record_here.runs);
  out.put(static_cast<std::uint32_t>(access_places.size()));
  for (const Told& told : access_places) {
    Account account;
    account.rank = Messages::rank();
    account.call = told.name;
    account.site = site_text(told);
    out.put_text(account.packed());
  }
  return {out.data(), out.size()};
}

Account account_of_access(int rank, std::size_t access) {
  const auto r = static_cast<std::size_t>(rank);
  return all_words[r][all_accesses[r].list[access].place];
}

void report_conflicts() {
  const std::vector<Conflict> found = find_conflicts(Records::all(), all_accesses, 1);
  if (found.empty()) return;
  const Conflict& one = found.front();
  const Access& access = all_accesses[static_cast<std::size_t>(one.rank)].list[one.access];
  const Circle* circle = Circles::by_id(access.window);
  end_job(conflict_finding(account_of_access(one.rank, one.access),
                           account_of_access(one.other_rank, one.other), access.target,
                           circle ? circle->described() : "a window", one.bytes.begin, one.bytes.length));
}

}  // namespace

bool AccessLog::begins(const GroupCall& call, const Window& window, const std::vector<ByteRange>& runs,
                       std::size_t* record) {
  ++access_clock;
  if (!History::acts().whole || !History::on() || record_here.list.size() >= most_accesses ||
      record_here.runs.size() + runs.size() > most_runs)
    return false;
  Access access;
  access.window = window.circle().id;
  access.target = window.world_rank(call.peer);
  access.kind = kind_of_access(call.operation);
  access.op = op_of_access(call);
  access.place = place_index(call);
  access.passive = window.is_passive();
  access.exclusive = window.is_exclusive(call.peer);
  access.from = History::size();
  access.begun = access_clock;
  access.first_run = static_cast<std::uint32_t>(record_here.runs.size());
  access.runs = static_cast<std::uint32_t>(runs.size());
  record_here.runs.insert(record_here.runs.end(), runs.begin(), runs.end());
  *record = record_here.list.size();
  record_here.list.push_back(access);
  return true;
}

void AccessLog::ends(std::size_t record) {
  Access& access = record_here.list[record];
  if (access.ended != Access::never) return;
  access.until = History::size();
  access.ended = access_clock + 1;
}

void AccessLog::looks(const Window& window) {
  if (record_here.list.size() >= most_accesses) return;
  if (!record_here.list.empty() && record_here.list.back().kind == Access::look) return;
  Access access;
  access.window = window.circle().id;
  access.target = Messages::rank();
  access.kind = Access::look;
  access.from = History::size();
  access.begun = access_clock;
  record_here.list.push_back(access);
}

void AccessLog::report() {
  if (!History::on()) return;
  if (combine_all<int>({record_here.list.empty() ? 0 : 1}, MPI_INT, MPI_MAX)[0] == 0) return;
  {
    const std::lock_guard guard(Messages::lock());
    Messages::on(access_kind, take_accesses);
  }
  Records::gather();
  const std::string text = packed_accesses();
  if (Messages::rank() == 0) {
    all_accesses.resize(static_cast<std::size_t>(Messages::processes()));
    all_words.resize(all_accesses.size());
    take_accesses(0, text.data(), text.size());
  }
  meet_all();
  if (Messages::rank() != 0) {
    const std::lock_guard guard(Messages::lock());
    Messages::send(0, access_kind, text.data(), text.size());
  }
  settle();
  if (Messages::rank() == 0) report_conflicts();
  // Rank 0 may end the job before it comes here.
  meet_all();
}

}  // namespace lapwing::sets
