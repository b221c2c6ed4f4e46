// SPDX-License-Identifier: Apache-2.0
// Starts and waits by hand: every way to send against every way to receive,
// over the thresholds; statuses, wildcards, nobody, ourselves, the queue.
#include "compiled/common.hpp"

namespace {

struct Send {
  const char* name;
  StartSend start;
  bool posts;
};
struct Receive {
  const char* name;
  StartReceive start;
  bool posts;
};
const Send sends[] = {{"start_send", lapwing_start_send, false},
                      {"start_ssend", lapwing_start_ssend, false},
                      {"post_send", lapwing_post_send, true},
                      {"post_ssend", lapwing_post_ssend, true}};
const Receive receives[] = {{"start_recv", lapwing_start_recv, false},
                            {"start_recv_matched", lapwing_start_recv_matched, false},
                            {"post_recv", lapwing_post_recv, true},
                            {"pair_recv", lapwing_pair_recv, true},
                            {"pair_recv_matched", lapwing_pair_recv_matched, false}};
// 8288 bytes are the size of a header; 16 KiB is the threshold.
const std::size_t sizes[] = {0, 8, 4096, 8288, 16383, 16384, 65536, 300001, 1 << 20};

// MPICH's receives from nobody share a request, of which only MPI_Sendrecv sets the status.
TEST(Starts, AnExchangeWithNobodyLeavesWhatMpiLeaves) {
  MPI_Status status{};
  lapwing_wait(lapwing_pair_recv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
  EXPECT_TRUE(says(status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
  MPI_Request request;
  MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
  status.MPI_SOURCE = status.MPI_TAG = 0;
  MPI_Wait(&request, &status);
  EXPECT_TRUE(says(status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
}

TEST(Starts, EveryPairOfWaysAndSizes) {
  const int size = ranks(), rank = my_rank();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int tag = 0;
  for (const Send& send : sends) {
    for (const Receive& receive : receives) {
      if (size == 1 && !send.posts && !receive.posts) continue;  // a send to ourselves may wait for us
      for (const std::size_t bytes : sizes) {
        SCOPED_TRACE(std::string(send.name) + ", " + receive.name + ", " + std::to_string(bytes));
        ++tag;
        std::vector<unsigned char> out = message(rank, tag, bytes), in(bytes + 100, 0);
        MPI_Status status{};
        lapwing_token *sending = nullptr, *receiving = nullptr;
        auto post = [&] {
          receiving = receive.start(in.data(), static_cast<int>(in.size()), MPI_BYTE, left, tag,
                                    MPI_COMM_WORLD, &status);
          // Complete at once, whatever has landed.
          if (receive.start == lapwing_start_recv_matched || receive.start == lapwing_pair_recv_matched) {
            EXPECT_TRUE(says(status, left, tag, bytes));
          }
        };
        const bool first = receive.posts || (rank % 2 == 1 && size > 1);
        if (first) post();
        sending = send.start(out.data(), static_cast<int>(bytes), MPI_BYTE, right, tag, MPI_COMM_WORLD);
        if (!first) post();
        if (tag % 2) lapwing_wait(sending);
        lapwing_wait(receiving);
        if (tag % 2 == 0) lapwing_wait(sending);
        EXPECT_TRUE(says(status, left, tag, bytes));
        EXPECT_TRUE(holds(in, left, tag, bytes));
      }
    }
  }
}

TEST(Starts, SmallOnesLeaveNothingToWaitFor) {
  char byte = 1, into = 0;
  lapwing_token* receiving =
      lapwing_post_recv(&into, 1, MPI_CHAR, my_rank(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(lapwing_start_send(&byte, 1, MPI_CHAR, my_rank(), 5, MPI_COMM_WORLD), nullptr);
  lapwing_wait(receiving);
  EXPECT_EQ(into, 1);
}

TEST(Starts, LargeOnesReturnAtOnce) {
  if (ranks() < 2 || my_rank() > 1) return;
  if (!starts()) GTEST_SKIP() << "all starts are the blocking calls";
  // Both send first: blocking calls would wait for each other.
  const int other = 1 - my_rank();
  const std::size_t bytes = 1 << 20;
  const auto out = message(my_rank(), 3, bytes);
  std::vector<unsigned char> in(bytes);
  lapwing_token* sending =
      lapwing_start_ssend(out.data(), static_cast<int>(bytes), MPI_BYTE, other, 3, MPI_COMM_WORLD);
  EXPECT_NE(sending, nullptr);
  // Neither receives before both have started: a send that is met is over at once.
  MPI_Sendrecv(nullptr, 0, MPI_BYTE, other, 4, nullptr, 0, MPI_BYTE, other, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  lapwing_wait(lapwing_start_recv(in.data(), static_cast<int>(bytes), MPI_BYTE, other, 3, MPI_COMM_WORLD,
                                  MPI_STATUS_IGNORE));
  lapwing_wait(sending);
  EXPECT_TRUE(holds(in, other, 3, bytes));
}

TEST(Starts, ErrorFieldIsLeftAloneAsByAReceive) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{100'000}}) {
    for (const Receive& receive : receives) {
      const auto out = message(0, 1, bytes);
      std::vector<unsigned char> in(bytes);
      MPI_Status status{};
      status.MPI_ERROR = 4711;
      lapwing_token* sending =
          lapwing_post_send(out.data(), static_cast<int>(bytes), MPI_BYTE, my_rank(), 8, MPI_COMM_WORLD);
      lapwing_wait(
          receive.start(in.data(), static_cast<int>(bytes), MPI_BYTE, my_rank(), 8, MPI_COMM_WORLD, &status));
      lapwing_wait(sending);
      EXPECT_EQ(status.MPI_ERROR, 4711) << receive.name << " of " << bytes;
    }
  }
}

TEST(Starts, Wildcards) {
  for (const std::size_t bytes : {std::size_t{40}, std::size_t{200'000}}) {
    for (const Receive& receive : receives) {
      if (my_rank() != 0) {
        const auto out = message(my_rank(), 20 + my_rank(), bytes);
        lapwing_wait(lapwing_start_send(out.data(), static_cast<int>(bytes), MPI_BYTE, 0, 20 + my_rank(),
                                        MPI_COMM_WORLD));
      }
      std::vector<bool> seen(static_cast<std::size_t>(ranks()));
      for (int i = 1; my_rank() == 0 && i < ranks(); ++i) {
        std::vector<unsigned char> in(bytes + 1);
        MPI_Status status{};
        lapwing_wait(receive.start(in.data(), static_cast<int>(in.size()), MPI_BYTE, MPI_ANY_SOURCE,
                                   MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        ASSERT_GT(status.MPI_SOURCE, 0);
        ASSERT_LT(status.MPI_SOURCE, ranks());
        EXPECT_TRUE(says(status, status.MPI_SOURCE, 20 + status.MPI_SOURCE, bytes));
        EXPECT_TRUE(holds(in, status.MPI_SOURCE, status.MPI_TAG, bytes));
        EXPECT_FALSE(seen[static_cast<std::size_t>(status.MPI_SOURCE)]);
        seen[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

TEST(Starts, Nobody) {
  std::vector<unsigned char> data(100'000);
  for (const Send& send : sends)
    EXPECT_EQ(send.start(data.data(), 100'000, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD), nullptr);
  for (const Receive& receive : receives) {
    MPI_Status status{};
    EXPECT_EQ(receive.start(data.data(), 100'000, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status),
              nullptr);
    EXPECT_TRUE(says(status, MPI_PROC_NULL, MPI_ANY_TAG, 0)) << receive.name;
  }
}

// Into the very bytes that are sent.
TEST(Starts, ACopyOfEverySizeIsReceivedOver) {
  const int size = ranks(), rank = my_rank();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int tag = 0;
  for (const StartReceive start : {lapwing_pair_recv, lapwing_pair_recv_matched}) {
    for (const std::size_t bytes : sizes) {
      SCOPED_TRACE(bytes);
      ++tag;
      const int count = static_cast<int>(bytes);
      std::vector<unsigned char> data = message(rank, tag, bytes);
      MPI_Status status{};
      lapwing_token* const sending =
          lapwing_pair_copy(data.data(), count, MPI_BYTE, right, tag, MPI_COMM_WORLD);
      lapwing_token* const receiving =
          start(data.data(), count, MPI_BYTE, left, tag, MPI_COMM_WORLD, &status);
      lapwing_wait(receiving);
      lapwing_wait(sending);
      EXPECT_TRUE(says(status, left, tag, bytes));
      EXPECT_TRUE(holds(data, left, tag, bytes));
    }
  }
}

TEST(Starts, Datatypes) {
  // Every other int of a matrix, and as many in a row.
  MPI_Datatype vector;
  const int count = 20'000;
  MPI_Type_vector(count, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  const int rank = my_rank(), right = (rank + 1) % ranks(), left = (rank + ranks() - 1) % ranks();
  for (StartSend send : {lapwing_post_send, lapwing_post_ssend}) {
    std::vector<int> out(2 * count), in(2 * count, -1), run(count, -1);
    for (int i = 0; i < 2 * count; ++i) out[static_cast<std::size_t>(i)] = rank * 1'000'000 + i;
    lapwing_token* first =
        lapwing_post_recv(in.data(), 1, vector, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    lapwing_token* second =
        lapwing_post_recv(run.data(), count, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    lapwing_token* third = send(out.data(), 1, vector, right, 1, MPI_COMM_WORLD);
    lapwing_token* fourth = send(out.data(), 1, vector, right, 2, MPI_COMM_WORLD);
    for (lapwing_token* token : {first, second, third, fourth}) lapwing_wait(token);
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(in[2 * at], left * 1'000'000 + 2 * i);
      ASSERT_EQ(in[2 * at + 1], -1);
      ASSERT_EQ(run[at], left * 1'000'000 + 2 * i);
    }
  }
  MPI_Type_free(&vector);
}

TEST(Queue, HoldsSixteenAndRetiresTheOldest) {
  const std::size_t bytes = 40'000;
  const int messages = 40, rank = my_rank(), right = (rank + 1) % ranks(),
            left = (rank + ranks() - 1) % ranks();
  std::vector<std::vector<unsigned char>> out, in(messages, std::vector<unsigned char>(bytes));
  lapwing_queue receiving{}, sending{};
  for (int i = 0; i < messages; ++i) out.push_back(message(rank, i, bytes));
  // No more in flight than a queue holds: its oldest waits for its message.
  for (int i = 0; i < messages; ++i) {
    lapwing_push(&receiving,
                 lapwing_post_recv(in[static_cast<std::size_t>(i)].data(), static_cast<int>(bytes), MPI_BYTE,
                                   left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    lapwing_push(&sending, lapwing_post_send(out[static_cast<std::size_t>(i)].data(), static_cast<int>(bytes),
                                             MPI_BYTE, right, i, MPI_COMM_WORLD));
    lapwing_push(&receiving, nullptr);
    EXPECT_LE(receiving.i_cnt - receiving.w_cnt, unsigned{LAPWING_QUEUE});
    EXPECT_LE(sending.i_cnt - sending.w_cnt, unsigned{LAPWING_QUEUE});
  }
  lapwing_drain(&receiving);
  lapwing_drain(&sending);
  EXPECT_EQ(receiving.i_cnt, receiving.w_cnt);
  lapwing_drain(&receiving);
  for (int i = 0; i < messages; ++i) EXPECT_TRUE(holds(in[static_cast<std::size_t>(i)], left, i, bytes)) << i;
}

}  // namespace
