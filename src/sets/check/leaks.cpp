// SPDX-License-Identifier: Apache-2.0
#include "sets/check/leaks.hpp"

#include <fmt/format.h>

#include <mutex>
#include <tuple>

#include "sets/check/freed_handles.hpp"
#include "sets/check/p2p_waits.hpp"
#include "sets/check/pending.hpp"
#include "sets/messages.hpp"

namespace lapwing::sets {
namespace {

using Guard = std::lock_guard<Lock>;

const char* noun(HandleKind kind, bool several) {
  switch (kind) {
    case HandleKind::communicator:
      return several ? "communicators" : "communicator";
    case HandleKind::datatype:
      return several ? "datatypes" : "datatype";
    case HandleKind::group:
      return several ? "groups" : "group";
    case HandleKind::operation:
      return several ? "operations" : "operation";
    case HandleKind::window:
      return several ? "windows" : "window";
    case HandleKind::file:
      return several ? "files" : "file";
    case HandleKind::request:
      return several ? "persistent requests" : "persistent request";
  }
  return "handle";
}

// MPI_Group_incl and its kin may give the group without members, which is not freed.
bool is_predefined(HandleKind kind, std::uint64_t handle) {
  const MPI_Group empty = MPI_GROUP_EMPTY;
  return kind == HandleKind::group && handle == Circles::key(&empty, sizeof empty);
}

}  // namespace

void Leaks::start(Report report) {
  static Leaks leaks;
  report_ = report;
  handle_watcher = &leaks;
}

void Leaks::made(HandleKind kind, std::uint64_t handle, const char* call, const void* returns_to) {
  const Told maker = told_of(call, returns_to);
  const Guard guard(Messages::lock());
  add(kind, handle, maker);
}

void Leaks::lent(HandleKind kind) {
  const Guard guard(Messages::lock());
  FreedHandles::forget(kind);
  lent_at_[kind] = handles_made_;
}

void Leaks::frees(HandleKind kind, std::uint64_t handle, const char* call, const void* returns_to) {
  const Told user = told_of(call, returns_to);
  FreedHandles::check(kind, handle, user);
}

void Leaks::freed(HandleKind kind, std::uint64_t handle, const char* call, const void* returns_to) {
  const Told by = told_of(call, returns_to);
  const Guard guard(Messages::lock());
  remove(kind, handle, by);
}

void Leaks::add(HandleKind kind, std::uint64_t handle, const Told& maker) {
  if (is_predefined(kind, handle)) return;
  Alive& alive = alive_[{kind, handle}];
  alive.makers.push_back(maker);
  alive.made_at = ++handles_made_;
  FreedHandles::note_made(kind, handle);
}

void Leaks::remove(HandleKind kind, std::uint64_t handle, const Told& by) {
  const auto found = alive_.find({kind, handle});
  if (found == alive_.end()) return;
  Alive& alive = found->second;
  alive.makers.pop_back();
  if (!alive.makers.empty()) return;
  const auto lent = lent_at_.find(kind);
  const bool may_be_lent = lent != lent_at_.end() && alive.made_at <= lent->second;
  alive_.erase(found);
  if (!may_be_lent) FreedHandles::note_freed(kind, handle, by);
}

std::vector<Account> Leaks::accounts() {
  if (report_ == Report::off) return {};
  std::map<std::tuple<HandleKind, std::string, std::string>, int> made_at;
  for (const auto& [key, alive] : alive_) {
    for (const Told& maker : alive.makers) ++made_at[{key.first, maker.name, site_text(maker)}];
  }
  for (const auto& [key, pending] : PendingRequests::all()) {
    if (!pending.persistent || pending.active) continue;
    Told maker;
    maker.returns_to = pending.returns_to;
    ++made_at[{HandleKind::request, pending.name, site_text(maker)}];
  }
  std::vector<Account> accounts;
  for (const auto& [place, count] : made_at) {
    const auto& [kind, call, site] = place;
    Account account;
    account.rank = Messages::rank();
    account.call = call;
    account.details = count == 1 ? fmt::format("made a {}", noun(kind, false))
                                 : fmt::format("made {} {}", count, noun(kind, true));
    account.site = site;
    accounts.push_back(account);
  }
  return accounts;
}

}  // namespace lapwing::sets
