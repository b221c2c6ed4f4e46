// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "flavour.hpp"
#include "mpi/launch.hpp"
#include "mpi/transport.hpp"

namespace lapwing::mpi {
namespace {

bool given(std::string_view name) {
  return std::ranges::any_of(yield_variables(), [&](const auto& one) { return name == one.name; });
}

TEST(CrowdedNode, HasMoreRanksThanCores) {
  unsetenv("MPI_LOCALNRANKS");
  unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  EXPECT_FALSE(node_is_crowded());
  for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
    setenv(name, "1", 1);
    EXPECT_FALSE(node_is_crowded()) << name;
    setenv(name, "100000", 1);
    EXPECT_TRUE(node_is_crowded()) << name;
    unsetenv(name);
  }
}

TEST(CrowdedNode, ThatIsFullHasNoCoreForMessagesOfOtherNodes) {
  cpu_set_t cores;
  ASSERT_EQ(sched_getaffinity(getppid(), sizeof cores, &cores), 0);
  const std::string full = std::to_string(CPU_COUNT(&cores));
  for (const char* name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) unsetenv(name);
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", full.c_str(), 1);
  setenv("OMPI_COMM_WORLD_SIZE", full.c_str(), 1);
  EXPECT_FALSE(cores_are_scarce());
  setenv("OMPI_COMM_WORLD_SIZE", "100000", 1);
  EXPECT_TRUE(cores_are_scarce());
  EXPECT_FALSE(node_is_crowded());
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "0", 1);
  EXPECT_FALSE(cores_are_scarce());
  unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  unsetenv("OMPI_COMM_WORLD_SIZE");
}

TEST(CrowdedNode, LetsTheRanksOfAnMpiYieldThatCan) {
  setenv("MPI_LOCALNRANKS", "100000", 1);
  setenv("MPIR_CVAR_CH4_NETMOD", "ofi", 1);
  unsetenv("OMPI_MCA_mpi_yield_when_idle");
  const bool can = std::string_view(flavour_name) == "mpich";
  EXPECT_EQ(given("OMPI_MCA_mpi_yield_when_idle"), !can);
  EXPECT_EQ(given("I_MPI_THREAD_YIELD"), can);
  EXPECT_EQ(given("MPIR_CVAR_CH4_PROGRESS_THROTTLE"), can);
  setenv("I_MPI_THREAD_YIELD", "0", 1);
  EXPECT_FALSE(given("I_MPI_THREAD_YIELD")) << "the user's own";
  EXPECT_EQ(given("MPIR_CVAR_CH4_PROGRESS_THROTTLE"), can);
  unsetenv("I_MPI_THREAD_YIELD");
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
  EXPECT_FALSE(given("OMPI_MCA_mpi_yield_when_idle")) << "the user's own";
  unsetenv("OMPI_MCA_mpi_yield_when_idle");
  setenv("MPIR_CVAR_CH4_NETMOD", "ucx", 1);
  EXPECT_FALSE(given("I_MPI_THREAD_YIELD")) << "over UCX they yield anyway";
  setenv("MPIR_CVAR_CH4_NETMOD", "ofi", 1);
  setenv("MPI_LOCALNRANKS", "1", 1);
  EXPECT_FALSE(given("I_MPI_THREAD_YIELD")) << "a core for each rank";
  EXPECT_FALSE(given("OMPI_MCA_mpi_yield_when_idle"));
  unsetenv("MPIR_CVAR_CH4_NETMOD");
}

}  // namespace
}  // namespace lapwing::mpi
