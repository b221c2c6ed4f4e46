// SPDX-License-Identifier: Apache-2.0
// Process sets of MPI's sessions: MPI's own, those that run mode has met, and those that the program has
// named.
//
// MPI has no call that adds a process set. So the four calls that ask for them are answered here, MPI's own
// sets first of all; a group of Lapwing's is a part of the session's "mpi://WORLD", and MPI makes
// communicators of it as of any other. Until Lapwing has a set, all four calls are MPI's.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "entry/p2p/p2p.hpp"
#include "lapwing/sets.h"
#include "mpi/world_ranks.hpp"
#include "progress/locks.hpp"
#include "sets/exported/process_sets.hpp"
#include "sets/family.hpp"
#include "sets/handle_watch.hpp"
#include "sets/run/run.hpp"
#include "transfer/retire.hpp"

namespace guard = lapwing::guard;
namespace mpi = lapwing::mpi;
namespace transfer = lapwing::transfer;
using lapwing::sets::ProcessSet;
using lapwing::sets::ProcessSets;
using lapwing::sets::Run;

namespace {

constexpr const char* all_processes = "mpi://WORLD";

// Never destroyed: a program may ask in a destructor of its own.
struct Exported {
  lapwing::progress::Owned<std::mutex> lock;
  ProcessSets sets LAPWING_GUARDED_BY(lock);
};

Exported& exported() {
  static auto* const all = new Exported;
  return *all;
}

// Adds the sets that run mode has met since.
void look_at_run(ProcessSets& sets) {
  if (!Run::get()) return;
  int world = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &world);
  std::vector<std::vector<int>> met = Run::get()->sets_so_far();
  std::erase_if(met, [&](const auto& ranks) { return static_cast<int>(ranks.size()) == world; });
  sets.add_all(std::move(met));
}

// The ranks in MPI_COMM_WORLD of the current set; empty where a member does not belong to it.
std::vector<int> current_ranks(MPI_Comm comm) {
  std::vector<int> members(static_cast<std::size_t>(lapwing_set_size(comm)));
  lapwing_set_members(comm, members.data(), static_cast<int>(members.size()));
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  const std::vector<int> world = mpi::world_ranks(group);
  PMPI_Group_free(&group);
  std::vector<int> ranks;
  for (const int r : members) ranks.push_back(world[static_cast<std::size_t>(r)]);
  if (std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) != ranks.end()) return {};
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// As MPI writes names: cut off where there is no room, and ended in any case.
int write_name(const std::string& name, char* out, int room) {
  if (room > 0) {
    const std::size_t most = std::min(name.size(), static_cast<std::size_t>(room) - 1);
    std::memcpy(out, name.data(), most);
    out[most] = '\0';
  }
  return static_cast<int>(name.size()) + 1;
}

// MPI reads and writes texts whose length is not known here.
void retire() {
  if (guard::closed_regions.load(std::memory_order_relaxed) == 0) return;
  transfer::retire_frames();
  transfer::retire_accesses();
  transfer::retire_everything();
}

bool is_of_lapwing(const char* name) { return name && std::strncmp(name, "lapwing://", 10) == 0; }

// MPI's answer to a name that it does not know is an error; so is this one's, where Lapwing knows none
// either.
bool ranks_of(const char* name, std::vector<int>* ranks) {
  if (!is_of_lapwing(name)) return false;
  Exported& all = exported();
  const std::lock_guard guard(all.lock);
  look_at_run(all.sets);
  const ProcessSet* const set = all.sets.find(name);
  if (set) *ranks = set->ranks;
  return set != nullptr;
}

// The checker counts what the program has to free.
int note_group(int rc, MPI_Group made, const void* returns_to) {
  if (rc != MPI_SUCCESS || !lapwing::sets::handle_watcher) return rc;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &made, sizeof made);
  lapwing::sets::handle_watcher->made(lapwing::sets::HandleKind::group, bits, "MPI_Group_from_session_pset",
                                      lapwing::entry::call_site(returns_to));
  return rc;
}

[[noreturn]] void refuse(const char* file, int line, const std::string& why) {
  lapwing::sets::fail(fmt::format("lapwing_set_publish at {}:{}: {}", file, line, why));
}

}  // namespace

