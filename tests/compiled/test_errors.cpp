// SPDX-License-Identifier: Apache-2.0
// Errors come where they belong, once, and are said where nobody would look.
#include "compiled/common.hpp"

namespace {

int raised = 0, last_class = MPI_SUCCESS;

void count_error(MPI_Comm*, int* code, ...) {
  ++raised;
  PMPI_Error_class(*code, &last_class);
}

class Errors : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_create_errhandler(count_error, &handler_);
    MPI_Comm_set_errhandler(comm_, handler_);
    raised = 0;
    last_class = MPI_SUCCESS;
  }
  void TearDown() override {
    MPI_Errhandler_free(&handler_);
    MPI_Comm_free(&comm_);
  }
  // Rank 1 sends `bytes`, once rank 0 has posted and says so.
  void send_when_posted(std::size_t bytes) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 1, comm_, MPI_STATUS_IGNORE);
    const auto out = message(1, 2, bytes);
    MPI_Send(out.data(), static_cast<int>(bytes), MPI_BYTE, 0, 2, comm_);
  }
  void say_posted() { MPI_Send(nullptr, 0, MPI_BYTE, 1, 1, comm_); }

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

TEST_F(Errors, TruncationOfAMatchedReceiveIsRaisedAtItsStart) {
  if (ranks() < 2 || my_rank() > 1) return;
  for (const std::size_t bytes : {std::size_t{5'000}, std::size_t{200'000}}) {
    raised = 0;
    if (my_rank() == 1) {
      send_when_posted(bytes);
      continue;
    }
    // Open MPI writes all of a message, however small the buffer that it is told of.
    std::vector<unsigned char> in(300'000, 0);
    const int room = bytes < 20'000 ? 4'000 : 20'000;
    say_posted();
    MPI_Status status{};
    lapwing_token* token = lapwing_start_recv_matched(in.data(), room, MPI_BYTE, 1, 2, comm_, &status);
    EXPECT_EQ(token, nullptr);
    EXPECT_EQ(raised, 1);
    EXPECT_EQ(last_class, MPI_ERR_TRUNCATE);
  }
}

TEST_F(Errors, TruncationOfAPostedReceiveIsRaisedAtItsWaitAndSaid) {
  if (ranks() < 2 || my_rank() > 1) return;
  for (const bool returned : {false, true}) {
    raised = 0;
    if (my_rank() == 1) {
      send_when_posted(200'000);
      continue;
    }
    if (returned) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    std::vector<unsigned char> in(300'000, 0);
    lapwing_token* token = lapwing_post_recv(in.data(), 50'000, MPI_BYTE, 1, 2, comm_, MPI_STATUS_IGNORE);
    EXPECT_NE(token, nullptr);
    say_posted();
    testing::internal::CaptureStderr();
    lapwing_wait(token);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(raised, returned ? 0 : 1);
    EXPECT_NE(said.find("MPI_Recv of 50000 bytes from rank 1 with tag 2"), std::string::npos) << said;
    EXPECT_NE(said.find("failed at its wait"), std::string::npos) << said;
  }
}

// Where the program looks at errors, only what can have none is split.
TEST_F(Errors, OnlyFatalOnesMayBeSplit) {
  const auto may = [](MPI_Comm comm, int count = 100'000, int peer = 0) {
    return lapwing_may_split(count, MPI_BYTE, peer, comm) != 0;
  };
  EXPECT_FALSE(may(comm_)) << "a handler of the program's own";
  EXPECT_EQ(may(MPI_COMM_WORLD), starts() || judged());
  EXPECT_EQ(lapwing_may_sink(MPI_COMM_WORLD) != 0, starts() || judged());
  EXPECT_FALSE(may(MPI_COMM_NULL));
  EXPECT_FALSE(may(MPI_COMM_WORLD, 100));
  EXPECT_FALSE(may(MPI_COMM_WORLD, -1));
  EXPECT_FALSE(may(MPI_COMM_WORLD, 100'000, MPI_PROC_NULL));
  EXPECT_FALSE(lapwing_may_split(100'000, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
  EXPECT_EQ(may(comm_), starts() || judged());
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  EXPECT_FALSE(may(comm_));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_FALSE(may(MPI_COMM_WORLD));
  EXPECT_FALSE(lapwing_may_sink(MPI_COMM_WORLD));
  EXPECT_FALSE(lapwing_may_sink(MPI_Comm{})) << "this program changes handlers";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_F(Errors, WrongArgumentsAreRaisedAtTheStart) {
  std::vector<unsigned char> data(100'000);
  EXPECT_EQ(lapwing_start_send(data.data(), 100'000, MPI_BYTE, ranks() + 5, 1, comm_), nullptr);
  EXPECT_EQ(raised, 1);
  EXPECT_EQ(last_class, MPI_ERR_RANK);
  EXPECT_EQ(lapwing_post_recv(data.data(), -1, MPI_BYTE, 0, 1, comm_, MPI_STATUS_IGNORE), nullptr);
  EXPECT_EQ(raised, 2);
  EXPECT_EQ(last_class, MPI_ERR_COUNT);
}

}  // namespace
