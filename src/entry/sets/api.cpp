// SPDX-License-Identifier: Apache-2.0
// The C API of process sets.
#include <fmt/format.h>

#include "entry/p2p/p2p.hpp"
#include "lapwing/sets.h"
#include "sets/group_call.hpp"
#include "sets/messages.hpp"
#include "sets/mode.hpp"
#include "sets/run/run.hpp"

namespace sets = lapwing::sets;
using sets::Run;

namespace {

// Where sets do not apply the set is the communicator.
[[gnu::hot]] sets::Set* current(MPI_Comm comm, const char* name, sets::Family** family = nullptr) {
  if (!Run::get()) return nullptr;
  if (comm == MPI_COMM_NULL) sets::fail(fmt::format("{}: MPI_COMM_NULL has no set", name));
  return Run::get()->current(comm, family);
}

}  // namespace

LAPWING_ENTRY int lapwing_sets_mode(void) { return static_cast<int>(sets::mode); }

LAPWING_ENTRY __attribute__((hot)) void lapwing_split_at(MPI_Comm comm, int branches, int branch,
                                                         const char* file, int line) {
  if (Run::get()) Run::get()->split_by_hand(comm, branches, branch, file, line);
}

LAPWING_ENTRY __attribute__((hot)) void lapwing_merge_at(MPI_Comm comm, const char* file, int line) {
  if (Run::get()) Run::get()->merge_by_hand(comm, file, line);
}

LAPWING_ENTRY __attribute__((hot)) int lapwing_set_size(MPI_Comm comm) {
  if (const sets::Set* set = current(comm, "lapwing_set_size")) return set->size();
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

LAPWING_ENTRY int lapwing_set_rank(MPI_Comm comm) {
  if (const sets::Set* set = current(comm, "lapwing_set_rank")) return set->mine();
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

LAPWING_ENTRY int lapwing_set_members(MPI_Comm comm, int* ranks, int room) {
  const sets::Set* set = current(comm, "lapwing_set_members");
  int count = 0;
  if (!set) {
    PMPI_Comm_size(comm, &count);
    for (int r = 0; r < count && r < room; ++r) ranks[r] = r;
    return count;
  }
  for (const int r : set->members().members()) {
    if (count < room) ranks[count] = r;
    ++count;
  }
  return count;
}

LAPWING_ENTRY MPI_Comm lapwing_set_comm(MPI_Comm comm) {
  sets::Family* family = nullptr;
  sets::Set* set = current(comm, "lapwing_set_comm", &family);
  if (!set || set->full()) return comm;
  sets::Votes::owed_anywhere.fetch_or(sets::Votes::comms_given, std::memory_order_relaxed);
  return Run::get()->comm_of(*family, *set);
}

LAPWING_ENTRY unsigned long long lapwing_set_token(MPI_Comm comm) {
  sets::Family* family = nullptr;
  if (!current(comm, "lapwing_set_token", &family)) return 1;
  return Run::get()->token(*family);
}

LAPWING_ENTRY int lapwing_set_is_current(MPI_Comm comm, unsigned long long token) {
  return token != 0 && lapwing_set_token(comm) == token;
}

LAPWING_ENTRY void lapwing_set_expect_at(MPI_Comm comm, unsigned long long token, const char* file,
                                         int line) {
  if (lapwing_set_is_current(comm, token)) return;
  sets::fail(
      fmt::format("{}:{}: a set is used that is no longer the current one of its communicator: its merge has "
                  "been reached, or another split lies between",
                  file, line));
}

LAPWING_ENTRY void lapwing_on_set_at(const char* file, int line) {
  // Read by the next call of this thread only.
  thread_local lapwing_call_site site;
  site = {{file, "lapwing_on_set", line}, "", 0};
  if (sets::watcher) sets::next_call = &site;
}

LAPWING_ENTRY void lapwing_sets_get_stats(struct lapwing_sets_stats* out) {
  *out = {};
  if (!Run::get()) return;
  const Run::Stats now = Run::get()->stats();
  *out = {now.splits, now.messages, now.bytes, now.sets, now.communicators};
}

LAPWING_ENTRY void lapwing_sets_exclude(MPI_Comm comm) {
  if (Run::get() && comm != MPI_COMM_NULL) Run::get()->exclude(comm);
}
