// SPDX-License-Identifier: Apache-2.0
// MPICH under Hydra: ranks announce themselves in the launcher's PMI-1
// key-value space, over the descriptor that it hands to every rank.
#include "mpi/launch.hpp"

#include <strings.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "flavour.hpp"

namespace lapwing::mpi {
namespace {

// One request and its one-line answer. The library itself talks on this
// descriptor only inside PMPI_Init, spawn and PMPI_Finalize.
bool ask(const std::string& request, std::string* answer) {
  const char* text = std::getenv("PMI_FD");
  if (!text || std::getenv("PMI_PORT")) return false;
  const int fd = std::atoi(text);
  if (write(fd, request.data(), request.size()) != static_cast<ssize_t>(request.size())) return false;
  answer->clear();
  for (char c; answer->size() < 4096 && read(fd, &c, 1) == 1;) {
    if (c == '\n') return true;
    answer->push_back(c);
  }
  return false;
}

std::string field(const std::string& answer, const char* name) {
  const auto at = answer.find(name);
  if (at == std::string::npos) return {};
  const auto from = at + std::strlen(name);
  return answer.substr(from, answer.find(' ', from) - from);
}

std::string key_space;

const char* key_of(Part part) {
  if (part == Part::collectives) return "lapwing-collectives-";
  return part == Part::engine ? "lapwing-" : "lapwing-sets-";
}

}  // namespace

void announce_presence(bool engine, bool sets, bool collectives) {
  const char* rank = std::getenv("PMI_RANK");
  std::string answer;
  if (!rank || !ask("cmd=init pmi_version=1 pmi_subversion=1\n", &answer)) return;
  if (field(answer, "rc=") != "0" || !ask("cmd=get_my_kvsname\n", &answer)) return;
  key_space = field(answer, "kvsname=");
  // Visible to all once PMPI_Init has gone through its own barrier.
  const auto put = [&](Part part) {
    ask("cmd=put kvsname=" + key_space + " key=" + key_of(part) + rank + " value=1\n", &answer);
  };
  if (engine) put(Part::engine);
  if (sets) put(Part::sets);
  if (collectives) put(Part::collectives);
}

void forget_launcher() {}

Presence presence(Part part, int rank, int size, std::string* missing) {
  if (key_space.empty()) return Presence::unknown;
  std::string answer;
  for (int r = 0; r < size; ++r) {
    if (r == rank) continue;
    if (!ask("cmd=get kvsname=" + key_space + " key=" + key_of(part) + std::to_string(r) + "\n", &answer)) {
      return Presence::unknown;
    }
    if (field(answer, "rc=") != "0") {
      *missing = std::to_string(r);
      return Presence::some;
    }
  }
  return Presence::all;
}

bool may_raise_thread_level(std::string*) { return true; }

int default_thread_level() {
  constexpr std::pair<const char*, int> levels[] = {{"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE},
                                                    {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
                                                    {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED}};
  for (const char* name :
       {"MPICH_DEFAULT_THREAD_LEVEL", "MPIR_PARAM_DEFAULT_THREAD_LEVEL", "MPIR_CVAR_DEFAULT_THREAD_LEVEL"}) {
    const char* given = std::getenv(name);
    for (const auto& [level, value] : levels)
      if (given && strcasecmp(given, level) == 0) return value;
  }
  return MPI_THREAD_SINGLE;
}

int ranks_on_one_node() {
  const char* size = std::getenv("PMI_SIZE");
  std::string answer;
  if (!size || key_space.empty() ||
      !ask("cmd=get kvsname=" + key_space + " key=PMI_process_mapping\n", &answer) ||
      field(answer, "rc=") != "0")
    return 0;
  // "(vector,(0,1,2),...)": from node 0, one node, two ranks on each; and so on.
  const std::string mapping = field(answer, "value=");
  const std::string head = "(vector";
  if (mapping.compare(0, head.size(), head) != 0) return 0;
  int first_node = -1;
  for (auto at = mapping.find('(', 1); at != std::string::npos; at = mapping.find('(', at + 1)) {
    int node = 0, nodes = 0, ranks = 0;
    if (std::sscanf(mapping.c_str() + at, "(%d,%d,%d)", &node, &nodes, &ranks) != 3) return 0;
    if (nodes != 1 || (first_node >= 0 && node != first_node)) return 0;
    first_node = node;
  }
  return first_node < 0 ? 0 : std::atoi(size);
}

void prepare() {}

}  // namespace lapwing::mpi
