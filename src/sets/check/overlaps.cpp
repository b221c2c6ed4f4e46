// SPDX-License-Identifier: Apache-2.0
#include "sets/check/overlaps.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "sets/all_processes.hpp"
#include "sets/check/kinds.hpp"
#include "sets/packed_values.hpp"
#include "sets/report/report_text.hpp"

namespace lapwing::sets {
namespace {

constexpr std::size_t most_pairs = 8;  // of calls

struct Overlap {
  Account pending, later;
  std::uint64_t bytes = 0;
};

// By where the two calls return to.
std::map<std::pair<const void*, const void*>, Overlap> own;
// Of all processes, by the places of the two calls: on rank 0. The lowest rank speaks for the others.
std::map<std::pair<std::string, std::string>, Overlap> all;

void add(Overlap overlap) {
  Overlap& known = all.try_emplace({overlap.pending.site, overlap.later.site}, overlap).first->second;
  if (overlap.later.rank < known.later.rank) known = std::move(overlap);
}

void take(int, const char* data, std::size_t size) {
  PackedValues in(data, size);
  Overlap overlap;
  overlap.bytes = in.get<std::uint64_t>();
  for (Account* account : {&overlap.pending, &overlap.later}) {
    const std::string text = in.get_text();
    *account = Account::unpacked(text.data(), text.size());
  }
  add(std::move(overlap));
}

void send_to_first(const Overlap& overlap) {
  PackedValues out;
  out.put(overlap.bytes);
  out.put_text(overlap.pending.packed());
  out.put_text(overlap.later.packed());
  const std::lock_guard guard(Messages::lock());
  Messages::send(0, overlap_kind, out.data(), out.size());
}

}  // namespace

void Overlaps::start(Severity severity) { severity_ = severity; }

void Overlaps::found(const Use& pending, const Use& later, std::size_t bytes) {
  const std::pair calls(pending.told.returns_to, later.told.returns_to);
  const bool goes_on = severity_ == Severity::warning;
  if (goes_on && (own.size() >= most_pairs || own.count(calls) != 0)) return;
  const Overlap overlap{account_of_use(pending.told, pending.writes),
                        account_of_use(later.told, later.writes), bytes};
  if (!goes_on) end_job_in_turn(overlap_finding(overlap.pending, overlap.later, bytes));
  own.emplace(calls, overlap);
}

void Overlaps::listen() { Messages::on(overlap_kind, take); }

void Overlaps::report() {
  if (severity_ != Severity::warning) return;
  if (combine_all<int>({own.empty() ? 0 : 1}, MPI_INT, MPI_SUM)[0] == 0) return;
  for (const auto& [calls, overlap] : own) {
    if (Messages::rank() == 0) {
      const std::lock_guard guard(Messages::lock());
      add(overlap);
    } else {
      send_to_first(overlap);
    }
  }
  settle();
  for (const auto& [sites, overlap] : all)
    warn(overlap_finding(overlap.pending, overlap.later, static_cast<std::size_t>(overlap.bytes)));
}

}  // namespace lapwing::sets
