// SPDX-License-Identifier: Apache-2.0
#include "transfer/accounts/accounts.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <unordered_map>

#include "mpi/looks.hpp"
#include "progress/locks.hpp"
#include "transfer/engine.hpp"
#include "transfer/requests.hpp"

namespace lapwing::transfer {
namespace {

// From here on the time of a transfer tells its rate: of less, too much may have come before it was matched.
constexpr std::size_t large = 512 << 10;
constexpr std::size_t rates_kept = 4;  // one alone may be an accident of the clock

struct Book {
  Account account;
  std::vector<std::uint64_t> rates, landings;  // the highest
};

// The call that a handle of the program's stands for.
struct Started {
  Book* book = nullptr;
  std::size_t bytes = 0;
  std::uint64_t at = 0;
  bool receives = false, persistent = false, active = true;
  bool counted_here = false;  // the engine counts other calls, and what they send
};

struct Ledger {
  progress::OwnedMutex mutex;
  std::map<std::pair<const void*, const char*>, Book> books LAPWING_GUARDED_BY(mutex);
  std::unordered_map<std::uint64_t, Started> started LAPWING_GUARDED_BY(mutex);

  Book& book(const Caller& caller, Kind kind) LAPWING_REQUIRES(mutex) {
    Book& book = books[{caller.address, caller.name}];
    book.account.caller = caller;
    book.account.kind = kind;
    return book;
  }
};

// Never destroyed: MPI may be called late in a process' life.
Ledger& ledger() {
  static auto* const one = new Ledger;
  return *one;
}

// Not at what may be persistent, where a look would end it.
bool may_look(std::uint64_t key) {
  if (!mpi::looks_end_persistent) return true;
  Ledger& l = ledger();
  const progress::Holding lock(l.mutex);
  const auto found = l.started.find(key);
  return found != l.started.end() && !found->second.persistent;
}

void note_rate(std::vector<std::uint64_t>& rates, std::size_t bytes, std::uint64_t ns) {
  if (bytes < large || ns == 0) return;
  rates.push_back(static_cast<std::uint64_t>(1e9 * static_cast<double>(bytes) / static_cast<double>(ns)));
  std::sort(rates.begin(), rates.end(), std::greater<>());
  if (rates.size() > rates_kept) rates.pop_back();
}

}  // namespace

void Accounts::started(MPI_Request request, Caller caller, Kind kind, std::size_t bytes, bool receives,
                       bool persistent) {
  if (request == MPI_REQUEST_NULL) return;
  Ledger& l = ledger();
  const progress::Holding lock(l.mutex);
  Book& book = l.book(caller, kind);
  const bool here = persistent || kind != Kind::message || !Engine::get();
  if (here && !persistent) ++book.account.calls;
  l.started[Requests::key(request)] = {&book, bytes, now_ns(), receives, persistent, !persistent, here};
}

void Accounts::restarted(MPI_Request request) {
  Ledger& l = ledger();
  const progress::Holding lock(l.mutex);
  const auto found = l.started.find(Requests::key(request));
  if (found == l.started.end()) return;
  found->second.active = true;
  found->second.at = now_ns();
  ++found->second.book->account.calls;
}

void Accounts::called(Caller caller, Kind kind, std::size_t bytes, std::uint64_t ns) {
  Ledger& l = ledger();
  const progress::Holding lock(l.mutex);
  Account& account = l.book(caller, kind).account;
  ++account.calls;
  account.bytes += bytes;
  account.exposed_ns += ns;
}

void Accounts::received(Caller caller, std::size_t bytes, std::uint64_t ns) {
  if (bytes < large || ns == 0 || !std::strstr(caller.name, "ecv")) return;
  Ledger& l = ledger();
  const progress::Holding lock(l.mutex);
  note_rate(l.book(caller, Kind::message).rates, bytes, ns);
}

void Accounts::landed(Caller caller, std::size_t bytes, std::uint64_t ns) {
  Ledger& l = ledger();
  const progress::Holding lock(l.mutex);
  note_rate(l.book(caller, Kind::message).landings, bytes, ns);
}

std::vector<Account> Accounts::all() {
  Ledger& l = ledger();
  const progress::Holding lock(l.mutex);
  std::vector<Account> out;
  for (auto& [key, book] : l.books) {
    book.account.rate = book.rates.empty() ? 0 : book.rates.back();
    book.account.landing_rate = book.landings.empty() ? 0 : book.landings.back();
    out.push_back(book.account);
  }
  return out;
}

Completion::Completion(Caller caller, int count, const MPI_Request* requests, bool waits)
    : caller_(caller), waits_(waits) {
  for (int i = 0; requests && i < count; ++i) {
    keys_.push_back(requests[i] == MPI_REQUEST_NULL ? 0 : Requests::key(requests[i]));
    int complete = 1;
    if (waits && requests[i] != MPI_REQUEST_NULL) {
      if (may_look(keys_.back()))
        mpi::look(requests[i], &complete, MPI_STATUS_IGNORE);
      else
        complete = 0;
    }
    pending_.push_back(complete ? 0 : 1);
  }
  begun_ = now_ns();
}

void Completion::end(const MPI_Request* requests, const MPI_Status* statuses) {
  const std::uint64_t now = now_ns(), ns = now - begun_;
  // Nothing of the program's is touched under the lock: it may lie on a closed page.
  const std::vector<MPI_Request> left(requests, requests + keys_.size());
  std::vector<MPI_Status> told_by;
  if (statuses) told_by.assign(statuses, statuses + keys_.size());
  Ledger& l = ledger();
  const progress::Holding lock(l.mutex);
  const bool any_pending = std::find(pending_.begin(), pending_.end(), 1) != pending_.end();
  std::vector<std::pair<Started, std::size_t>> payers;  // and their weights
  std::size_t weights = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == 0) continue;
    const bool freed = left[i] == MPI_REQUEST_NULL;
    const auto found = l.started.find(keys_[i]);
    if (found == l.started.end()) {
      if (freed && pending_[i] && waits_) {
        payers.push_back({{&l.book(caller_, Kind::other), 0, 0}, 1});
        ++payers.back().first.book->account.calls;
        ++weights;
      }
      continue;
    }
    Started& started = found->second;
    int over = freed ? 1 : 0;
    // A persistent request is inactive again; what was not active cannot have been waited for.
    if (!freed && started.persistent && started.active) {
      if (mpi::looks_end_persistent)
        over = waits_;
      else
        mpi::look(left[i], &over, MPI_STATUS_IGNORE);
    }
    if (!over) continue;
    std::size_t bytes = started.bytes;
    if (MPI_Count told = 0; started.receives && !told_by.empty() &&
                            PMPI_Get_elements_x(&told_by[i], MPI_BYTE, &told) == MPI_SUCCESS && told >= 0)
      bytes = static_cast<std::size_t>(told);
    if (started.receives || started.counted_here) started.book->account.bytes += bytes;
    if (started.receives && pending_[i] && waits_) note_rate(started.book->rates, bytes, now - started.at);
    if (pending_[i] && waits_) {
      ++started.book->account.late_calls;
      started.book->account.late_bytes += bytes;
    }
    if (!any_pending || pending_[i]) {
      payers.emplace_back(started, bytes + 1);
      weights += bytes + 1;
    }
    if (started.persistent)
      started.active = false;
    else
      l.started.erase(found);
  }
  if (!waits_) return;
  if (payers.empty() && any_pending) {
    payers.push_back({{&l.book(caller_, Kind::other), 0, 0}, 1});
    weights = 1;
  }
  for (const auto& [started, weight] : payers) {
    const auto part = static_cast<std::uint64_t>(static_cast<double>(ns) * static_cast<double>(weight) /
                                                 static_cast<double>(weights));
    started.book->account.exposed_ns += part;
    started.book->account.waited_at[caller_.address] += part;
  }
}

}  // namespace lapwing::transfer
