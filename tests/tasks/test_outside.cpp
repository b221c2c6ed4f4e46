// SPDX-License-Identifier: Apache-2.0
// MPI's calls in tasks: who waits in one does not hold a worker.
#include <gtest/gtest.h>
#include <mpi.h>
#include <lapwing/tasks.hpp>

#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tasks/workers.hpp"

using namespace lapwing::tasks;

namespace {

int rank_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}
int after() { return (rank_of() + 1) % size_of(); }
int before() { return (rank_of() + size_of() - 1) % size_of(); }

template <class Body>
void task(Body body) {
  withonly([](Access&) {}, body);
}

// Each rank runs the whole program; the tasks of all talk to each other.
class Outside : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    int level = 0;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI gives no MPI_THREAD_MULTIPLE";
    MPI_Barrier(MPI_COMM_WORLD);
  }
  static Options options() {
    Options o = with_workers(GetParam());
    o.ranks = false;
    return o;
  }
  static int many() { return 4 * GetParam(); }
};

TEST_P(Outside, ReceivesComeBeforeTheTasksThatSend) {
  std::vector<int> got(static_cast<std::size_t>(many()), -1);
  run(options(), [&] {
    for (int i = 0; i < many(); ++i) {
      task([&got, i] {
        MPI_Status status;
        int& value = got[static_cast<std::size_t>(i)];
        MPI_Recv(&value, 1, MPI_INT, before(), i, MPI_COMM_WORLD, &status);
        EXPECT_EQ(status.MPI_SOURCE, before());
        EXPECT_EQ(status.MPI_TAG, i);
      });
    }
    for (int i = many() - 1; i >= 0; --i) {
      task([i] {
        const int value = 100 * rank_of() + i;
        MPI_Ssend(&value, 1, MPI_INT, after(), i, MPI_COMM_WORLD);
      });
    }
  });
  for (int i = 0; i < many(); ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], 100 * before() + i);
}

TEST_P(Outside, LargeMessagesBothWays) {
  constexpr int count = 200'000;
  std::atomic<int> right{0};
  run(options(), [&] {
    for (int i = 0; i < 3; ++i) {
      task([i] {
        std::vector<int> out(count);
        std::iota(out.begin(), out.end(), i);
        MPI_Send(out.data(), count, MPI_INT, after(), i, MPI_COMM_WORLD);
      });
    }
    for (int i = 2; i >= 0; --i) {
      task([&right, i] {
        std::vector<int> in(count);
        MPI_Recv(in.data(), count, MPI_INT, before(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::vector<int> expected(count);
        std::iota(expected.begin(), expected.end(), i);
        if (in == expected) right.fetch_add(1);
      });
    }
  });
  EXPECT_EQ(right.load(), 3);
}

void send_from_a_task(int tag) {
  task([tag] { MPI_Send(&tag, 1, MPI_INT, after(), tag, MPI_COMM_WORLD); });
}

TEST_P(Outside, EveryWayToWaitForMessages) {
  std::atomic<int> done{0};
  run(options(), [&] {
    task([&] {  // Wait
      int in = 0;
      MPI_Request request;
      MPI_Status status;
      MPI_Irecv(&in, 1, MPI_INT, before(), 1, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, &status);
      EXPECT_EQ(in, 1);
      EXPECT_EQ(status.MPI_TAG, 1);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
      done.fetch_add(1);
    });
    task([&] {  // Waitall, Waitany, Waitsome
      int in[6] = {};
      MPI_Request requests[6];
      MPI_Status statuses[6];
      for (int i = 0; i < 6; ++i)
        MPI_Irecv(&in[i], 1, MPI_INT, before(), 10 + i, MPI_COMM_WORLD, &requests[i]);
      int index = -1, outcount = 0, indices[6];
      MPI_Waitany(2, requests, &index, &statuses[0]);
      EXPECT_EQ(statuses[0].MPI_TAG, 10 + index);
      MPI_Waitsome(2, requests, &outcount, indices, statuses);
      EXPECT_EQ(outcount, 1);
      EXPECT_EQ(indices[0], 1 - index);
      MPI_Waitsome(2, requests, &outcount, indices, statuses);
      EXPECT_EQ(outcount, MPI_UNDEFINED);
      MPI_Waitall(4, requests + 2, statuses);
      for (int i = 0; i < 6; ++i) EXPECT_EQ(in[i], 10 + i);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(statuses[i].MPI_TAG, 12 + i);
      done.fetch_add(1);
    });
    task([&] {  // Probe
      MPI_Status status;
      MPI_Probe(before(), 20, MPI_COMM_WORLD, &status);
      int count = 0, in = 0;
      MPI_Get_count(&status, MPI_INT, &count);
      EXPECT_EQ(count, 1);
      MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, 20);
      done.fetch_add(1);
    });
    task([&] {  // Mprobe, Mrecv
      MPI_Message message;
      MPI_Status status;
      int in = 0;
      MPI_Mprobe(before(), 21, MPI_COMM_WORLD, &message, &status);
      EXPECT_EQ(status.MPI_TAG, 21);
      MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, 21);
      EXPECT_EQ(message, MPI_MESSAGE_NULL);
      done.fetch_add(1);
    });
    task([&] {  // Sendrecv, whose partner is a task behind
      int out = 30, in = 0;
      MPI_Status status;
      MPI_Sendrecv(&out, 1, MPI_INT, after(), 30, &in, 1, MPI_INT, before(), 31, MPI_COMM_WORLD, &status);
      EXPECT_EQ(in, 31);
      EXPECT_EQ(status.MPI_TAG, 31);
      MPI_Sendrecv_replace(&out, 1, MPI_INT, after(), 32, before(), 33, MPI_COMM_WORLD, &status);
      EXPECT_EQ(out, 33);
      done.fetch_add(1);
    });
    task([&] {
      int in = 0;
      MPI_Recv(&in, 1, MPI_INT, before(), 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, 30);
      MPI_Recv(&in, 1, MPI_INT, before(), 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, 30);
      done.fetch_add(1);
    });
    for (const int tag : {33, 31, 21, 20, 15, 14, 13, 12, 11, 10, 1}) send_from_a_task(tag);
  });
  EXPECT_EQ(done.load(), 6);
}

