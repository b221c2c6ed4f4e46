// SPDX-License-Identifier: Apache-2.0
// Open MPI's locks are taken while a thread of Lapwing's may call MPI, and not otherwise.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "mpi/library_locks.hpp"

namespace lapwing::mpi {
namespace {

// A round trip between neighbours, as programs make them.
void exchange() {
  int rank = 0, size = 1, out = 0, in = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  out = rank;
  PMPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0,
                MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(in, (rank + size - 1) % size);
}

TEST(LibraryLocks, AreTakenOnlyWhileAThreadMayEnter) {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  const auto* const variable = static_cast<const volatile bool*>(dlsym(RTLD_DEFAULT, "opal_uses_threads"));
  LibraryLocks::drop();
  EXPECT_FALSE(LibraryLocks::dropped()) << "before they are managed";
  LibraryLocks::manage();
  LibraryLocks::drop();
  ASSERT_EQ(level, MPI_THREAD_MULTIPLE);
  if (!variable) {
    EXPECT_FALSE(LibraryLocks::dropped()) << "an MPI without such a variable keeps its locks";
    EXPECT_TRUE(bool(LibraryLocks::Inside()));
    return;
  }
  EXPECT_TRUE(LibraryLocks::dropped());
  EXPECT_FALSE(*variable);
  EXPECT_FALSE(bool(LibraryLocks::Inside()));
  exchange();
  LibraryLocks::take();
  EXPECT_TRUE(*variable);
  {
    const LibraryLocks::Inside inside;
    EXPECT_TRUE(bool(inside));
    LibraryLocks::drop();
    EXPECT_FALSE(LibraryLocks::dropped()) << "while a thread is inside";
  }
  exchange();
  LibraryLocks::drop();
  EXPECT_TRUE(LibraryLocks::dropped());
  LibraryLocks::keep();
  EXPECT_TRUE(*variable);
  LibraryLocks::drop();
  EXPECT_FALSE(LibraryLocks::dropped()) << "after keep()";
}

}  // namespace
}  // namespace lapwing::mpi
