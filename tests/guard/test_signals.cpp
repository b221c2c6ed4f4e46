// SPDX-License-Identifier: Apache-2.0
// Signals that are not the guard's reach the program as if it had no guard, and
// the program's use of signals does not break a guard. Each test is a child.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csetjmp>
#include <cstring>

#include "guard/host.hpp"

namespace lapwing::guard::test {
namespace {

using Signals = GuardChildTest;
LAPWING_BOTH_BACK_ENDS(Signals);

siginfo_t seen;
volatile int seen_signal, calls;
sigset_t mask_inside;
char* repaired;
sigjmp_buf back;

void repair(int signal, siginfo_t* info, void*) {
  seen = *info;
  seen_signal = signal;
  calls = calls + 1;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask_inside);
  mprotect(repaired, page, PROT_READ | PROT_WRITE);
}

void jump(int signal) {
  seen_signal = signal;
  siglongjmp(back, 1);
}

struct sigaction action_of(void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction a {};
  a.sa_sigaction = handler;
  a.sa_flags = flags | SA_SIGINFO;
  sigaddset(&a.sa_mask, SIGUSR1);
  return a;
}

// A value that a handler has written is read anew.
#define REQUIRE(x) \
  if (std::atomic_signal_fence(std::memory_order_seq_cst); !(x)) return __LINE__ % 250 + 1

// An address where nobody has anything, unknown to the compiler.
volatile std::uintptr_t nowhere = 16;
void fault_on_purpose() { *reinterpret_cast<volatile int*>(nowhere) = 1; }

bool permitted(Backend b) { return probe(b).backend == b; }

#define SKIP_UNLESS_PERMITTED() \
  if (!permitted(GetParam())) GTEST_SKIP() << probe(GetParam()).reason

void expect_success(int status) {
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "line modulo 250, plus one";
}

// A fault of the program's own while pages are closed elsewhere.
int foreign_fault(Backend backend, bool before_start) {
  repaired = static_cast<char*>(mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  struct sigaction wanted = action_of(repair, 0), old{};
  if (before_start) REQUIRE(sigaction(SIGSEGV, &wanted, nullptr) == 0);
  Host host(backend);
  REQUIRE(host.started());
  if (!before_start) REQUIRE(sigaction(SIGSEGV, &wanted, nullptr) == 0);
  REQUIRE(sigaction(SIGSEGV, nullptr, &old) == 0);
  REQUIRE(old.sa_sigaction == repair && (old.sa_flags & SA_SIGINFO) &&
          sigismember(&old.sa_mask, SIGUSR1) == 1);
  Mapping m(4 * page);
  Message message(host, m.get(), m.size(), 1);
  REQUIRE(message.close_incoming());
  static_cast<volatile char*>(repaired)[123] = 'p';
  REQUIRE(calls == 1 && seen_signal == SIGSEGV && seen.si_addr == repaired + 123 &&
          seen.si_code == SEGV_ACCERR);
  REQUIRE(sigismember(&mask_inside, SIGUSR1) == 1 && repaired[123] == 'p');
  sigset_t after;
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  REQUIRE(sigismember(&after, SIGUSR1) == 0);
  std::atomic<bool> right{false};
  std::thread reader([&] { right = message.complete(); });
  REQUIRE(eventually([&] { return message.region().waiting.load() == 1; }));
  message.land_all();
  reader.join();
  REQUIRE(right && calls == 1);
  message.drop_region();
  return 0;
}

TEST_P(Signals, AHandlerFromBeforeGetsItsFaults) {
  SKIP_UNLESS_PERMITTED();
  expect_success(in_child([] { return foreign_fault(GetParam(), true); }));
}

TEST_P(Signals, AHandlerFromAfterwardsGetsItsFaults) {
  SKIP_UNLESS_PERMITTED();
  expect_success(in_child([] { return foreign_fault(GetParam(), false); }));
}

TEST_P(Signals, TheDefaultKillsWithTheSignal) {
  SKIP_UNLESS_PERMITTED();
  for (int how = 0; how < 4; ++how) {
    int status = in_child([how] {
      rlimit none{0, 0};
      setrlimit(RLIMIT_CORE, &none);
      Host host(GetParam());
      Mapping m(4 * page);
      Message message(host, m.get(), m.size(), 1);
      if (!message.close_incoming()) return 1;
      if (how == 0) fault_on_purpose();
      if (how == 1) raise(SIGSEGV);
      if (how == 2) kill(getpid(), SIGSEGV);
      if (how == 3) raise(SIGSYS);
      return 2;
    });
    ASSERT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status) << " in case " << how;
    EXPECT_EQ(WTERMSIG(status), how == 3 ? SIGSYS : SIGSEGV);
  }
}

TEST_P(Signals, AResettingHandlerRunsOnce) {
  SKIP_UNLESS_PERMITTED();
  int status = in_child([] {
    Host host(GetParam());
    struct sigaction wanted {};
    wanted.sa_handler = jump;
    wanted.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    REQUIRE(sigaction(SIGSEGV, &wanted, nullptr) == 0);
    if (sigsetjmp(back, 1) == 0) fault_on_purpose();
    REQUIRE(seen_signal == SIGSEGV);
    struct sigaction old {};
    REQUIRE(sigaction(SIGSEGV, nullptr, &old) == 0 && old.sa_handler == SIG_DFL);
    fault_on_purpose();
    return 200;
  });
  ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST_P(Signals, OldFashionedHandlersMayJumpOut) {
  SKIP_UNLESS_PERMITTED();
  expect_success(in_child([] {
    Host host(GetParam());
    REQUIRE(signal(SIGSEGV, jump) == SIG_DFL);
    Mapping m(4 * page);
    Message message(host, m.get(), m.size(), 1);
    REQUIRE(message.close_incoming());
    for (static int i = 0; i < 5; ++i) {
      seen_signal = 0;
      if (sigsetjmp(back, 1) == 0) fault_on_purpose();
      REQUIRE(seen_signal == SIGSEGV);
    }
    seen_signal = 0;
    if (sigsetjmp(back, 1) == 0) raise(SIGSEGV);
    REQUIRE(seen_signal == SIGSEGV);
    REQUIRE(signal(SIGSEGV, SIG_IGN) == jump);
    raise(SIGSEGV);  // sent by somebody and ignored
    host.when_wanted([&] { message.land_here(0, message.pages()); });
    REQUIRE(message.complete());
    host.when_wanted(nullptr);
    message.drop_region();
    return 0;
  }));
}

char* touched;
char touched_value;
void touch(int) { touched_value = *static_cast<volatile char*>(touched); }

TEST_P(Signals, BlockedSignalsDoNotKillAWaitingThread) {
  SKIP_UNLESS_PERMITTED();
  expect_success(in_child([] {
    struct sigaction wanted {};
    wanted.sa_handler = touch;
    sigfillset(&wanted.sa_mask);
    sigaction(SIGUSR2, &wanted, nullptr);  // before the guard knows of it
    Host host(GetParam());
    sigaction(SIGUSR1, &wanted, nullptr);
    Mapping m(8 * page);
    for (int how = 0; how < 3; ++how) {
      Message message(host, m.get(), m.size(), 7);
      host.when_wanted([&] { message.land_here(0, message.pages()); });
      sigset_t all, old;
      sigfillset(&all);
      if (how == 2) pthread_sigmask(SIG_SETMASK, &all, &old);
      REQUIRE(message.close_incoming());
      touched = m.get() + 3 * page + 5;
      if (how == 2)
        touch(0);
      else
        raise(how == 0 ? SIGUSR1 : SIGUSR2);
      REQUIRE(touched_value == message.expected(touched));
      if (how == 2) {
        sigset_t now;
        pthread_sigmask(SIG_SETMASK, &old, &now);
        REQUIRE(sigismember(&now, SIGTERM) == 1);
      }
      host.when_wanted(nullptr);
      message.land_all();
      message.drop_region();
    }
    return 0;
  }));
}

int alarms;
void count_alarm(int) { ++alarms; }

TEST_P(Signals, OtherSignalsArriveWhileAThreadWaits) {
  SKIP_UNLESS_PERMITTED();
  expect_success(in_child([] {
    Host host(GetParam());
    struct sigaction wanted {};
    wanted.sa_handler = count_alarm;
    sigaction(SIGALRM, &wanted, nullptr);
    Mapping m(4 * page);
    Message message(host, m.get(), m.size(), 7);
    REQUIRE(message.close_incoming());
    ualarm(2000, 2000);
    int wanted_times = 0;
    host.when_wanted([&] {
      if (++wanted_times > 1) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      message.land_here(0, message.pages());
    });
    REQUIRE(message.complete());
    ualarm(0, 0);
    REQUIRE(alarms >= 5);
    REQUIRE(message.region().faults.load() == 1);
    host.when_wanted(nullptr);
    message.drop_region();
    return 0;
  }));
}

TEST_P(Signals, TheProgramHasItsHandlersBackInTheEnd) {
  SKIP_UNLESS_PERMITTED();
  expect_success(in_child([] {
    struct sigaction wanted = action_of(repair, SA_RESTART), old{};
    sigaction(SIGSEGV, &wanted, nullptr);
    { Host host(GetParam()); }
    sigaction(SIGSEGV, nullptr, &old);
    REQUIRE(old.sa_sigaction == repair && (old.sa_flags & SA_RESTART));
    repaired = static_cast<char*>(mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    static_cast<volatile char*>(repaired)[9] = 'p';
    REQUIRE(calls == 1 && seen.si_addr == repaired + 9);
    {
      Host host(GetParam());
      REQUIRE(sigaction(SIGSEGV, nullptr, &old) == 0);
    }
    REQUIRE(old.sa_sigaction == repair);
    return 0;
  }));
}

}  // namespace
}  // namespace lapwing::guard::test
