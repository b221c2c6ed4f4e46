// SPDX-License-Identifier: Apache-2.0
// Messages that have been matched and wait for the program's own send: nobody
// waits for them in vain, whatever the program does next.
#include <thread>

#include "compiled/common.hpp"

namespace {

// Up and down, as the halves of a program's MPI_Sendrecv: only one has a partner.
TEST(Exchange, TheHalvesOfTwoShiftsMeet) {
  const int rank = my_rank(), up = rank + 1 < ranks() ? rank + 1 : MPI_PROC_NULL,
            down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const auto out = message(rank, 1, bytes);
  for (int round = 0; round < 10; ++round) {
    std::vector<unsigned char> from_below(bytes, 0), from_above(bytes, 0);
    MPI_Status below{}, above{};
    lapwing_token* const first = lapwing_pair_send(out.data(), count, MPI_BYTE, up, 1, MPI_COMM_WORLD);
    lapwing_token* const second =
        lapwing_pair_recv_matched(from_below.data(), count, MPI_BYTE, down, 1, MPI_COMM_WORLD, &below);
    if (down != MPI_PROC_NULL) {
      EXPECT_TRUE(says(below, down, 1, bytes));
    }
    lapwing_token* const third = lapwing_pair_send(out.data(), count, MPI_BYTE, down, 1, MPI_COMM_WORLD);
    lapwing_token* const fourth =
        lapwing_pair_recv_matched(from_above.data(), count, MPI_BYTE, up, 1, MPI_COMM_WORLD, &above);
    for (lapwing_token* token : {fourth, second, first, third}) lapwing_wait(token);
    if (down != MPI_PROC_NULL) {
      EXPECT_TRUE(holds(from_below, down, 1, bytes));
    }
    if (up != MPI_PROC_NULL) {
      EXPECT_TRUE(holds(from_above, up, 1, bytes));
    }
  }
}

// Where nothing is split nothing is left to wait for, so that no transfer stands still while the program
// computes.
TEST(Exchange, ItsHalvesGoAsOneCallWhereNothingIsSplit) {
  if (!pair_at_work()) return;
  const int other = 1 - my_rank();
  for (const bool replaces : {false, true}) {
    for (int round = 0; round < 3; ++round) {
      auto out = message(my_rank(), round, bytes);
      std::vector<unsigned char> into(bytes, 0);
      std::vector<unsigned char>& in = replaces ? out : into;
      MPI_Status status{};
      lapwing_token* const sending = (replaces ? lapwing_pair_copy : lapwing_pair_send)(
          out.data(), count, MPI_BYTE, other, round, MPI_COMM_WORLD);
      lapwing_token* const receiving =
          lapwing_pair_recv(in.data(), count, MPI_BYTE, other, round, MPI_COMM_WORLD, &status);
      if (!starts()) {
        EXPECT_EQ(sending, nullptr);
        EXPECT_EQ(receiving != nullptr, judged()) << "it tells how soon the message is needed";
        EXPECT_TRUE(holds(in, other, round, bytes));
      }
      lapwing_wait(receiving);
      lapwing_wait(sending);
      EXPECT_TRUE(says(status, other, round, bytes));
      EXPECT_TRUE(holds(in, other, round, bytes));
    }
  }
}

// Every other int of a matrix, received into the very ints that are sent.
TEST(Exchange, ACopyIsOfAnyDatatype) {
  MPI_Datatype vector;
  const int wide = 20'000;
  MPI_Type_vector(wide, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  const int rank = my_rank(), right = (rank + 1) % ranks(), left = (rank + ranks() - 1) % ranks();
  std::vector<int> data(2 * wide);
  for (int i = 0; i < 2 * wide; ++i) data[static_cast<std::size_t>(i)] = rank * 1'000'000 + i;
  lapwing_token* const sending = lapwing_pair_copy(data.data(), 1, vector, right, 7, MPI_COMM_WORLD);
  lapwing_token* const receiving =
      lapwing_pair_recv(data.data(), 1, vector, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  lapwing_wait(receiving);
  lapwing_wait(sending);
  for (int i = 0; i < 2 * wide; ++i)
    ASSERT_EQ(data[static_cast<std::size_t>(i)], (i % 2 ? rank : left) * 1'000'000 + i);
  MPI_Type_free(&vector);
}

// The blocking call that was split would have let the sender go on.
TEST(Exchange, ASenderIsNotHeldUpByABarrier) {
  std::vector<unsigned char> in(bytes, 0);
  lapwing_token* token = nullptr;
  if (pair_at_work() && my_rank() == 1) {
    const auto out = message(1, 2, bytes);
    MPI_Ssend(out.data(), count, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
  } else if (pair_at_work()) {
    token = lapwing_start_recv_matched(in.data(), count, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  lapwing_wait(token);
  if (pair_at_work() && my_rank() == 0) {
    EXPECT_TRUE(holds(in, 1, 2, bytes));
  }
}

TEST(Exchange, ACommunicatorMayBeFreedOnceItsMessageIsMatched) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  std::vector<unsigned char> in(bytes, 0), out = message(1, 3, bytes);
  lapwing_token* token = nullptr;
  if (pair_at_work() && my_rank() == 1) {
    token = lapwing_post_send(out.data(), count, MPI_BYTE, 0, 3, own);
  } else if (pair_at_work()) {
    token = lapwing_start_recv_matched(in.data(), count, MPI_BYTE, 1, 3, own, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&own);
  lapwing_wait(token);
  if (pair_at_work() && my_rank() == 0) {
    EXPECT_TRUE(holds(in, 1, 3, bytes));
  }
}

// One thread waits for what the partner sends only after the message that another
// thread has matched.
TEST(Exchange, AThreadThatWaitsDoesNotKeepAnothersMessage) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "for the variant with threads";
  if (pair_at_work() && my_rank() == 1) {
    const auto first = message(1, 4, bytes), second = message(1, 5, bytes);
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ssend(first.data(), count, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
    MPI_Ssend(second.data(), count, MPI_BYTE, 0, 5, MPI_COMM_WORLD);
  } else if (pair_at_work()) {
    std::vector<unsigned char> first(bytes, 0), second(bytes, 0);
    lapwing_token* const posted =
        lapwing_post_recv(second.data(), count, MPI_BYTE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::thread waiting([posted] { lapwing_wait(posted); });
    MPI_Send(nullptr, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD);
    lapwing_token* const matched =
        lapwing_start_recv_matched(first.data(), count, MPI_BYTE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    waiting.join();
    lapwing_wait(matched);
    EXPECT_TRUE(holds(first, 1, 4, bytes));
    EXPECT_TRUE(holds(second, 1, 5, bytes));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Receives, packing, sends, as often as the helper learns from.
TEST(Exchange, ReceivesThatSendsFollowArrive) {
  const int size = ranks(), rank = my_rank(), right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int round = 0; round < 12; ++round) {
    std::vector<unsigned char> in(bytes, 0);
    MPI_Request request;
    MPI_Irecv(in.data(), count, MPI_BYTE, left, round, MPI_COMM_WORLD, &request);
    lapwing_defer_receives(1, &request);
    const auto out = message(rank, round, bytes);
    // Once, nothing is sent until what was awaited has come.
    lapwing_token* token = nullptr;
    if (round != 8 || rank > 0)
      token = lapwing_post_send(out.data(), count, MPI_BYTE, right, round, MPI_COMM_WORLD);
    if (round == 8 && rank == 0 && size > 1) {
      lapwing_retire(1, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (round == 8 && rank == 0)
      token = lapwing_post_send(out.data(), count, MPI_BYTE, right, round, MPI_COMM_WORLD);
    lapwing_wait(token);
    lapwing_retire(1, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_TRUE(holds(in, left, round, bytes));
  }
}

}  // namespace
