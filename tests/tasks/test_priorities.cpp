// SPDX-License-Identifier: Apache-2.0
// The order of tasks with priorities: of those that a worker can run, the highest first.
#include <gtest/gtest.h>
#include <lapwing/tasks.hpp>

#include <algorithm>
#include <atomic>
#include <climits>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "tasks/workers.hpp"

using namespace lapwing::tasks;

namespace {

using Order = std::vector<int>;

TEST(Priorities, HighestFirstThenInOrderOfArrival) {
  Order order;
  run(with_workers(1), [&] {
    const std::vector<int> priorities{0, 3, -1, 2, INT_MAX, 3, -1, 1, INT_MIN, 0};
    std::vector<shared<int>> own;
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      own.push_back(create<int>());
      spawn([&order, i](int&) { order.push_back(static_cast<int>(i)); }, read_write(own[i]),
            priority(priorities[i]));
    }
    finish();
  });
  ASSERT_EQ(order.size(), 10U);
  if (order[5] == 9) std::swap(order[5], order[6]);  // those without a priority have an order of their own
  EXPECT_EQ(order, (Order{4, 1, 5, 3, 7, 0, 9, 2, 6, 8}));
}

TEST(Priorities, AreForTasksThatCanRun) {
  Order order;
  run(with_workers(1), [&] {
    const auto x = create<int>(), y = create<int>();
    const auto note = [&order](int which) { return [&order, which](auto&) { order.push_back(which); }; };
    spawn(note(1), write(x), priority(-5));
    spawn(note(2), read(x), priority(10));  // waits for the first
    spawn(note(3), write(y), priority(1));
    finish();
    EXPECT_EQ(order, (Order{3, 1, 2}));
    order.clear();
    // The end of one makes another one ready that goes before all.
    spawn(note(1), write(x), priority(5));
    for (int i = 0; i < 3; ++i) spawn(note(2), read(y), priority(1));
    spawn(note(3), read(x), priority(9));
    for (int i = 0; i < 3; ++i) spawn(note(4), read(x));
    finish();
    EXPECT_EQ(order, (Order{1, 3, 2, 2, 2, 4, 4, 4}));
  });
}

// One end makes several ready: those without a priority stand first in the object's queue, and the first of
// them would follow on its processor at once.
TEST(Priorities, OfTasksThatBecomeReadyTogether) {
  for (const int placed : {-1, 0}) {
    Order order;
    run(with_workers(1), [&] {
      std::vector<shared<int>> state{create<int>()};
      for (int i = 0; i < 4; ++i) {
        state.push_back(create<int>());
        const auto &before = state[state.size() - 2], &after = state.back();
        spawn([&order, i](int&, int) { order.push_back(i); }, write(after), read(before), priority(1),
              on(placed));
        spawn([&order, i](int) { order.push_back(10 + i); }, read(after));
      }
      finish();
    });
    ASSERT_EQ(order.size(), 8U);
    order.resize(4);
    EXPECT_EQ(order, (Order{0, 1, 2, 3})) << "placed on " << placed;
  }
}

TEST(Priorities, OfPlacedTasksAndOfOthersTogether) {
  Order order;
  run(with_workers(1), [&] {
    std::vector<shared<int>> own;
    for (int i = 0; i < 6; ++i) own.push_back(create<int>());
    const auto note = [&order](int which) { return [&order, which](int&) { order.push_back(which); }; };
    spawn(note(0), write(own[0]), priority(1), on(0));
    spawn(note(1), write(own[1]), priority(4));
    spawn(note(2), write(own[2]), priority(3), on(0));
    spawn(note(3), write(own[3]), priority(2));
    spawn(note(4), write(own[4]), priority(-1), on(0));
    withonly([&](Access& a) { a.wr(own[5]), a.priority(5); }, [&order] { order.push_back(5); });
    finish();
  });
  EXPECT_EQ(order, (Order{5, 1, 2, 3, 0, 4}));
}

TEST(Priorities, OfTheChildrenOfATask) {
  Order order;
  run(with_workers(1), [&] {
    std::vector<shared<int>> own;
    for (int i = 0; i < 4; ++i) own.push_back(create<int>());
    withonly(
        [&](Access& a) {
          for (auto& each : own) a.wr(each);
        },
        [&order, own] {
          for (int i = 0; i < 4; ++i)
            spawn([&order, i](int&) { order.push_back(i); }, write(own[static_cast<std::size_t>(i)]),
                  priority(i % 2 == 0 ? i : 10 - i));
        });
    finish();
  });
  EXPECT_EQ(order, (Order{1, 3, 2, 0}));
}

/// The values of tasks in the order in which each thread met them. All are ready before any may run; those
/// that are not placed stand in one queue.
std::map<std::thread::id, Order> on_several_workers(int workers, int tasks, bool placed) {
  std::mutex lock;
  std::map<std::thread::id, Order> orders;
  Options options = with_workers(workers);
  options.locality = placed;
  run(options, [&] {
    std::atomic<int> blocked{0};
    std::atomic<bool> open{false};
    for (int w = 1; w < workers; ++w) {
      const auto body = [&](int&) {
        ++blocked;
        while (!open.load()) std::this_thread::yield();
      };
      spawn(body, write(create<int>()), on(w));
    }
    while (blocked.load() < workers - 1) std::this_thread::yield();
    for (int i = 0; i < tasks; ++i) {
      const auto body = [&](int&, int value) {
        const std::lock_guard guard(lock);
        orders[std::this_thread::get_id()].push_back(value);
      };
      const int value = 1 + i * 7 % 11;
      spawn(body, write(create<int>()), value, priority(value), on(placed ? i % workers : -1));
    }
    open = true;
    finish();
  });
  return orders;
}

TEST(Priorities, EachWorkerTakesTheHighest) {
  constexpr int tasks = 300;
  for (const bool placed : {false, true}) {
    std::size_t all = 0;
    for (const auto& [thread, order] : on_several_workers(3, tasks, placed)) {
      all += order.size();
      EXPECT_TRUE(std::is_sorted(order.rbegin(), order.rend())) << placed;
    }
    EXPECT_EQ(all, static_cast<std::size_t>(tasks));
  }
}

}  // namespace
