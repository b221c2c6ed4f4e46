// SPDX-License-Identifier: Apache-2.0
// Ranks that a launcher has bound to a processor each: the helper runs beside them, not on them.
#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>

#include "mpi/spare_core.hpp"
#include "progress/cores.hpp"
#include "progress/helper.hpp"
#include "progress/locks.hpp"

namespace lapwing::mpi {
namespace {

// Tells where the helper runs.
class Located final : public progress::Polled {
 public:
  ~Located() { stop(); }
  cpu_set_t place() {
    start();
    progress::wait_until([&] { return looked_.load(); });
    return place_;
  }

 private:
  std::int64_t look(bool) override {
    place_ = progress::processors_of_process();
    looked_.store(true);
    return until_woken;
  }
  cpu_set_t place_{};
  std::atomic<bool> looked_{false};
};

// Binds this process to the n-th of them, from the first again behind the last.
cpu_set_t bind_to(const cpu_set_t& processors, int n) {
  n %= CPU_COUNT(&processors);
  int processor = -1;
  do
    while (!CPU_ISSET(++processor, &processors)) {
    }
  while (n-- > 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  return one;
}

TEST(SpareCore, IsBesideTheBoundRanks) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // Behind a launcher that binds, its daemon alone may run on all of them.
  const cpu_set_t all = progress::processors_of_node();
  const cpu_set_t own = bind_to(all, rank);
  EXPECT_EQ(find_spare_core(MPI_COMM_WORLD), progress::cores_of_node() > ranks);
  Located helper;
  const cpu_set_t place = helper.place();
  cpu_set_t both;
  CPU_AND(&both, &place, &own);
  EXPECT_EQ(CPU_COUNT(&place), std::max(1, CPU_COUNT(&all) - ranks));
  EXPECT_EQ(CPU_COUNT(&both), CPU_COUNT(&all) > ranks ? 0 : 1) << "without a free one it stays with its rank";
}

}  // namespace
}  // namespace lapwing::mpi
