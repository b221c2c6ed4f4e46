// SPDX-License-Identifier: Apache-2.0
// The libc hooks, linked into this program: memory is not taken away under a
// closed page, and threads do not leave one on their stacks.
#include <malloc.h>
#include <pthread.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>

#include "guard/host.hpp"
#include "lapwing/preload_hooks.h"

extern "C" __attribute__((visibility("default"))) struct lapwing_preload_hooks lapwing_preload_hooks;

namespace lapwing::guard::test {
namespace {

using Hooks = GuardTest;
LAPWING_BOTH_BACK_ENDS(Hooks);

// Runs `take_away` while the block is closed; it must return only after the
// message has landed. `waited` tells how many bytes were in place by then.
void check_waits(Host& host, char* block, std::size_t length, const std::function<void()>& take_away) {
  Message message(host, block, length, 3);
  ASSERT_TRUE(message.close_incoming());
  std::atomic<bool> landed{false}, early{false};
  host.when_wanted([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    landed = true;
    message.land_here(0, message.pages());
  });
  std::thread taker([&] {
    take_away();
    early = !landed.load();
  });
  taker.join();
  host.when_wanted(nullptr);
  EXPECT_TRUE(landed.load());
  EXPECT_FALSE(early.load());
  EXPECT_EQ(closed_regions.load(), 0);
  message.drop_region();
}

TEST_P(Hooks, AreAttached) {
  EXPECT_EQ(lapwing_preload_hooks.closed, reinterpret_cast<const int*>(&closed_regions));
  EXPECT_EQ(lapwing_preload_hooks.action != nullptr, by_signals());
}

TEST_P(Hooks, FreeWaitsForASmallAndALargeBlock) {
  for (std::size_t length : {20 * page, 600 * page}) {
    char* block = static_cast<char*>(malloc(length));
    check_waits(host(), block, length, [&] { free(block); });
  }
}

TEST_P(Hooks, ReallocKeepsTheMessage) {
  for (std::size_t length : {20 * page, 600 * page}) {
    char* block = static_cast<char*>(malloc(length));
    char* moved = nullptr;
    check_waits(host(), block, length, [&] { moved = static_cast<char*>(realloc(block, 4 * length)); });
    for (std::size_t i = 0; i < length; ++i)
      ASSERT_EQ(moved[i], Message::value(3, static_cast<std::ptrdiff_t>(i)));
    check_waits(host(), moved, length, [&] { moved = static_cast<char*>(reallocarray(moved, 8, length)); });
    for (std::size_t i = 0; i < length; ++i)
      ASSERT_EQ(moved[i], Message::value(3, static_cast<std::ptrdiff_t>(i)));
    free(moved);
  }
}

TEST_P(Hooks, UnmappingAndRemappingWait) {
  Mapping m(16 * page);
  check_waits(host(), m.get(), 4 * page, [&] { munmap(m.get(), 4 * page); });
  char* moved = nullptr;
  check_waits(host(), m.get() + 4 * page, 4 * page, [&] {
    moved = static_cast<char*>(mremap(m.get() + 4 * page, 4 * page, 64 * page, MREMAP_MAYMOVE));
  });
  for (std::size_t i = 0; i < 4 * page; ++i)
    ASSERT_EQ(moved[i], Message::value(3, static_cast<std::ptrdiff_t>(i)));
  munmap(moved, 64 * page);
}

TEST_P(Hooks, AdviceAndProtectionWait) {
  Mapping m(16 * page);
  check_waits(host(), m.get(), 4 * page, [&] { madvise(m.get(), 4 * page, MADV_DONTNEED); });
  EXPECT_EQ(m.get()[page], 0);
  check_waits(host(), m.get(), 4 * page, [&] { mprotect(m.get(), 4 * page, PROT_READ); });
  EXPECT_EQ(m.get()[page], Message::value(3, page));
  EXPECT_FALSE(close_incoming(m.get(), m.get() + 4 * page));
}

TEST_P(Hooks, GivingBackTheHeapWaits) {
  char* old = static_cast<char*>(sbrk(0));
  sbrk(40 * page);
  char* block = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(old) + page - 1) & ~(page - 1));
  check_waits(host(), block, 20 * page, [&] { sbrk(-static_cast<std::intptr_t>(40 * page)); });
}

