// SPDX-License-Identifier: Apache-2.0
// A program that touches closed pages, for debuggers to look at; prints what the
// guards cost. Usage: guard_waits userfaultfd|mprotect
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "guard/host.hpp"

using namespace lapwing::guard;
using namespace lapwing::guard::test;

namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since).count();
}

struct Cost {
  double close, open;
};

// The least of several rounds: what the calls themselves take.
Cost least_cost(char* p, std::size_t length, bool outgoing) {
  Cost least{1e9, 1e9};
  constexpr std::size_t strip = 64 * 1024;
  for (int round = 0; round < 12; ++round) {
    auto start = Clock::now();
    auto region = outgoing ? close_outgoing(p, p + length) : close_incoming(p, p + length);
    least.close = std::min(least.close, microseconds(start));
    if (!region) return {-1, -1};
    if (!outgoing) std::memset(region->landing(p), round, length);
    start = Clock::now();
    for (std::size_t at = 0; at < length; at += strip) region->open(p + at, p + at + strip);
    least.open = std::min(least.open, microseconds(start));
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  Backend backend =
      argc > 1 && std::strcmp(argv[1], "mprotect") == 0 ? Backend::mprotect : Backend::userfaultfd;
  if (probe(backend).backend != backend) {
    std::printf("skipped: %s\n", probe(backend).reason.c_str());
    return 0;
  }
  Host host(backend);
  Mapping m(20 << 20);
  Message message(host, m.get() + 100, 40 * page, 1);
  if (!message.close_incoming()) return 1;
  host.when_wanted([&] {
    auto i = (message.region().wanted_from.load() - reinterpret_cast<std::uintptr_t>(message.from())) / page;
    message.land_here(i, i + 1);
  });
  bool right = message.complete();
  host.when_wanted(nullptr);
  std::printf("%s: %u touches, bytes %s\n", name_of(backend).c_str(), message.region().faults.load(),
              right ? "right" : "WRONG");
  message.drop_region();
  for (std::size_t length : {64u << 10, 1u << 20, 16u << 20})
    for (bool outgoing : {false, true}) {
      Cost c = least_cost(m.get() + 3 * page, length, outgoing);
      std::printf("%8zu KiB %s: close %7.1f us, open %7.1f us (%.2f us per 64 KiB)\n", length >> 10,
                  outgoing ? "outgoing" : "incoming", c.close, c.open,
                  c.open / static_cast<double>(length >> 16));
    }
  return right ? 0 : 1;
}
