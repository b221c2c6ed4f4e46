// SPDX-License-Identifier: Apache-2.0
// The calls of the C API between two tasks and within one.
#include <cstdlib>
#include <string>

#include "arrays/calls_fixture.hpp"

namespace lapwing::arrays::testing {
namespace {

TEST_F(Calls, ProducerAndConsumer) {
  if (!pair_) return;
  for (const int strategy : {0, 1, 2, 3, 4}) {
    lapwing_tasks_strategy(tasks_, strategy);
    for (const std::int64_t n : {0, 1, 8, 37, 400}) {
      Array a(task_ == 0 ? rows(n) : columns(n), {mine_}, tasks_);
      for (int turn = 1; turn <= 3; ++turn) {
        if (task_ == 0) {
          a.fill(turn);
          ASSERT_EQ(0, lapwing_array_send(a.local.data(), a.size(), a.distribution, 1, 99, tasks_));
        } else {
          lapwing_array_status status;
          ASSERT_EQ(0, lapwing_array_recv(a.local.data(), a.size(), a.distribution, 0, 99, tasks_, &status));
          EXPECT_EQ(0, a.wrong(turn)) << "n " << n << " strategy " << strategy;
          EXPECT_EQ(0, status.task);
          EXPECT_EQ(99, status.tag);
        }
      }
    }
  }
}

TEST_F(Calls, PersistentInBothDirections) {
  if (!pair_) return;
  for (const int strategy : {1, 2, 3, 4}) {
    lapwing_tasks_strategy(tasks_, strategy);
    for (const std::int64_t n : {16, 300}) {
      Array out(rows(n), {mine_}, tasks_), in(columns(n), {mine_}, tasks_);
      lapwing_array_request* requests[2];
      ASSERT_EQ(0, lapwing_array_send_init(out.local.data(), out.size(), out.distribution, 1 - task_, 7,
                                           tasks_, &requests[0]));
      ASSERT_EQ(0, lapwing_array_recv_init(in.local.data(), in.size(), in.distribution, 1 - task_, 7, tasks_,
                                           &requests[1]));
      for (int turn = 1; turn <= 4; ++turn) {
        out.fill(turn + task_);
        in.clear();
        ASSERT_EQ(0, lapwing_array_startall(2, requests));
        ASSERT_EQ(0, lapwing_array_waitall(2, requests, nullptr));
        EXPECT_EQ(0, in.wrong(turn + 1 - task_));
        ASSERT_NE(nullptr, requests[0]);
      }
      lapwing_array_request_free(&requests[0]);
      lapwing_array_request_free(&requests[1]);
    }
  }
}

TEST_F(Calls, TagsAreMatchedInOrder) {
  if (!pair_) return;
  constexpr int messages = 12;
  std::vector<std::unique_ptr<Array>> arrays;
  std::vector<lapwing_array_request*> requests(messages);
  for (int i = 0; i < messages; ++i)
    arrays.push_back(
        std::make_unique<Array>(task_ == 0 ? rows(20) : columns(20), std::vector<int>{mine_}, tasks_));
  for (int i = 0; i < messages; ++i) {
    Array& a = *arrays[static_cast<std::size_t>(i)];
    auto* request = &requests[static_cast<std::size_t>(i)];
    if (task_ == 0) {
      a.fill(i + 1);
      ASSERT_EQ(0, lapwing_array_isend(a.local.data(), a.size(), a.distribution, 1, i % 3, tasks_, request));
    } else {
      // Tags 2, 1, 0; then what is left, in order.
      const int tag = i < 6 ? 2 - i / 2 : LAPWING_ANY_TAG;
      ASSERT_EQ(0, lapwing_array_irecv(a.local.data(), a.size(), a.distribution, 0, tag, tasks_, request));
    }
  }
  std::vector<lapwing_array_status> statuses(messages);
  ASSERT_EQ(0, lapwing_array_waitall(messages, requests.data(), statuses.data()));
  if (task_ == 0) return;
  const int expected[messages] = {2, 5, 1, 4, 0, 3, 6, 7, 8, 9, 10, 11};
  for (int i = 0; i < messages; ++i) {
    EXPECT_EQ(0, arrays[static_cast<std::size_t>(i)]->wrong(expected[i] + 1)) << "receive " << i;
    EXPECT_EQ(expected[i] % 3, statuses[static_cast<std::size_t>(i)].tag);
  }
}

TEST_F(Calls, AnyTaskOfThree) {
  if (size_ < 3) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  lapwing_tasks* three = nullptr;
  ASSERT_EQ(0, lapwing_tasks_create(MPI_COMM_WORLD, rank % 3, &three));
  const int task = lapwing_tasks_rank(three), mine = lapwing_tasks_processes(three, task);
  constexpr int messages = 8;
  Array a({lapwing_cyclic(50, task + 1, 0)}, {mine}, three);
  if (task != 0) {
    for (int i = 1; i <= messages; ++i) {
      a.fill(task * 100 + i);
      ASSERT_EQ(0, lapwing_array_send(a.local.data(), a.size(), a.distribution, 0, i % 2, three));
    }
  } else {
    int seen[3] = {0, 0, 0};
    for (int i = 0; i < 2 * messages; ++i) {
      lapwing_array_status status;
      // Some name their task once one of that task is known to be left.
      const int source = i % 3 == 2 && seen[1] < messages ? 1 : LAPWING_ANY_TASK;
      ASSERT_EQ(0, lapwing_array_recv(a.local.data(), a.size(), a.distribution, source, LAPWING_ANY_TAG,
                                      three, &status));
      ASSERT_TRUE(status.task == 1 || status.task == 2);
      const int number = ++seen[status.task];
      EXPECT_EQ(0, a.wrong(status.task * 100 + number));
      EXPECT_EQ(number % 2, status.tag);
      int first = status.task;
      MPI_Bcast(&first, 1, MPI_INT, 0, lapwing_tasks_comm(three));
      EXPECT_EQ(first, status.task) << "processes of one task disagree";
    }
    EXPECT_EQ(messages, seen[1]);
    EXPECT_EQ(messages, seen[2]);
  }
  ASSERT_EQ(0, lapwing_tasks_free(&three));
}

TEST_F(Calls, AnyTaskBesideNamedOnes) {
  if (!pair_) return;
  constexpr int messages = 9;
  std::vector<std::unique_ptr<Array>> arrays;
  std::vector<lapwing_array_request*> requests(messages);
  for (int i = 0; i < messages; ++i) {
    arrays.push_back(
        std::make_unique<Array>(task_ == 0 ? rows(20) : columns(20), std::vector<int>{mine_}, tasks_));
    Array& a = *arrays.back();
    auto* request = &requests[static_cast<std::size_t>(i)];
    if (task_ == 0) {
      a.fill(i + 1);
      lapwing_array_isend(a.local.data(), a.size(), a.distribution, 1, 5, tasks_, request);
    } else {
      lapwing_array_irecv(a.local.data(), a.size(), a.distribution, i % 3 == 1 ? LAPWING_ANY_TASK : 0,
                          i % 2 ? 5 : LAPWING_ANY_TAG, tasks_, request);
    }
  }
  ASSERT_EQ(0, lapwing_array_waitall(messages, requests.data(), nullptr));
  for (int i = 0; task_ == 1 && i < messages; ++i)
    EXPECT_EQ(0, arrays[static_cast<std::size_t>(i)]->wrong(i + 1)) << "receive " << i;
}

TEST_F(Calls, SendrecvTestAndWaitany) {
  if (!pair_) return;
  Array out(rows(64), {mine_}, tasks_), in(columns(64), {mine_}, tasks_);
  out.fill(task_ + 1);
  lapwing_array_status status;
  ASSERT_EQ(
      0, lapwing_array_sendrecv(out.local.data(), out.size(), out.distribution, 1 - task_, 1, in.local.data(),
                                in.size(), in.distribution, 1 - task_, 1, tasks_, &status));
  EXPECT_EQ(0, in.wrong(2 - task_));
  lapwing_array_request* requests[3] = {nullptr, nullptr, nullptr};
  in.clear();
  lapwing_array_irecv(in.local.data(), in.size(), in.distribution, 1 - task_, 2, tasks_, &requests[0]);
  lapwing_array_isend(out.local.data(), out.size(), out.distribution, 1 - task_, 2, tasks_, &requests[2]);
  int done = 0;
  for (int index = 0; done < 2; ++done) ASSERT_EQ(0, lapwing_array_waitany(3, requests, &index, &status));
  int index = 0;
  lapwing_array_waitany(3, requests, &index, nullptr);
  EXPECT_EQ(-1, index);
  EXPECT_EQ(0, in.wrong(2 - task_));
  in.clear();
  lapwing_array_irecv(in.local.data(), in.size(), in.distribution, 1 - task_, 2, tasks_, &requests[0]);
  lapwing_array_isend(out.local.data(), out.size(), out.distribution, 1 - task_, 2, tasks_, &requests[2]);
  for (done = 0; !done;) ASSERT_EQ(0, lapwing_array_test(&requests[0], &done, &status));
  for (done = 0; !done;) ASSERT_EQ(0, lapwing_array_testall(3, requests, &done, nullptr));
  EXPECT_EQ(nullptr, requests[2]);
  EXPECT_EQ(0, in.wrong(2 - task_));
}

TEST_F(Calls, BufferedSendsDoNotWait) {
  if (!pair_) return;
  Array out(rows(64), {mine_}, tasks_), in(columns(64), {mine_}, tasks_);
  std::int64_t each = 0;
  ASSERT_EQ(0, lapwing_array_pack_size(out.distribution, tasks_, &each));
  std::vector<char> buffer(static_cast<std::size_t>(3 * each) + 1);
  ASSERT_EQ(0, lapwing_array_buffer_attach(buffer.data(), static_cast<std::int64_t>(buffer.size())));
  // Both tasks send first: without a buffer this may wait for ever.
  for (int round = 0; round < 4; ++round) {
    for (int i = 1; i <= 3; ++i) {
      out.fill(i + task_);
      ASSERT_EQ(0, lapwing_array_bsend(out.local.data(), out.size(), out.distribution, 1 - task_, i, tasks_));
      out.clear();
    }
    for (int i = 3; i >= 1; --i) {
      ASSERT_EQ(
          0, lapwing_array_recv(in.local.data(), in.size(), in.distribution, 1 - task_, i, tasks_, nullptr));
      EXPECT_EQ(0, in.wrong(i + 1 - task_));
    }
    void* address = nullptr;
    std::int64_t bytes = 0;
    ASSERT_EQ(0, lapwing_array_buffer_detach(&address, &bytes));
    EXPECT_EQ(buffer.data(), address);
    ASSERT_EQ(0, lapwing_array_buffer_attach(address, bytes));
  }
  void* address = nullptr;
  std::int64_t bytes = 0;
  lapwing_array_buffer_detach(&address, &bytes);
}

TEST_F(Calls, WithinATask) {
  for (const std::int64_t n : {0, 3, 50, 300}) {
    Array from(rows(n), {mine_}, tasks_), to(columns(n), {mine_}, tasks_, LAPWING_COLUMN_MAJOR);
    from.fill(3);
    ASSERT_EQ(0, lapwing_array_redistribute(from.local.data(), from.size(), from.distribution,
                                            to.local.data(), to.size(), to.distribution, tasks_));
    EXPECT_EQ(0, to.wrong(3));
    // Transposed twice, it is what it was.
    const std::int64_t zero[] = {0, 0}, all[] = {n, n};
    const int swapped[] = {1, 0};
    Array turned(rows(n), {mine_}, tasks_);
    lapwing_distribution* transposed = nullptr;
    ASSERT_EQ(0, lapwing_distribution_section(turned.distribution, zero, all, nullptr, swapped, &transposed));
    ASSERT_EQ(0, lapwing_array_redistribute(to.local.data(), to.size(), to.distribution, turned.local.data(),
                                            turned.size(), transposed, tasks_));
    int wrong = 0;
    turned.each([&](const auto& index, double& here) {
      wrong += here != Array::value({index[1], index[0]}, 3);
    });
    EXPECT_EQ(0, wrong);
    lapwing_array_request* request = nullptr;
    Array back(columns(n), {mine_}, tasks_);
    lapwing_distribution* again = nullptr;
    ASSERT_EQ(0, lapwing_distribution_section(back.distribution, zero, all, nullptr, swapped, &again));
    ASSERT_EQ(0, lapwing_array_redistribute_init(turned.local.data(), turned.size(), turned.distribution,
                                                 back.local.data(), back.size(), again, tasks_, &request));
    for (int turn = 0; turn < 3; ++turn) {
      back.clear();
      ASSERT_EQ(0, lapwing_array_start(request));
      ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
      EXPECT_EQ(0, back.wrong(3));
    }
    lapwing_array_request_free(&request);
    lapwing_distribution_free(&transposed);
    lapwing_distribution_free(&again);
  }
}

TEST_F(Calls, SeveralArraysAreOneTransfer) {
  if (!pair_) return;
  for (const std::int64_t n : {6, 250}) {
    Array a(task_ == 0 ? rows(n) : columns(n), {mine_}, tasks_),
        b(task_ == 0 ? columns(n) : rows(n), {mine_}, tasks_);
    Array c({lapwing_cyclic(5, 1, 0)}, {mine_}, tasks_);
    const lapwing_distribution* distributions[] = {a.distribution, b.distribution, c.distribution};
    const std::int64_t sizes[] = {a.size(), b.size(), c.size()};
    void* locals[] = {a.local.data(), b.local.data(), c.local.data()};
    lapwing_array_request* request = nullptr;
    if (task_ == 0) {
      a.fill(1), b.fill(2), c.fill(3);
      ASSERT_EQ(0, lapwing_array_isend_many(3, locals, sizes, distributions, 1, 0, tasks_, &request));
    } else {
      ASSERT_EQ(0, lapwing_array_irecv_many(3, locals, sizes, distributions, 0, 0, tasks_, &request));
    }
    ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
    EXPECT_EQ(0, a.wrong(1) + b.wrong(2) + c.wrong(3));
  }
}

TEST_F(Calls, CommunicatorsOfTasksAreApart) {
  if (!pair_) return;
  lapwing_tasks* other = nullptr;
  ASSERT_EQ(0, lapwing_tasks_dup(tasks_, &other));
  Array a(task_ == 0 ? rows(30) : columns(30), {mine_}, tasks_),
      b(task_ == 0 ? rows(30) : columns(30), {mine_}, tasks_);
  lapwing_array_request* requests[2];
  if (task_ == 0) {
    a.fill(1), b.fill(2);
    lapwing_array_isend(a.local.data(), a.size(), a.distribution, 1, 0, tasks_, &requests[0]);
    lapwing_array_isend(b.local.data(), b.size(), b.distribution, 1, 0, other, &requests[1]);
  } else {
    lapwing_array_irecv(b.local.data(), b.size(), b.distribution, 0, 0, other, &requests[1]);
    lapwing_array_irecv(a.local.data(), a.size(), a.distribution, 0, 0, tasks_, &requests[0]);
  }
  ASSERT_EQ(0, lapwing_array_waitall(2, requests, nullptr));
  EXPECT_EQ(0, a.wrong(1) + b.wrong(2));
  ASSERT_EQ(0, lapwing_tasks_free(&other));
}

TEST_F(Calls, ExchangeSendsNoMoreThanNeeded) {
  if (!pair_) return;
  Array a(task_ == 0 ? rows(40) : columns(40), {mine_}, tasks_);
  const int other = lapwing_tasks_processes(tasks_, 1 - task_), me = lapwing_tasks_process_rank(tasks_);
  lapwing_tasks_strategy(tasks_, LAPWING_STRATEGY_PARALLEL);
  lapwing_tasks_time_steps(tasks_, 1);
  if (task_ == 0)
    lapwing_array_send(a.local.data(), a.size(), a.distribution, 1, 0, tasks_);
  else
    lapwing_array_recv(a.local.data(), a.size(), a.distribution, 0, 0, tasks_, nullptr);
  lapwing_array_steps steps;
  lapwing_tasks_steps(tasks_, &steps);
  const int descriptors = other / mine_ + (me < other % mine_ ? 1 : 0);
  EXPECT_EQ(static_cast<std::uint64_t>(descriptors + (task_ == 0 ? other : 0)), steps.messages);
  EXPECT_EQ(1u, steps.transfers);
  EXPECT_GT(steps.inquiry_ns, 0u);
  EXPECT_GT(steps.schedule_ns, 0u);
  lapwing_tasks_time_steps(tasks_, 0);
}

}  // namespace
}  // namespace lapwing::arrays::testing
