// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for something outside of the library and give their workers away meanwhile.
#include <gtest/gtest.h>
#include <lapwing/tasks.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tasks/workers.hpp"

using namespace lapwing::tasks;

namespace {

// Something outside that tasks wait for.
class Event {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

// How many threads run something at a time.
class Running {
 public:
  void enter() {
    const int now = now_.fetch_add(1) + 1;
    for (int most = most_.load(); now > most && !most_.compare_exchange_weak(most, now);) {
    }
  }
  void leave() { now_.fetch_sub(1); }
  int most() const { return most_.load(); }

 private:
  std::atomic<int> now_{0}, most_{0};
};

class Blocking : public testing::TestWithParam<int> {
 protected:
  static Options options(int spare = 64) {
    Options o = with_workers(GetParam());
    o.spare = spare;
    return o;
  }
  static int workers() { return GetParam(); }
};

TEST_P(Blocking, TasksWaitForTasksThatHaveNotBegun) {
  const int pairs = 4 * workers();
  std::vector<Event> events(static_cast<std::size_t>(pairs));
  std::atomic<int> done{0};
  run(options(), [&] {
    for (auto& event : events) {
      withonly([](Access&) {},
               [&] {
                 blocking([&] { event.wait(); });
                 done.fetch_add(1);
               });
    }
    for (auto& event : events) withonly([](Access&) {}, [&] { event.set(); });
  });
  EXPECT_EQ(done.load(), pairs);
}

TEST_P(Blocking, TheMainProgramMayWaitToo) {
  Event event;
  run(options(), [&] {
    withonly([](Access&) {}, [&] { event.set(); });
    blocking([&] { event.wait(); });
  });
}

TEST_P(Blocking, ATaskKeepsItsThreadAndTheMainProgramToo) {
  Event event;
  bool same = false, same_main = false;
  run(options(), [&] {
    const auto main_thread = std::this_thread::get_id();
    withonly([](Access&) {},
             [&] {
               const auto before = std::this_thread::get_id();
               blocking([&] { event.wait(); });
               same = before == std::this_thread::get_id();
             });
    withonly([](Access&) {}, [&] { event.set(); });
    finish();
    same_main = main_thread == std::this_thread::get_id();
  });
  EXPECT_TRUE(same);
  EXPECT_TRUE(same_main);
}

TEST_P(Blocking, AnObjectThatIsWaitedForComesWhenItsTaskDoes) {
  Event event;
  int seen = 0, in_main = 0;
  run(options(), [&] {
    auto x = create<int>(1);
    withonly([&](Access& a) { a.rd_wr(x); },
             [&, x] {
               blocking([&] { event.wait(); });
               *read_write(x) += 1;
             });
    withonly([&](Access& a) { a.rd(x); }, [&, x] { seen = *read(x); });
    withonly([](Access&) {}, [&] { event.set(); });
    in_main = *read(x);
  });
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(in_main, 2);
}

TEST_P(Blocking, TasksOfATaskThatWaitedAndItsOwnWaitsForThem) {
  Event event;
  int seen = 0;
  run(options(), [&] {
    auto x = create<int>(0);
    withonly([&](Access& a) { a.rd_wr(x); },
             [&, x] {
               blocking([&] { event.wait(); });
               for (int i = 0; i < 10; ++i)
                 withonly([&](Access& a) { a.rd_wr(x); }, [x] { *read_write(x) += 1; });
               seen = *read(x);  // waits for the children, without a slot
               blocking([] { std::this_thread::yield(); });
               *read_write(x) += 100;
             });
    withonly([](Access&) {}, [&] { event.set(); });
    EXPECT_EQ(*read(x), 110);
  });
  EXPECT_EQ(seen, 10);
}

TEST_P(Blocking, ExceptionsComeOutOfWaits) {
  Event event;
  try {
    run(options(), [&] {
      withonly([](Access&) {},
               [&] {
                 blocking([&] {
                   event.wait();
                   throw std::runtime_error("outside");
                 });
               });
      withonly([](Access&) {}, [&] { event.set(); });
    });
    FAIL() << "nothing was thrown";
  } catch (const TaskError& error) {
    EXPECT_NE(std::string(error.what()).find("outside"), std::string::npos) << error.what();
  }
}

TEST_P(Blocking, WhereThereIsNoSpareThreadATaskKeepsItsWorker) {
  std::atomic<int> done{0};
  run(options(1), [&] {
    for (int i = 0; i < 50; ++i) {
      withonly([](Access&) {},
               [&] {
                 blocking([] { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
                 done.fetch_add(1);
               });
    }
  });
  EXPECT_EQ(done.load(), 50);
}

TEST_P(Blocking, WithoutSpareThreadsAWaitIsACall) {
  int result = 0;
  run(options(0), [&] { withonly([](Access&) {}, [&] { result = blocking([] { return 7; }); }); });
  EXPECT_EQ(result, 7);
  EXPECT_EQ(blocking([] { return 8; }), 8);
}

// A thread that comes back runs beyond the number asked for, until another one has ended its task.
TEST_P(Blocking, SoonNoMoreThreadsRunThanWorkers) {
  Running running;
  std::atomic<int> begun{0};
  Event event;
  const int waiting = 3 * workers();
  run(options(), [&] {
    for (int i = 0; i < waiting; ++i) {
      withonly([](Access&) {},
               [&] {
                 begun.fetch_add(1);
                 blocking([&] { event.wait(); });
               });
    }
    withonly([](Access&) {},
             [&] {
               while (begun.load() < waiting) blocking([] { std::this_thread::yield(); });
               event.set();
             });
    finish();
    for (int i = 0; i < 100; ++i) {
      withonly([](Access&) {},
               [&] {
                 running.enter();
                 std::this_thread::sleep_for(std::chrono::microseconds(50));
                 running.leave();
               });
    }
  });
  EXPECT_LE(running.most(), workers());
}

TEST_P(Blocking, ManyWaitsInDisorder) {
  constexpr int tasks = 400;
  std::vector<int> results(8, 0);
  for (int round = 0; round < 3; ++round) {
    run(options(16), [&] {
      std::vector<shared<int>> x;
      for (int i = 0; i < 8; ++i) x.push_back(create<int>(0));
      for (int i = 0; i < tasks; ++i) {
        const auto object = x[static_cast<std::size_t>(i % 8)];
        withonly([&](Access& a) { a.rd_wr(object); },
                 [object, i] {
                   if (i % 3 == 0) blocking([] { std::this_thread::yield(); });
                   if (i % 7 == 0)
                     blocking([] { std::this_thread::sleep_for(std::chrono::microseconds(20)); });
                   *read_write(object) += i;
                   if (i % 5 == 0)
                     withonly([&](Access& a) { a.rd_wr(object); }, [object] { *read_write(object) -= 1; });
                   if (i % 10 == 0) {
                     EXPECT_LT(*read(object), 1000000);  // waits for the child
                   }
                 });
      }
      for (std::size_t i = 0; i < 8; ++i) results[i] = *read(x[i]);
    });
    for (int i = 0; i < 8; ++i) {
      int expected = 0;
      for (int task = i; task < tasks; task += 8) expected += task - (task % 5 == 0 ? 1 : 0);
      EXPECT_EQ(results[static_cast<std::size_t>(i)], expected);
    }
  }
}

// The window is full of tasks that wait for one behind it.
TEST_P(Blocking, CreatorsGoOnWhereAllTasksWait) {
  Event event;
  Options o = options();
  o.window = 8;
  run(o, [&] {
    for (int i = 0; i < 30; ++i) withonly([](Access&) {}, [&] { blocking([&] { event.wait(); }); });
    withonly([](Access&) {}, [&] { event.set(); });
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, Blocking, testing::Values(1, 2, 4));

}  // namespace