TEST_P(Hooks, AThreadDoesNotEndWithAClosedStack) {
  for (bool by_exit : {false, true}) {
    std::unique_ptr<Message> message;
    std::atomic<bool> landed{false};
    host().when_wanted([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      landed = true;
      message->land_here(0, message->pages());
    });
    struct Work {
      Host& host;
      std::unique_ptr<Message>& message;
      bool by_exit;
    } work{host(), message, by_exit};
    pthread_t thread;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void* p) -> void* {
                    auto& w = *static_cast<Work*>(p);
                    char local[20 * page];
                    w.message = std::make_unique<Message>(w.host, local, sizeof local, 9);
                    EXPECT_TRUE(w.message->close_incoming());
                    if (w.by_exit) pthread_exit(nullptr);
                    return nullptr;
                  },
                  &work),
              0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    EXPECT_TRUE(landed.load());
    host().when_wanted(nullptr);
    EXPECT_EQ(closed_regions.load(), 0);
    message->drop_region();
  }
}

TEST_P(Hooks, MemoryThatIsNotClosedIsTakenAtOnce) {
  Mapping m(8 * page);
  Message message(host(), m.get(), 4 * page, 1);
  ASSERT_TRUE(message.close_incoming());
  char* block = static_cast<char*>(malloc(100 * page));
  std::memset(block, 1, 100 * page);
  block = static_cast<char*>(realloc(block, 900 * page));
  free(block);
  EXPECT_EQ(madvise(m.get() + 4 * page, 4 * page, MADV_DONTNEED), 0);
  EXPECT_EQ(message.region().faults.load(), 0u);
  message.land_all();
  message.drop_region();
}

// A thread other than the one that closed the region is watched as well.
TEST_P(Hooks, SystemCallsOfEveryThreadWait) {
  Mapping m(4 * page);
  std::atomic<bool> go{false};
  ssize_t written = 0;
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  std::thread other([&] {
    while (!go.load()) std::this_thread::yield();
    written = write(fds[1], m.get() + page, 100);
  });
  Message message(host(), m.get(), m.size(), 2);
  ASSERT_TRUE(message.close_incoming());
  go = true;
  EXPECT_TRUE(eventually([&] { return message.region().waiting.load() == 1; }));
  message.land_all();
  other.join();
  EXPECT_EQ(written, 100);
  char got[100];
  ASSERT_EQ(read(fds[0], got, 100), 100);
  EXPECT_EQ(std::memcmp(got, m.get() + page, 100), 0);
  message.drop_region();
  close(fds[0]), close(fds[1]);
}

using OlderThreads = GuardChildTest;
LAPWING_BOTH_BACK_ENDS(OlderThreads);

// Neither its system calls nor its end may meet a closed page.
TEST_P(OlderThreads, AreGuardedLikeOthers) {
  if (probe(GetParam()).backend != GetParam()) GTEST_SKIP() << probe(GetParam()).reason;
  const int status = in_child([] {
    std::atomic<Host*> host{nullptr};
    std::unique_ptr<Message> message;
    std::atomic<bool> landed{false};
    char* buffer = nullptr;
    int fds[2];
    if (pipe(fds) != 0) return 1;
    ssize_t written = 0;
    std::thread older([&] {
      while (!host.load()) std::this_thread::yield();
      written = write(fds[1], buffer + page, 100);
      char local[20 * page];
      host.load()->when_wanted([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        landed = true;
        message->land_here(0, message->pages());
      });
      message = std::make_unique<Message>(*host.load(), local, sizeof local, 9);
      if (!message->close_incoming()) written = 0;
    });
    Host own(GetParam());
    Mapping m(4 * page);
    buffer = m.get();
    Message first(own, buffer, m.size(), 2);
    if (!first.close_incoming()) return 2;
    own.when_wanted([&] { first.land_here(0, first.pages()); });
    host = &own;
    older.join();
    own.when_wanted(nullptr);
    if (written != 100) return 3;
    char got[100];
    if (read(fds[0], got, 100) != 100 || std::memcmp(got, buffer + page, 100) != 0) return 4;
    if (!landed.load() || closed_regions.load() != 0) return 5;
    first.drop_region();
    message->drop_region();
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace lapwing::guard::test
