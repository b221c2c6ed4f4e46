// SPDX-License-Identifier: Apache-2.0
// What the engine is to the guards: one thread that serves touches and opens
// pages, while the test is the program.
#pragma once

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "guard/guard.hpp"

namespace lapwing::guard::test {

constexpr std::size_t page = 4096;

class Host {
 public:
  explicit Host(Backend backend);
  ~Host();
  bool started() const { return started_; }

  /// Runs `work` on the engine's thread and waits for it.
  void run(const std::function<void()>& work);
  /// Runs it there whenever somebody wants a page, until it is replaced.
  void when_wanted(std::function<void()> work);
  int demands() const { return demands_.load(); }

 private:
  void serve();

  bool started_ = false;
  int wake_ = -1;
  std::atomic<int> demands_{0};
  std::atomic<bool> end_{false};
  std::mutex mutex_;
  std::condition_variable done_;
  std::deque<const std::function<void()>*> work_;
  std::uint64_t finished_ = 0, posted_ = 0;
  std::function<void()> wanted_;
  std::thread thread_;
};

/// A message into (or out of) part of a buffer: the pages inside are closed.
class Message {
 public:
  /// Whole pages inside [begin, begin+length); contents follow from `seed`.
  Message(Host& host, char* begin, std::size_t length, std::uint32_t seed);
  bool close_incoming();
  bool close_outgoing();

  /// The engine's part, on its own thread: lands pages first..last and opens them.
  void land(std::size_t first, std::size_t last);
  void land_all() { land(0, pages()); }
  /// As land(), to be called on the engine's thread already.
  void land_here(std::size_t first, std::size_t last);
  void drop_region() {
    host_.run([&] { region_.reset(); });
  }

  std::size_t pages() const { return static_cast<std::size_t>(to_ - from_) / page; }
  char* from() const { return from_; }  ///< the first closed byte
  char* to() const { return to_; }
  char expected(const char* p) const { return value(seed_, p - begin_); }
  /// True if all bytes are what was sent; reads them one by one.
  bool complete() const;
  Region& region() { return *region_; }

  static char value(std::uint32_t seed, std::ptrdiff_t i) {
    std::uint32_t x = (static_cast<std::uint32_t>(i) + 1) * 2654435761u ^ seed * 40503u;
    return static_cast<char>((x >> 13) | 1);  // never 0: a zero page is not the message
  }

 private:
  Host& host_;
  char* begin_;
  std::size_t length_;
  std::uint32_t seed_;
  char *from_, *to_;
  std::unique_ptr<Region> region_;
};

/// Anonymous memory of its own, gone at the end.
class Mapping {
 public:
  explicit Mapping(std::size_t length, bool populate = true);
  ~Mapping() { munmap(p_, length_); }
  Mapping(const Mapping&) = delete;
  char* get() const { return p_; }
  std::size_t size() const { return length_; }

 private:
  char* p_;
  std::size_t length_;
};

/// Waits until `condition` holds, five seconds at most; what it says at the end.
bool eventually(const std::function<bool()>& condition);

/// Runs `body` in a child process made before any guard; its wait status. The
/// child ends with what `body` returns.
int in_child(const std::function<int()>& body);

/// Lines of /proc/self/maps.
int mappings();

std::string name_of(Backend backend);

/// A test that runs under each back end, with a Host of it.
class GuardTest : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override;
  Host& host() { return *host_; }
  bool by_signals() const { return GetParam() == Backend::mprotect; }

 private:
  std::unique_ptr<Host> host_;
};

/// The same without a Host, for tests that make one in a child process.
class GuardChildTest : public ::testing::TestWithParam<Backend> {};

#define LAPWING_BOTH_BACK_ENDS(suite)                                                                      \
  INSTANTIATE_TEST_SUITE_P(                                                                                \
      , suite, ::testing::Values(lapwing::guard::Backend::userfaultfd, lapwing::guard::Backend::mprotect), \
      [](const auto& info) { return lapwing::guard::test::name_of(info.param); })

}  // namespace lapwing::guard::test
