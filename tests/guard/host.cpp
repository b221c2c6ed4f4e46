// SPDX-License-Identifier: Apache-2.0
#include "guard/host.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <cstring>

namespace lapwing::guard::test {
namespace {

void note_demand(void* context) {
  auto [wake, demands] = *static_cast<std::pair<int, std::atomic<int>*>*>(context);
  demands->fetch_add(1);
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = write(wake, &one, sizeof one);
}

std::pair<int, std::atomic<int>*> demand_target;

}  // namespace

Host::Host(Backend backend) {
  wake_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  demand_target = {wake_, &demands_};
  started_ = start(backend, note_demand, &demand_target);
  std::atomic<bool> ready{false};
  thread_ = std::thread([&, this] {
    mark_engine_thread();
    ready.store(true);
    serve();
  });
  while (!ready.load()) std::this_thread::yield();
}

Host::~Host() {
  end_.store(true);
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = write(wake_, &one, sizeof one);
  thread_.join();
  if (started_) stop();
  close(wake_);
}

void Host::serve() {
  int seen = 0;
  while (!end_.load()) {
    pollfd descriptors[2] = {{wake_, POLLIN, 0}, {event_fd(), POLLIN, 0}};
    poll(descriptors, 2, 50);
    std::uint64_t count;
    [[maybe_unused]] auto n = read(wake_, &count, sizeof count);
    guard::serve();
    std::unique_lock lock(mutex_);
    while (!work_.empty()) {
      const auto* work = work_.front();
      work_.pop_front();
      (*work)();
      ++finished_;
      done_.notify_all();
    }
    if (int now = demands_.load(); now != seen) {
      seen = now;
      if (wanted_) wanted_();
    }
  }
}

void Host::run(const std::function<void()>& work) {
  std::unique_lock lock(mutex_);
  work_.push_back(&work);
  std::uint64_t mine = ++posted_;
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = write(wake_, &one, sizeof one);
  done_.wait(lock, [&] { return finished_ >= mine; });
}

void Host::when_wanted(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  wanted_ = std::move(work);
}

Message::Message(Host& host, char* begin, std::size_t length, std::uint32_t seed)
    : host_(host), begin_(begin), length_(length), seed_(seed) {
  auto up = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) & ~(page - 1);
  auto down = reinterpret_cast<std::uintptr_t>(begin + length) & ~(page - 1);
  from_ = reinterpret_cast<char*>(up);
  to_ = reinterpret_cast<char*>(down);
  for (char* p = begin_; p < from_; ++p) *p = expected(p);
  for (char* p = to_; p < begin_ + length_; ++p) *p = expected(p);
}

bool Message::close_incoming() {
  region_ = guard::close_incoming(from_, to_);
  return region_ != nullptr;
}

bool Message::close_outgoing() {
  for (char* p = from_; p < to_; ++p) *p = expected(p);
  region_ = guard::close_outgoing(from_, to_);
  return region_ != nullptr;
}

void Message::land_here(std::size_t first, std::size_t last) {
  char* a = from_ + first * page;
  char* b = from_ + last * page;
  if (!region_->outgoing())
    for (char* at = a; at < b; at += page) {
      if (!meets_closed(at, page)) continue;  // has landed before
      char* target = region_->landing(at);
      for (char* p = at; p < at + page; ++p) *target++ = expected(p);
    }
  region_->open(a, b);
}

void Message::land(std::size_t first, std::size_t last) {
  host_.run([&] { land_here(first, last); });
}

bool Message::complete() const {
  for (const volatile char* p = begin_; p < begin_ + length_; ++p)
    if (*p != expected(const_cast<const char*>(p))) return false;
  return true;
}

Mapping::Mapping(std::size_t length, bool populate) : length_(length) {
  p_ = static_cast<char*>(mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (populate) std::memset(p_, 0x5a, length);
}

bool eventually(const std::function<bool()>& condition) {
  using namespace std::chrono;
  for (auto end = steady_clock::now() + seconds(5); steady_clock::now() < end;
       std::this_thread::sleep_for(100us))
    if (condition()) return true;
  return condition();
}

int in_child(const std::function<int()>& body) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int mappings() {
  FILE* f = std::fopen("/proc/self/maps", "re");
  int n = 0;
  for (int c; (c = std::fgetc(f)) != EOF;) n += c == '\n';
  std::fclose(f);
  return n;
}

std::string name_of(Backend backend) { return backend == Backend::userfaultfd ? "userfaultfd" : "mprotect"; }

void GuardTest::SetUp() {
  Capability c = probe(GetParam());
  if (c.backend != GetParam()) GTEST_SKIP() << c.reason;
  host_ = std::make_unique<Host>(GetParam());
  ASSERT_TRUE(host_->started()) << capability().reason;
}

}  // namespace lapwing::guard::test
