// SPDX-License-Identifier: Apache-2.0
// Errors that the engine meets are heard by no handler of the program's, those of its other threads are.
#include "mpi/looks.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <thread>

namespace lapwing::mpi {
namespace {

int heard = 0;
void count_heard(MPI_Comm*, int*, ...) { ++heard; }

constexpr int room = 4, bytes = 8;
char sent[bytes], received[bytes];

// A receive from this process itself that is too small for its message.
MPI_Request too_small() {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Irecv(received, room, MPI_BYTE, 0, 7, MPI_COMM_SELF, &request);
  PMPI_Send(sent, bytes, MPI_BYTE, 0, 7, MPI_COMM_SELF);
  return request;
}

class Looks : public testing::Test {
 protected:
  void SetUp() override {
    heard = 0;
    PMPI_Comm_create_errhandler(count_heard, &handler_);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler_);
  }
  void TearDown() override {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    PMPI_Errhandler_free(&handler_);
  }
  bool is_put_back() {
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
    const bool same = now == handler_;
    release_handler(now);
    return same;
  }
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

TEST_F(Looks, ALookIsNotHeard) {
  MPI_Request request = too_small();
  int complete = 0, code = MPI_SUCCESS;
  while (!complete && code == MPI_SUCCESS) code = look(request, &complete, MPI_STATUS_IGNORE);
  EXPECT_EQ(heard, 0);
  EXPECT_EQ(code != MPI_SUCCESS, raising.look != Hearer::nobody);
  EXPECT_TRUE(is_put_back());
  {
    const Unheard unheard;  // the program's wait is not the matter here
    if (raising.look != Hearer::nobody) PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (request != MPI_REQUEST_NULL) {
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  }
}

TEST_F(Looks, AnErrorOfAnotherThreadIsHeard) {
  const auto fail = [] { PMPI_Send(sent, 1, MPI_BYTE, -77, 0, MPI_COMM_WORLD); };
  {
    const Unheard unheard;
    std::thread(fail).join();
    EXPECT_EQ(heard, 1);
  }
  EXPECT_TRUE(is_put_back());
  fail();
  EXPECT_EQ(heard, 2);
}

// However the program sets it.
TEST_F(Looks, AHandlerThatIsSetMeanwhileStays) {
  for (const auto set : {PMPI_Comm_set_errhandler, set_error_handler}) {
    {
      const Unheard unheard;
      std::thread([&] { set(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }).join();
      PMPI_Send(sent, 1, MPI_BYTE, -77, 0, MPI_COMM_WORLD);
      std::thread([] { PMPI_Send(sent, 1, MPI_BYTE, -77, 0, MPI_COMM_WORLD); }).join();
      EXPECT_EQ(heard, 0);
    }
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
    EXPECT_TRUE(now == MPI_ERRORS_RETURN);
    release_handler(now);
    set_error_handler(MPI_COMM_WORLD, handler_);
  }
  EXPECT_TRUE(is_put_back());
}

TEST_F(Looks, TheProgramIsGivenItsOwnHandler) {
  MPI_Comm made = MPI_COMM_NULL;
  {
    const Unheard unheard;
    PMPI_Comm_dup(MPI_COMM_WORLD, &made);
    for (const MPI_Comm comm : {MPI_COMM_WORLD, made}) {
      MPI_Errhandler now = MPI_ERRHANDLER_NULL;
      EXPECT_EQ(get_error_handler(comm, &now), MPI_SUCCESS);
      EXPECT_TRUE(now == handler_);
      release_handler(now);
    }
  }
  PMPI_Send(sent, 1, MPI_BYTE, -77, 0, made);
  EXPECT_EQ(heard, 1);
  PMPI_Comm_free(&made);
  EXPECT_TRUE(is_put_back());
}

}  // namespace
}  // namespace lapwing::mpi
