// SPDX-License-Identifier: Apache-2.0
// The main of every GoogleTest that runs under mpiexec: all ranks run the same
// tests, rank 0 prints the usual report, the others only what failed, and a
// failure on one rank is a failure of all.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

class FailuresOnly : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}

 private:
  // GoogleTest holds its lock while it reports a failure, so the name of the
  // test is remembered rather than asked for.
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::printf("[rank %d] %s failed at %s:%d\n%s\n", rank_, test_.c_str(),
                result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                result.message());
    std::fflush(stdout);
  }

  std::string test_ = "?";
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Some tests have threads of their own.
  const int level = std::getenv("TEST_THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = MPI_THREAD_SINGLE;
  if ((level == MPI_THREAD_SINGLE ? MPI_Init(&argc, &argv)
                                  : MPI_Init_thread(&argc, &argv, level, &provided)) != MPI_SUCCESS) {
    std::fprintf(stderr, "MPI_Init failed; the tests need mpiexec of the MPI that they were built for\n");
    return EXIT_FAILURE;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(rank));
  }
  const int mine = RUN_ALL_TESTS();
  const int ran = testing::UnitTest::GetInstance()->test_to_run_count();
  int anyone = mine;
  PMPI_Allreduce(&mine, &anyone, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && ran == 0)
    std::fprintf(stderr, "no test was run: a filter that matches nothing proves nothing\n");
  if (rank == 0 && mine == 0 && anyone != 0) std::fprintf(stderr, "a test failed on another rank\n");
  MPI_Finalize();
  return anyone != 0 || ran == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
