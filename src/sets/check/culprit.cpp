// SPDX-License-Identifier: Apache-2.0
#include "sets/check/culprit.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include "sets/group_call.hpp"

namespace lapwing::sets {
namespace {

bool is_mpi_or_system(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  for (const char* prefix : {"libmpi", "libpmpi", "libfmpich", "liblapwing", "libopen-", "libuc", "mca_",
                             "libmca", "libpmix", "libfabric", "libc.so", "libgcc_s", "ld-linux"}) {
    if (name.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

// "MPI_Recv" for all names of its entry points, or "".
std::string call_of(const char* symbol) {
  std::string name = symbol ? symbol : "";
  if (name.rfind("PMPI_", 0) == 0 || name.rfind("pmpi_", 0) == 0) name.erase(0, 1);
  if (name.rfind("mpi_", 0) == 0) {
    name = "MPI_" + name.substr(4, name.find_last_not_of('_') - 3);
    if (name.size() > 4) name[4] = static_cast<char>(name[4] - 'a' + 'A');
  }
  return name.rfind("MPI_", 0) == 0 ? name : "";
}

}  // namespace

Culprit find_culprit() {
  constexpr int most = 64;
  void* frames[most];
  const int count = backtrace(frames, most);
  Culprit found;
  for (int i = 1; i < count; ++i) {
    Dl_info info{};
    if (!dladdr(static_cast<char*>(frames[i]) - 1, &info) || !info.dli_fname) continue;
    if (!is_mpi_or_system(info.dli_fname)) {
      found.returns_to = frames[i];
      break;
    }
    const std::string name = call_of(info.dli_sname);
    if (!name.empty()) found.call = name;
  }
  // MPI may leave its entry point before it reports.
  if (found.call.empty() && found.returns_to && found.returns_to == last_watched.returns_to)
    found.call = last_watched.name;
  return found;
}

}  // namespace lapwing::sets
