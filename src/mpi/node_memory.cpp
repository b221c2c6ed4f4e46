// SPDX-License-Identifier: Apache-2.0
#include "mpi/node_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace lapwing::mpi {

namespace {

/// Equal for all of one boot; tells a file of this process from one that a number
/// means somewhere else.
struct Where {
  std::int64_t process = 0, file = -1;
  std::uint64_t device = 0, node = 0;
};

}  // namespace

// The first one makes the memory; the others find it by its number in that process,
// so that nothing has a name and nothing is left behind.
NodeMemory share_memory(MPI_Comm near, std::size_t bytes) {
  int me = 0;
  PMPI_Comm_rank(near, &me);
  NodeMemory shared;
  Where where;
  struct stat about;
  if (me == 0) {
    shared.file = memfd_create("lapwing-node", MFD_CLOEXEC);
    if (shared.file >= 0 && ftruncate(shared.file, static_cast<off_t>(bytes)) == 0 &&
        fstat(shared.file, &about) == 0)
      where = {getpid(), shared.file, about.st_dev, about.st_ino};
  }
  PMPI_Bcast(&where, sizeof where, MPI_BYTE, 0, near);
  if (where.file < 0) return shared;
  if (me != 0) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%lld/fd/%lld", static_cast<long long>(where.process),
                  static_cast<long long>(where.file));
    shared.file = open(path, O_RDWR | O_CLOEXEC);
    if (shared.file < 0 || fstat(shared.file, &about) != 0 || about.st_dev != where.device ||
        about.st_ino != where.node)
      return shared;
  }
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared.file, 0);
  if (memory != MAP_FAILED) shared.memory = memory;
  return shared;
}

}  // namespace lapwing::mpi
