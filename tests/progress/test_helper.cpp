// SPDX-License-Identifier: Apache-2.0
// The helper thread: what is started is looked at, no wake-up is lost, and what
// has left is looked at no more.
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "progress/helper.hpp"
#include "progress/locks.hpp"

namespace {

using lapwing::progress::Polled;
using lapwing::progress::wait_until;

class Counted final : public Polled {
 public:
  explicit Counted(std::function<std::int64_t()> next) : next_(std::move(next)) {}
  ~Counted() { stop(); }
  void until(int count) {
    wait_until([&] { return looks.load() >= count; });
  }

  std::atomic<int> looks{0}, wakes{0}, served{0}, begun{0};

 private:
  void begin() override { ++begun; }
  std::int64_t look(bool woken) override {
    wakes += woken;
    const std::int64_t next = next_();
    ++looks;
    return next;
  }
  void serve() override { ++served; }

  const std::function<std::int64_t()> next_;
};

std::int64_t asleep() { return Polled::until_woken; }

int helpers() {
  int count = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(each.path() / "comm"), name);
    count += name == "lapwing";
  }
  return count;
}

TEST(Helper, HasAThreadOnlyWhileSomethingIsStarted) {
  Counted one(asleep), other(asleep);
  EXPECT_EQ(helpers(), 0);
  ASSERT_TRUE(one.start());
  ASSERT_TRUE(other.start());
  other.until(1);
  EXPECT_EQ(helpers(), 1);
  one.stop();
  EXPECT_EQ(helpers(), 1);
  other.stop();
  wait_until([] { return helpers() == 0; });  // the kernel takes a moment to forget it
  const int looks = one.looks;
  ASSERT_TRUE(one.start());
  one.until(looks + 1);
  EXPECT_EQ(helpers(), 1);
}

TEST(Helper, LooksWhenItIsTimeAndWhenItIsWoken) {
  Counted often([] { return 100'000; }), sleeper(asleep), patient([] { return 3'600'000'000'000; });
  for (Counted* each : {&often, &sleeper, &patient}) ASSERT_TRUE(each->start());
  often.until(20);
  EXPECT_EQ(sleeper.looks, 1);
  EXPECT_EQ(patient.looks, 1);
  patient.wake_if_idle();
  often.until(often.looks + 5);
  EXPECT_EQ(patient.looks, 1);
  sleeper.wake_if_idle();
  sleeper.until(2);
  patient.wake_within(1'000'000'000);
  patient.until(2);
  patient.wake();
  patient.until(3);
  EXPECT_EQ(patient.wakes, 3);  // the start is the first
  EXPECT_EQ(often.wakes, 1);
  EXPECT_EQ(often.begun, 1);
}

// Each of several threads puts something down and wakes; the look takes what there is. A wake-up that is lost
// leaves something for ever, and the test ends by its time limit.
TEST(Helper, LosesNoWakeUp) {
  std::atomic<int> there{0}, taken{0};
  Counted one([&] {
    const int found = there.exchange(0);
    taken += found;
    for (int i = 0; i < found * 20; ++i) lapwing::progress::pause_briefly();  // wake-ups come during a look
    return Polled::until_woken;
  });
  ASSERT_TRUE(one.start());
  constexpr int count = 10'000, writers = 2;
  std::vector<std::thread> all;
  for (int w = 0; w < writers; ++w)
    all.emplace_back([&, w] {
      for (int i = 0; i < count; ++i) {
        for (int pause = 0; pause < i % 50; ++pause) lapwing::progress::pause_briefly();  // or at its end
        ++there;
        w == 0 ? one.wake() : one.wake_if_idle();
        wait_until([&] { return there.load() == 0; });
      }
    });
  for (std::thread& each : all) each.join();
  wait_until([&] { return taken.load() == count * writers; });
}

TEST(Helper, NeverLooksAtWhatHasLeft) {
  Counted other([] { return 20'000; });
  ASSERT_TRUE(other.start());
  for (int i = 0; i < 300; ++i) {
    std::atomic<bool> alive{true};
    Counted one([&] {
      EXPECT_TRUE(alive.load());
      return i % 2 ? 0 : Polled::until_woken;
    });
    ASSERT_TRUE(one.start());
    if (i % 3) one.until(1);
    one.wake();
    one.stop();
    alive.store(false);
  }
}

TEST(Helper, ServesADescriptor) {
  const int descriptor = eventfd(0, EFD_NONBLOCK);
  Counted one(asleep);
  ASSERT_TRUE(one.start(descriptor));
  one.until(1);
  const std::uint64_t value = 1;
  ASSERT_EQ(write(descriptor, &value, sizeof value), static_cast<ssize_t>(sizeof value));
  one.until(2);
  EXPECT_GE(one.served, 1);
  one.stop();
  close(descriptor);
}

TEST(Helper, IsNotThereInAChild) {
  Counted one(asleep);
  ASSERT_TRUE(one.start());
  one.until(1);
  const pid_t child = fork();
  if (child == 0) {
    one.wake();
    one.stop();
    bool started = true;
#ifndef __SANITIZE_THREAD__  // which allows no new thread there
    Counted another(asleep);
    started = another.start();
    if (started) another.until(1);
    another.stop();
#endif
    _exit(started ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  one.wake();
  one.until(2);
}

}  // namespace
