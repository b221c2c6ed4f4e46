// SPDX-License-Identifier: Apache-2.0
// The kernel, on the program's behalf, sees only bytes that have landed.
#include <fcntl.h>
#include <linux/futex.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>

#include "guard/host.hpp"

extern char** environ;

namespace lapwing::guard::test {
namespace {

using Kernel = GuardTest;
LAPWING_BOTH_BACK_ENDS(Kernel);

struct Pipe {
  int in, out;
  Pipe() {
    int fds[2];
    EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
    in = fds[0], out = fds[1];
  }
  ~Pipe() { close(in), close(out); }
};

// Lands everything a moment after somebody asks.
void land_when_wanted(Host& host, Message& message) {
  host.when_wanted([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    message.land_here(0, message.pages());
  });
}

class Landing {
 public:
  Landing(Host& host, Mapping& m, std::uint32_t seed, bool outgoing = false)
      : host_(host), message(host, m.get(), m.size(), seed) {
    closed = outgoing ? message.close_outgoing() : message.close_incoming();
    land_when_wanted(host, message);
  }
  ~Landing() {
    host_.when_wanted(nullptr);
    if (closed) message.land_all(), message.drop_region();
  }
  std::uint32_t faults() { return message.region().faults.load(); }

 private:
  Host& host_;

