// SPDX-License-Identifier: Apache-2.0
// What goes wrong, and how it is said.
#include <gtest/gtest.h>
#include <lapwing/tasks.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "tasks/workers.hpp"

using namespace lapwing::tasks;

namespace {

void spin(double microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::micro>(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Errors : public testing::TestWithParam<int> {
 protected:
  Options options() const { return with_workers(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Workers, Errors, testing::Values(1, 2, 4));

TEST_P(Errors, ExceptionsReachTheMainProgramWithNameAndPlace) {
  const auto program = [&] {
    run(options(), [] {
      auto x = create<int>(0);
      for (int i = 0; i < 100; ++i) {
        spawn(
            [](int& v, int k) {
              v = k;
              if (k == 30 || k == 60) throw std::out_of_range("too far");
            },
            read_write(x), i, named("step", i));
      }
      (void)*read(x);
      FAIL() << "the main program must not get here";
    });
  };
  const std::string said = message_of<TaskError>(program);
  EXPECT_TRUE(contains(said, "step(30)")) << said;
  EXPECT_TRUE(contains(said, "too far")) << said;
  EXPECT_TRUE(contains(said, "test_errors.cpp:")) << said;
  try {
    program();
  } catch (const TaskError& error) {
    EXPECT_THROW(error.rethrow_cause(), std::out_of_range);
  }
}

TEST_P(Errors, TheEarliestExceptionCounts) {
  for (int round = 0; round < 20; ++round) {
    const std::string said = message_of<TaskError>([&] {
      run(options(), [] {
        auto x = create<int>(0);
        auto y = create<int>(0);
        spawn(
            [](int&) {
              spin(300);
              throw std::runtime_error("first");
            },
            write(x), named("slow"));
        spawn([](int&) { throw std::runtime_error("second"); }, write(y), named("fast"));
      });
    });
    ASSERT_TRUE(contains(said, "slow")) << said;
  }
}

TEST_P(Errors, TheProgramGoesOnAfterACaughtException) {
  run(options(), [] {
    auto x = create<int>(1);
    spawn([](int&) { throw 1; }, write(x));
    EXPECT_THROW(finish(), TaskError);
    spawn([](int& v) { v = 4; }, write(x));
    EXPECT_EQ(*read(x), 4);
  });
}

TEST_P(Errors, UndeclaredAccessesAreNamed) {
  const auto said = [&](auto body, auto... declared) {
    return message_of<TaskError>([&] {
      run(options(), [&] {
        auto x = create_named<int>("the x", 1);
        auto y = create_named<int>("the y", 1);
        spawn([=](const int&) { body(x, y); }, read(x), declared..., named("culprit"));
        finish();
      });
    });
  };
  const auto undeclared = said([](auto, auto y) { *write(y) = 1; });
  EXPECT_TRUE(contains(undeclared, "culprit") && contains(undeclared, "the y") &&
              contains(undeclared, "did not declare"))
      << undeclared;
  const auto weaker = said([](auto x, auto) { *read_write(x) = 1; });
  EXPECT_TRUE(contains(weaker, "only a read") && contains(weaker, "the x")) << weaker;
  const auto child = said([](auto x, auto) { spawn([](int&) {}, write(x), named("child")); });
  EXPECT_TRUE(contains(child, "child") && contains(child, "parent")) << child;
  const auto deferred = message_of<TaskError>([&] {
    run(options(), [] {
      auto x = create<int>(1);
      spawn([](auto& later) { (void)*later; }, deferred_read(x));
    });
  });
  EXPECT_TRUE(contains(deferred, "with_cont")) << deferred;
}

TEST_P(Errors, DestroyedObjectsAreKnown) {
  run(options(), [] {
    auto x = create_named<int>("gone", 1);
    spawn(
        [](int& v) {
          spin(100);
          EXPECT_EQ(v, 1);
        },
        read_write(x));
    destroy(x);
    EXPECT_THROW(spawn([](int&) {}, write(x)), Error);
    EXPECT_THROW((void)*read(x), Error);
    EXPECT_THROW(destroy(x), Error);
    EXPECT_THROW((void)*read(shared<int>{}), Error);
  });
  shared<int> old;
  run(options(), [&] { old = create<int>(1); });
  run(options(), [&] { EXPECT_THROW((void)*read(old), Error); });
  EXPECT_THROW((void)*read(old), Error);
  EXPECT_THROW(spawn([](int) {}, 1), Error);
}

TEST(Runs, CannotBeNested) {
  run(with_workers(2), [] { EXPECT_THROW(run([] {}), Error); });
}

TEST(Runs, UnknownVariablesAreReported) {
  setenv("LAPWING_TASKS_WORKRES", "2", 1);
  EXPECT_THROW(run([] {}), Error);
  unsetenv("LAPWING_TASKS_WORKRES");
  setenv("LAPWING_TASKS_WORKERS", "two", 1);
  EXPECT_THROW(run([] {}), Error);
  setenv("LAPWING_TASKS_WORKERS", "3", 1);
  run([] { EXPECT_EQ(workers(), 3); });
  unsetenv("LAPWING_TASKS_WORKERS");
}

}  // namespace
