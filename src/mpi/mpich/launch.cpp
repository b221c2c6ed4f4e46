// SPDX-License-Identifier: Apache-2.0
// MPICH under Hydra: ranks announce themselves in the launcher's PMI-1
// key-value space, over the descriptor that it hands to every rank.
#include "mpi/launch.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

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

}  // namespace

void announce_presence() {
  const char* rank = std::getenv("PMI_RANK");
  std::string answer;
  if (!rank || !ask("cmd=init pmi_version=1 pmi_subversion=1\n", &answer)) return;
  if (field(answer, "rc=") != "0" || !ask("cmd=get_my_kvsname\n", &answer)) return;
  key_space = field(answer, "kvsname=");
  // Visible to all once PMPI_Init has gone through its own barrier.
  ask("cmd=put kvsname=" + key_space + " key=lapwing-" + rank + " value=1\n", &answer);
}

void forget_launcher() {}

Presence presence(int rank, int size, std::string* missing) {
  if (key_space.empty()) return Presence::unknown;
  std::string answer;
  for (int r = 0; r < size; ++r) {
    if (r == rank) continue;
    if (!ask("cmd=get kvsname=" + key_space + " key=lapwing-" + std::to_string(r) + "\n", &answer)) {
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

void prepare() {}

}  // namespace lapwing::mpi