TEST_P(Outside, CollectivesInAnyOrderOfTasks) {
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(many()));
  for (auto& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<int> sums(comms.size());
  run(options(), [&] {
    for (int i = 0; i < many(); ++i) {
      const int which = rank_of() % 2 == 0 ? i : many() - 1 - i;
      task([&, which] {
        const auto at = static_cast<std::size_t>(which);
        MPI_Barrier(comms[at]);
        const int mine = which + rank_of();
        MPI_Allreduce(&mine, &sums[at], 1, MPI_INT, MPI_SUM, comms[at]);
      });
    }
  });
  const int all = size_of();
  for (int i = 0; i < many(); ++i) {
    EXPECT_EQ(sums[static_cast<std::size_t>(i)], all * i + all * (all - 1) / 2);
    MPI_Comm_free(&comms[static_cast<std::size_t>(i)]);
  }
}

TEST_P(Outside, ObjectsAreWaitedForBehindMessages) {
  int result = 0;
  run(options(), [&] {
    auto x = create<int>(0);
    withonly([&](Access& a) { a.rd_wr(x); },
             [x] { MPI_Recv(&*read_write(x), 1, MPI_INT, before(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    withonly([&](Access& a) { a.rd_wr(x); }, [x] { *read_write(x) += 5; });
    send_from_a_task(1);
    result = *read(x);
  });
  EXPECT_EQ(result, 6);
}

TEST_P(Outside, TasksOfTasks) {
  std::atomic<int> sum{0};
  run(options(), [&] {
    for (int outer = 0; outer < 3; ++outer) {
      auto x = create<int>(0);
      withonly([&](Access& a) { a.rd_wr(x); },
               [&sum, x, outer] {
                 withonly([&](Access& a) { a.rd_wr(x); },
                          [x, outer] {
                            MPI_Recv(&*read_write(x), 1, MPI_INT, before(), outer, MPI_COMM_WORLD,
                                     MPI_STATUS_IGNORE);
                          });
                 sum.fetch_add(*read(x));
                 MPI_Recv(&*read_write(x), 1, MPI_INT, before(), 10 + outer, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);
                 sum.fetch_add(*read(x));
               });
    }
    for (int outer = 2; outer >= 0; --outer) {
      send_from_a_task(10 + outer);
      send_from_a_task(outer);
    }
  });
  EXPECT_EQ(sum.load(), 0 + 1 + 2 + 10 + 11 + 12);
}

TEST_P(Outside, TheMainProgramReceives) {
  int in = 0;
  run(options(), [&] {
    send_from_a_task(3);
    MPI_Recv(&in, 1, MPI_INT, before(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(in, 3);
}

// A task that waited there would keep the main program, which may have to send to it, from going on.
TEST_P(Outside, NoTaskRunsOnTheThreadOfTheMainProgram) {
  constexpr int waits = 200;
  std::atomic<int> on_main{0};
  long sum = 0;
  run(options(), [&] {
    const auto main_thread = std::this_thread::get_id();
    const auto value = create<long>(0);
    for (int i = 0; i < waits; ++i) {
      spawn(
          [&on_main, main_thread](long& x) {
            if (std::this_thread::get_id() == main_thread) ++on_main;
            ++x;
          },
          read_write(value));
      sum += *read(value);
    }
  });
  EXPECT_EQ(on_main.load(), 0);
  EXPECT_EQ(sum, long{waits} * (waits + 1) / 2);
}

// The task waits for what the main program sends, and the main program for another task.
TEST_P(Outside, TheMainProgramGoesOnBesideATaskThatWaitsForIt) {
  constexpr int rounds = 50;
  std::atomic<long> got{0};
  run(options(), [&] {
    const auto value = create<long>(0);
    for (int i = 0; i < rounds; ++i) {
      task([&got, i] {
        int in = 0;
        MPI_Recv(&in, 1, MPI_INT, before(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        got += in;
      });
      spawn([](long& x) { ++x; }, read_write(value));
      EXPECT_EQ(*read(value), i + 1);
      MPI_Send(&i, 1, MPI_INT, after(), i, MPI_COMM_WORLD);
    }
  });
  EXPECT_EQ(got.load(), rounds * (rounds - 1) / 2);
}

TEST_P(Outside, ErrorsAndExceptionsComeOut) {
  // A message to oneself that is too long: Open MPI 4.1 calls it a success, MPICH 4.0 keeps a lock.
  if (size_of() == 1) GTEST_SKIP() << "these MPIs do not report a message to oneself that is too long";
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int kind = MPI_SUCCESS;
  try {
    run(options(), [&] {
      task([&] {  // first: a task behind the one that fails might be skipped
        const int out[2] = {1, 2};
        MPI_Send(out, 2, MPI_INT, after(), 4, comm);
      });
      task([&] {
        int in = 0;
        const int error = MPI_Recv(&in, 1, MPI_INT, before(), 4, comm, MPI_STATUS_IGNORE);
        MPI_Error_class(error, &kind);
        throw std::runtime_error("truncated");
      });
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const TaskError& error) {
    EXPECT_NE(std::string(error.what()).find("truncated"), std::string::npos);
  }
  EXPECT_EQ(kind, MPI_ERR_TRUNCATE);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

TEST_P(Outside, CallsThatDoNotWaitStayWhereTheyAre) {
  run(options(), [&] {
    for (int i = 0; i < 200; ++i) {
      task([i] {
        int in = -1;
        MPI_Request request;
        MPI_Isend(&i, 1, MPI_INT, rank_of(), i, MPI_COMM_WORLD, &request);
        MPI_Recv(&in, 1, MPI_INT, rank_of(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(in, i);
      });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, Outside, testing::Values(1, 2));

// The ranks run one program together: the runtime's own messages travel while tasks wait for the program's.
TEST(Together, TasksOnRanksTalkToEachOther) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI gives no MPI_THREAD_MULTIPLE";
  for (const int each : {1, 2}) {
    int sum = 0;
    run(with_workers(each), [&] {
      const int here = workers() / size_of();
      std::vector<shared<int>> got;
      for (int i = 0; i < 4 * workers(); ++i) {
        got.push_back(create<int>(0));
        const auto x = got.back();
        spawn(
            [](int& in, int tag) {
              MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            },
            read_write(x), i, on(i % workers()));
      }
      for (int i = 4 * workers() - 1; i >= 0; --i) {
        const int to = i % workers() / here, from = (i + here) % workers();
        auto y = create<int>(1000 + i);
        spawn(
            [](const int& out, int tag, int rank) { MPI_Send(&out, 1, MPI_INT, rank, tag, MPI_COMM_WORLD); },
            read(y), i, to, on(from));
      }
      for (int i = 0; i < 4 * workers(); ++i) sum += *read(got[static_cast<std::size_t>(i)]) - 1000 - i;
    });
    EXPECT_EQ(sum, 0);
  }
}

// In a program that has asked for less.
TEST(Less, ATaskThatHoldsItsWorkerIsSaidOnce) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this program has MPI_THREAD_MULTIPLE";
  Options o = with_workers(1);
  o.ranks = false;
  testing::internal::CaptureStderr();
  run(o, [] {
    for (int i = 0; i < 2; ++i) {
      task([i] {
        MPI_Request request;
        int in = 0;
        MPI_Isend(&i, 1, MPI_INT, rank_of(), i, MPI_COMM_WORLD, &request);
        MPI_Recv(&in, 1, MPI_INT, rank_of(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      });
    }
  });
  const std::string said = testing::internal::GetCapturedStderr();
  const auto first = said.find("holds its worker meanwhile");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("holds its worker meanwhile", first + 1), std::string::npos) << said;
}

}  // namespace