 public:
  Message message;
  bool closed = false;
};

bool same(const Message& m, const char* base, const std::vector<char>& got) {
  for (std::size_t i = 0; i < got.size(); ++i)
    if (got[i] != m.expected(base + i)) return false;
  return true;
}

TEST_P(Kernel, WriteWaitsForIncomingBytes) {
  Mapping m(4 * page);
  Landing l(host(), m, 1);
  ASSERT_TRUE(l.closed);
  Pipe p;
  ASSERT_EQ(write(p.out, m.get(), m.size()), static_cast<ssize_t>(m.size()));
  std::vector<char> got(m.size());
  ASSERT_EQ(read(p.in, got.data(), got.size()), static_cast<ssize_t>(got.size()));
  EXPECT_TRUE(same(l.message, m.get(), got));
  EXPECT_GE(l.faults(), 1u);
}

TEST_P(Kernel, WritevAndSendmsgWaitForIncomingBytes) {
  Mapping m(4 * page);
  for (bool as_message : {false, true}) {
    Landing l(host(), m, 2);
    ASSERT_TRUE(l.closed);
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    iovec parts[2] = {{m.get(), page}, {m.get() + page, 3 * page}};
    msghdr header{};
    header.msg_iov = parts;
    header.msg_iovlen = 2;
    ssize_t n = as_message ? sendmsg(pair[0], &header, 0) : writev(pair[0], parts, 2);
    ASSERT_EQ(n, static_cast<ssize_t>(m.size()));
    std::vector<char> got(m.size());
    ASSERT_EQ(recv(pair[1], got.data(), got.size(), MSG_WAITALL), static_cast<ssize_t>(got.size()));
    EXPECT_TRUE(same(l.message, m.get(), got));
    close(pair[0]), close(pair[1]);
  }
}

// As programs do that ask the kernel whether an address can be read. A thread's number is as good as the
// process'.
TEST_P(Kernel, ProcessVmReadvOfThisProcessWaitsForIncomingBytes) {
  Mapping m(4 * page);
  auto reads = [&] {
    Landing l(host(), m, 9);
    ASSERT_TRUE(l.closed);
    std::vector<char> got(m.size());
    iovec here{got.data(), got.size()}, there{m.get(), m.size()};
    const auto id = static_cast<pid_t>(syscall(SYS_gettid));
    ASSERT_EQ(process_vm_readv(id, &here, 1, &there, 1, 0), static_cast<ssize_t>(m.size()));
    EXPECT_TRUE(same(l.message, m.get(), got));
  };
  reads();
  std::thread(reads).join();
}

TEST_P(Kernel, ProcessVmWritevIntoThisProcessComesAfterTheMessage) {
  Mapping m(4 * page);
  for (bool outgoing : {false, true}) {
    Landing l(host(), m, 10, outgoing);
    ASSERT_TRUE(l.closed);
    char text[] = "0123456789";
    iovec here{text, 10}, there{m.get() + page, 10};
    ASSERT_EQ(process_vm_writev(getpid(), &here, 1, &there, 1, 0), 10);
    EXPECT_EQ(std::memcmp(m.get() + page, text, 10), 0);
    EXPECT_EQ(m.get()[page + 10], l.message.expected(m.get() + page + 10));
  }
}

TEST_P(Kernel, SendWaitsForIncomingBytes) {
  Mapping m(4 * page);
  Landing l(host(), m, 3);
  ASSERT_TRUE(l.closed);
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  ASSERT_EQ(send(pair[0], m.get(), m.size(), 0), static_cast<ssize_t>(m.size()));
  std::vector<char> got(m.size());
  ASSERT_EQ(recv(pair[1], got.data(), got.size(), MSG_WAITALL), static_cast<ssize_t>(got.size()));
  EXPECT_TRUE(same(l.message, m.get(), got));
  close(pair[0]), close(pair[1]);
}

TEST_P(Kernel, StdioWaitsForIncomingBytes) {
  Mapping m(16 * page);
  Landing l(host(), m, 4);
  ASSERT_TRUE(l.closed);
  FILE* f = std::tmpfile();
  ASSERT_EQ(std::fwrite(m.get(), 1, m.size(), f), m.size());
  std::rewind(f);
  std::vector<char> got(m.size());
  ASSERT_EQ(std::fread(got.data(), 1, got.size(), f), got.size());
  EXPECT_TRUE(same(l.message, m.get(), got));
  std::fclose(f);
}

TEST_P(Kernel, ReadIntoAClosedBufferComesAfterTheMessage) {
  Mapping m(4 * page);
  for (bool outgoing : {false, true}) {
    Landing l(host(), m, 5, outgoing);
    ASSERT_TRUE(l.closed);
    Pipe p;
    ASSERT_EQ(write(p.out, "0123456789", 10), 10);
    ASSERT_EQ(read(p.in, m.get() + page, 10), 10);
    EXPECT_EQ(std::memcmp(m.get() + page, "0123456789", 10), 0);
    EXPECT_EQ(m.get()[page + 10], l.message.expected(m.get() + page + 10));
    EXPECT_GE(l.faults(), 1u);
  }
}

TEST_P(Kernel, WriteFromABufferThatLeavesDoesNotWait) {
  Mapping m(4 * page);
  Message message(host(), m.get(), m.size(), 6);
  ASSERT_TRUE(message.close_outgoing());
  Pipe p;
  ASSERT_EQ(write(p.out, m.get(), 100), 100);
  EXPECT_EQ(message.region().faults.load(), 0u);
  message.land_all();
  message.drop_region();
}

TEST_P(Kernel, StructuresInClosedPagesWaitToo) {
  Mapping m(4 * page);
  Landing l(host(), m, 7);
  ASSERT_TRUE(l.closed);
  auto* t = reinterpret_cast<timespec*>(m.get() + 2 * page - 8);  // across two pages
  ASSERT_EQ(syscall(SYS_clock_gettime, CLOCK_REALTIME, t), 0);
  EXPECT_GT(t->tv_sec, 1000000000);
  EXPECT_GE(l.faults(), 1u);
}

TEST_P(Kernel, AForkedChildSeesTheWholeMessage) {
  Mapping m(64 * page);
  Landing l(host(), m, 8);
  ASSERT_TRUE(l.closed);
  pid_t child = fork();
  if (child == 0) _exit(l.message.complete() && closed_regions.load() == 0 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(l.message.complete());
}

TEST_P(Kernel, TheParentGuardsOnAfterFork) {
  Mapping m(4 * page);
  pid_t child = fork();
  if (child == 0) _exit(close_incoming(m.get(), m.get() + page) ? 1 : 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "a child has no engine and may close nothing";
  Landing l(host(), m, 9);
  ASSERT_TRUE(l.closed);
  EXPECT_TRUE(l.message.complete());
  EXPECT_GE(l.faults(), 1u);
}

TEST_P(Kernel, ProcessesStartWhilePagesAreClosed) {
  Mapping m(4 * page);
  Landing l(host(), m, 10);
  ASSERT_TRUE(l.closed);
  EXPECT_EQ(system("exit 7") >> 8, 7);
  char* const arguments[] = {const_cast<char*>("sh"), const_cast<char*>("-c"), const_cast<char*>("exit 3"),
                             nullptr};
  pid_t child;
  ASSERT_EQ(posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environ), 0);
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  child = vfork();
  if (child == 0) {
    execv("/bin/sh", arguments);
    _exit(1);
  }
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_TRUE(l.message.complete());
}

TEST_P(Kernel, ThreadsStartAndEndWhilePagesAreClosed) {
  Mapping m(4 * page);
  Message message(host(), m.get(), m.size(), 11);
  ASSERT_TRUE(message.close_incoming());
  std::atomic<int> ended{0};
  for (int i = 0; i < 50; ++i) std::thread([&] { ended++; }).join();
  EXPECT_EQ(ended.load(), 50);
  EXPECT_EQ(message.region().faults.load(), 0u);
  message.land_all();
  EXPECT_TRUE(message.complete());
  message.drop_region();
}

TEST_P(Kernel, CallsThatTouchNothingClosedGiveTheirResults) {
  Mapping m(4 * page);
  Message message(host(), m.get(), m.size(), 12);
  ASSERT_TRUE(message.close_incoming());
  errno = 0;
  EXPECT_EQ(open("/nowhere/at/all", O_RDONLY), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(getpid(), static_cast<pid_t>(syscall(SYS_getpid)));
  Pipe p;
  EXPECT_EQ(write(p.out, "abc", 3), 3);
  char got[4] = {};
  EXPECT_EQ(read(p.in, got, 3), 3);
  EXPECT_STREQ(got, "abc");
  void* more = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(more, MAP_FAILED);
  EXPECT_EQ(munmap(more, page), 0);
  // A register that a call does not use may hold a left-over: a wake takes no
  // second address, and mremap no place unless it is asked to move there.
  std::uint32_t word = 0;
  EXPECT_EQ(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, message.from(), message.from(), 0), 0);
  more = mremap(mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), page, 2 * page,
                MREMAP_MAYMOVE, message.from());
  EXPECT_NE(more, MAP_FAILED);
  EXPECT_EQ(munmap(more, 2 * page), 0);
  EXPECT_EQ(message.region().faults.load(), 0u);
  message.land_all();
  message.drop_region();
}

}  // namespace
}  // namespace lapwing::guard::test
