// SPDX-License-Identifier: Apache-2.0
// Closing, opening and touching pages, as the engine does it: touches are answered by a thread that sleeps.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>

#include "cli/program/measure.hpp"
#include "guard/guard.hpp"

namespace lapwing::tune {
namespace {

constexpr std::size_t page = 4096, little = 64 << 10, much = 4 << 20;

/// Rung by a touch, where the guard does so.
class Bell {
 public:
  Bell() : file_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Bell() { close(file_); }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  static void ring(void* bell) {
    const std::uint64_t once = 1;
    [[maybe_unused]] const ssize_t wrote = write(static_cast<Bell*>(bell)->file_, &once, sizeof once);
  }
  /// Sleeps until a page is touched, as the helper does.
  void wait_for_touch() const {
    pollfd files[] = {{file_, POLLIN, 0}, {guard::event_fd(), POLLIN, 0}};
    poll(files, 2, 100);
    std::uint64_t rung = 0;
    [[maybe_unused]] const ssize_t got = read(file_, &rung, sizeof rung);
    guard::serve();
  }

 private:
  int file_;
};

/// Now and then the thread that opens waits for the machine's other work, which no guard costs.
double lower_quartile(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 4];
}

struct Took {
  double close = 0, open = 0;  // seconds
};

Took close_and_open(char* memory, std::size_t bytes) {
  std::vector<double> closed, opened;
  for (int i = 0; i < 15; ++i) {
    std::memset(memory, i, bytes);
    const double begun = PMPI_Wtime();
    const auto region = guard::close_incoming(memory, memory + bytes);
    const double between = PMPI_Wtime();
    if (!region) return {};
    region->open(memory, memory + bytes);
    closed.push_back(between - begun);
    opened.push_back(PMPI_Wtime() - between);
  }
  return {lower_quartile(closed), lower_quartile(opened)};
}

double touch(char* memory, const Bell& bell) {
  std::vector<double> times;
  for (int i = 0; i < 25; ++i) {
    std::memset(memory, i, little);
    const auto region = guard::close_incoming(memory, memory + little);
    if (!region) return 0;
    std::thread opener([&] {
      guard::mark_engine_thread();
      while (region->faults.load() == 0) bell.wait_for_touch();
      region->open(memory, memory + page);
    });
    usleep(300);  // until it sleeps
    const double begun = PMPI_Wtime();
    *static_cast<volatile char*>(memory) = 1;
    times.push_back(PMPI_Wtime() - begun);
    opener.join();
    region->open(memory + page, memory + little);
  }
  return lower_quartile(times);
}

machine::GuardCosts costs_of(guard::Backend backend, char* memory) {
  machine::GuardCosts costs;
  Bell bell;
  if (!guard::start(backend, Bell::ring, &bell)) return costs;
  const Took small = close_and_open(memory, little), big = close_and_open(memory, much);
  const auto per_byte = [](double of_much, double of_little) {
    return std::max(0.0, 1e9 * (of_much - of_little) / static_cast<double>(much - little));
  };
  const auto fixed = [](double of_little, double byte_ns) {
    return std::max(0.01, 1e6 * of_little - 1e-3 * byte_ns * static_cast<double>(little));
  };
  if (small.close > 0 && big.close > 0) {
    costs.close_ns_per_byte = per_byte(big.close, small.close);
    costs.close_us = fixed(small.close, costs.close_ns_per_byte);
    costs.open_ns_per_byte = per_byte(big.open, small.open);
    costs.open_us = fixed(small.open, costs.open_ns_per_byte);
    costs.fault_us = 1e6 * touch(memory, bell);
  }
  guard::stop();
  return costs.measured() ? costs : machine::GuardCosts{};
}

}  // namespace

void measure_guards(machine::Costs* costs) {
  void* const memory = mmap(nullptr, much, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  costs->userfaultfd = costs_of(guard::Backend::userfaultfd, static_cast<char*>(memory));
  costs->mprotect = costs_of(guard::Backend::mprotect, static_cast<char*>(memory));
  munmap(memory, much);
}

}  // namespace lapwing::tune
