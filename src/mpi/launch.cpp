// SPDX-License-Identifier: Apache-2.0
// Which ranks have Lapwing, and whether the job shares a node, whichever launcher started it.
#include "mpi/launch.hpp"

#include <mpi.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "mpi/pmi_wire.hpp"
#include "mpi/pmix.hpp"
#include "progress/cores.hpp"

namespace lapwing::mpi {
namespace {

enum class Space { none, pmi, pmix };
Space space = Space::none;

constexpr int exchange_tag = 30571;

std::string key_of(Part part) {
  if (part == Part::collectives) return "lapwing-collectives-";
  return part == Part::engine ? "lapwing-" : "lapwing-sets-";
}

// PMIx knows whose key it is; of PMI each key is the whole job's.
bool has(Part part, int rank) {
  if (space == Space::pmix) return pmix::find(key_of(part), rank);
  return pmi_wire::find(key_of(part) + std::to_string(rank)) == pmi_wire::Found::yes;
}

bool equal(const char* a, const char* b) { return a && b && std::strcmp(a, b) == 0; }

// Whether Slurm itself started this process as a task of its step: a launcher's own daemons are
// tasks, too, and their children inherit its variables.
bool is_slurm_task() {
  const char* job = std::getenv("SLURM_JOB_ID");
  const char* step = std::getenv("SLURM_STEP_ID");
  if (!job || !step) return false;
  const std::string name = std::string(job) + "." + step;
  return equal(std::getenv("PMI_JOBID"), name.c_str()) ||
         equal(std::getenv("PMIX_NAMESPACE"), ("slurm.pmix." + name).c_str());
}

// How many ranks of the job this node has more than cores, below 0 where it has fewer; the least number where
// the launcher does not say.
int ranks_beyond_cores() {
  const int ranks = progress::launched_ranks_of_node();
  return ranks > 0 ? ranks - progress::cores_of_node() : INT_MIN;
}

}  // namespace

void announce_presence(bool engine, bool sets, bool collectives) {
  std::vector<Part> parts;
  if (engine) parts.push_back(Part::engine);
  if (sets) parts.push_back(Part::sets);
  if (collectives) parts.push_back(Part::collectives);
  if (parts.empty()) return;
  std::vector<std::string> keys;
  for (Part part : parts) keys.push_back(key_of(part));
  if (pmix::arm(keys, pmix_to_come())) {
    space = Space::pmix;
    return;
  }
  const char* rank = std::getenv("PMI_RANK");
  if (!rank) rank = std::getenv("PMI_ID");
  if (!rank) return;
  for (std::string& key : keys) key += rank;
  if (pmi_wire::arm(keys)) space = Space::pmi;
}

void forget_launcher() {
  pmix::close();
  pmi_wire::disarm();
}

// Each rank asks about two others in each round, and tells one of them what it
// knows: after log(size) rounds it knows of all. Where a partner is missing nothing
// is sent to it or expected from it, and whoever would have learned from it has
// learned enough.
Presence presence(Part part, int rank, int size, bool vouched, std::string* missing) {
  // Hydra 4 shows no key before a fence, and MPICH 5 makes none where all ranks are on one node: then each
  // process misses its own.
  const bool ready =
      space == Space::pmix ? pmix::ready() : space == Space::pmi && pmi_wire::ready() && has(part, rank);
  if (!ready) return vouched ? Presence::all : Presence::unknown;
  int absent = -1;
  for (long distance = 1; distance < size; distance *= 2) {
    const int to = static_cast<int>((rank + distance) % size);
    const int from = static_cast<int>((rank - distance + size) % size);
    const bool sends = has(part, to), receives = from == to ? sends : has(part, from);
    int told = -1;
    PMPI_Sendrecv(&absent, 1, MPI_INT, sends ? to : MPI_PROC_NULL, exchange_tag, &told, 1, MPI_INT,
                  receives ? from : MPI_PROC_NULL, exchange_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (absent < 0) absent = !receives ? from : !sends ? to : told;
  }
  if (absent < 0) return Presence::all;
  *missing = std::to_string(absent);
  return Presence::some;
}

int ranks_on_one_node() {
  if (is_slurm_task()) {
    const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
    return tasks && equal(std::getenv("SLURM_STEP_NUM_NODES"), "1") ? std::atoi(tasks) : 0;
  }
  constexpr const char* names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                      {"PMI_SIZE", "MPI_LOCALNRANKS"}};
  for (const auto& [all, here] : names) {
    const char* size = std::getenv(all);
    if (size) return equal(size, std::getenv(here)) ? std::atoi(size) : 0;
  }
  return 0;
}

bool node_is_crowded() { return ranks_beyond_cores() > 0; }

bool cores_are_scarce() { return ranks_beyond_cores() >= (ranks_on_one_node() > 0 ? 1 : 0); }

}  // namespace lapwing::mpi
