// SPDX-License-Identifier: Apache-2.0
// How many processors a process counts: control groups of both versions, in a tree as the kernel shows it,
// and bound processes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "progress/cores.hpp"

namespace lapwing::progress {
namespace {

// A root of a file system with what the kernel tells of one process.
class CoresRoot : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "lapwing_cores_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  void is_in(const std::string& groups) { write("/proc/self/cgroup", groups); }
  double quota() { return cpu_quota(root_); }

  std::string root_;
};

TEST_F(CoresRoot, QuotaIsInfiniteWithoutOne) {
  EXPECT_TRUE(std::isinf(quota())) << "no control groups at all";
  is_in("0::/user.slice");
  EXPECT_TRUE(std::isinf(quota()));
  write("/sys/fs/cgroup/user.slice/cpu.max", "max 100000");
  EXPECT_TRUE(std::isinf(quota()));
  is_in("4:cpu,cpuacct:/job");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_TRUE(std::isinf(quota()));
}

TEST_F(CoresRoot, QuotaIsTheLeastOfTheGroupsAround) {
  is_in("0::/pod/container/init");
  write("/sys/fs/cgroup/pod/container/cpu.max", "250000 100000");
  EXPECT_DOUBLE_EQ(quota(), 2.5);
  write("/sys/fs/cgroup/pod/cpu.max", "150000 100000");
  EXPECT_DOUBLE_EQ(quota(), 1.5);
  write("/sys/fs/cgroup/pod/container/init/cpu.max", "50000 50000");
  EXPECT_DOUBLE_EQ(quota(), 1);
}

TEST_F(CoresRoot, QuotaOfAContainerIsAtTheRootThatItSees) {
  is_in("0::/");
  write("/sys/fs/cgroup/cpu.max", "200000 100000");
  EXPECT_DOUBLE_EQ(quota(), 2);
  // Version 1 shows the path outside and the files inside.
  is_in("11:memory:/docker/5f20\n4:cpu,cpuacct:/docker/5f20\n3:cpuset:/docker/5f20");
  write("/sys/fs/cgroup/cpu.max", "max 100000");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  EXPECT_DOUBLE_EQ(quota(), 3);
}

TEST_F(CoresRoot, QuotaIsFoundWhereBothVersionsAreThere) {
  is_in("1:cpu:/a\n0::/b");
  write("/sys/fs/cgroup/unified/b/cpu.max", "400000 100000");
  EXPECT_DOUBLE_EQ(quota(), 4);
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000");
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
  EXPECT_DOUBLE_EQ(quota(), 1);
}

cpu_set_t set_of(std::initializer_list<int> processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int each : processors) CPU_SET(each, &set);
  return set;
}

TEST_F(CoresRoot, NearProcessorsShareAMemory) {
  const auto near = [&](std::initializer_list<int> processors) {
    return processors_near(set_of(processors), root_);
  };
  cpu_set_t found = near({1});
  EXPECT_EQ(CPU_COUNT(&found), CPU_SETSIZE) << "the kernel does not tell";
  write("/sys/devices/system/node/node0/cpulist", "0-2,8");
  write("/sys/devices/system/node/node3/cpulist", "3-5,9-10");
  const cpu_set_t first = set_of({0, 1, 2, 8}), second = set_of({3, 4, 5, 9, 10});
  found = near({8});
  EXPECT_TRUE(CPU_EQUAL(&found, &first));
  found = near({4, 10});
  EXPECT_TRUE(CPU_EQUAL(&found, &second));
  found = near({1, 4});
  EXPECT_EQ(CPU_COUNT(&found), 9);
}

TEST(Cores, OfABoundProcessAreThoseItIsBoundTo) {
  const cpu_set_t before = processors_of_process();
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int processor = 0; CPU_COUNT(&one) == 0; ++processor)
    if (CPU_ISSET(processor, &before)) CPU_SET(processor, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(cores_of_process(), 1);
  for (const char* name :
       {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_PROCID", "SLURM_CPUS_ON_NODE"})
    unsetenv(name);
  EXPECT_EQ(cores_of_node(), 1) << "a user has bound it";
  // The parent of a rank is the launcher's daemon.
  setenv("MPI_LOCALNRANKS", "1", 1);
  EXPECT_GE(CPU_COUNT(&before), cores_of_node());
  cpu_set_t parent, node = processors_of_node();
  ASSERT_EQ(sched_getaffinity(getppid(), sizeof parent, &parent), 0);
  CPU_OR(&parent, &parent, &one);
  EXPECT_TRUE(CPU_EQUAL(&node, &parent));
  unsetenv("MPI_LOCALNRANKS");
  // Slurm says how much of the node is the job's.
  setenv("SLURM_PROCID", "0", 1);
  setenv("SLURM_CPUS_ON_NODE", "48", 1);
  EXPECT_EQ(cores_of_node(), std::min(48.0, std::max(1.0, std::floor(cpu_quota()))));
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace lapwing::progress