LAPWING_ENTRY void lapwing_set_publish_at(MPI_Comm comm, const char* name, const char* file, int line) {
  if (comm == MPI_COMM_NULL) refuse(file, line, "MPI_COMM_NULL has no set");
  std::string full = ProcessSets::full_name(name ? name : "");
  if (full.empty()) {
    refuse(file, line,
           fmt::format("'{}' is no name: give letters, digits, '.', '_' and '-', {} of them at most",
                       name ? name : "", ProcessSets::most_letters - std::strlen("lapwing://")));
  }
  std::vector<int> ranks = current_ranks(comm);
  if (ranks.empty()) {
    refuse(file, line,
           "the set has members that do not belong to MPI_COMM_WORLD, and groups of sessions hold no others");
  }
  Exported& all = exported();
  const std::lock_guard guard(all.lock);
  if (!all.sets.add(full, std::move(ranks)))
    refuse(file, line,
           fmt::format("{} is another set already; a name keeps its processes until the program ends", full));
}

LAPWING_ENTRY int lapwing_set_pset_name(MPI_Comm comm, char* name, int room) {
  if (comm == MPI_COMM_NULL) lapwing::sets::fail("lapwing_set_pset_name: MPI_COMM_NULL has no set");
  std::vector<int> ranks = current_ranks(comm);
  if (ranks.empty())
    lapwing::sets::fail("lapwing_set_pset_name: the set has members that do not belong to MPI_COMM_WORLD");
  int world = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &world);
  if (static_cast<int>(ranks.size()) == world) return write_name(all_processes, name, room);
  Exported& all = exported();
  const std::lock_guard guard(all.lock);
  const std::string full = ProcessSets::name_of(ranks);
  all.sets.add(full, std::move(ranks));
  return write_name(full, name, room);
}

LAPWING_ENTRY int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int* npset_names) {
  retire();
  const int rc = PMPI_Session_get_num_psets(session, info, npset_names);
  if (rc != MPI_SUCCESS) return rc;
  Exported& all = exported();
  const std::lock_guard guard(all.lock);
  look_at_run(all.sets);
  *npset_names = all.sets.list(*npset_names);
  return rc;
}

LAPWING_ENTRY int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int* pset_len,
                                           char* pset_name) {
  retire();
  int own = 0;
  if (const int rc = PMPI_Session_get_num_psets(session, info, &own); rc != MPI_SUCCESS) return rc;
  ProcessSets::Place place;
  {
    Exported& all = exported();
    const std::lock_guard guard(all.lock);
    all.sets.list(own);
    place = all.sets.at(n);
  }
  if (place.set) {
    *pset_len = write_name(place.set->name, pset_name, *pset_len);
    return MPI_SUCCESS;
  }
  // MPICH 4.0 ends with a signal instead of an error where there is no such index.
  if (place.own < 0 || place.own >= own) {
    PMPI_Session_call_errhandler(session, MPI_ERR_ARG);
    return MPI_ERR_ARG;
  }
  return PMPI_Session_get_nth_pset(session, info, place.own, pset_len, pset_name);
}

LAPWING_ENTRY int MPI_Session_get_pset_info(MPI_Session session, const char* pset_name, MPI_Info* info) {
  retire();
  std::vector<int> ranks;
  if (!ranks_of(pset_name, &ranks)) return PMPI_Session_get_pset_info(session, pset_name, info);
  // MPI makes the object, with what it says of all processes.
  const int rc = PMPI_Session_get_pset_info(session, all_processes, info);
  return rc == MPI_SUCCESS ? PMPI_Info_set(*info, "mpi_size", fmt::format("{}", ranks.size()).c_str()) : rc;
}

LAPWING_ENTRY int MPI_Group_from_session_pset(MPI_Session session, const char* pset_name,
                                              MPI_Group* newgroup) {
  retire();
  std::vector<int> ranks;
  if (!ranks_of(pset_name, &ranks)) {
    const int rc = PMPI_Group_from_session_pset(session, pset_name, newgroup);
    return note_group(rc, *newgroup, __builtin_return_address(0));
  }
  MPI_Group world = MPI_GROUP_NULL;
  if (const int rc = PMPI_Group_from_session_pset(session, all_processes, &world); rc != MPI_SUCCESS)
    return rc;
  const int rc = PMPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), newgroup);
  PMPI_Group_free(&world);
  return note_group(rc, *newgroup, __builtin_return_address(0));
}
