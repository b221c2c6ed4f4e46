// SPDX-License-Identifier: Apache-2.0
// What schedules and packing cost, printed and not judged: whole transfers of
// n x n doubles between simulated processes, one piece after the other in this
// one, as a share of memcpy's bandwidth.
//   arrays_speed [n] [repetitions]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <vector>

#include "arrays/schedules/local.hpp"
#include "arrays/schedules/pack.hpp"
#include "arrays/schedules/schedule.hpp"

namespace {

using namespace lapwing::arrays;

/// Of this thread's processor time: others may be busy.
double seconds(const std::function<void()>& perform) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  perform();
  return now() - start;
}

struct Side {
  explicit Side(const Distribution& d) : distribution(d) {
    for (int r = 0; r < d.grid.positions(); ++r)
      parts.emplace_back(static_cast<std::size_t>(local_part(d, r).allocated), 1.0);
  }
  Distribution distribution;
  std::vector<std::vector<double>> parts;
};

struct Case {
  const char* name;
  Distribution source, destination;
  Section to;
};

Distribution over(std::vector<Dimension> dimensions, std::vector<int> grid, Order order = Order::row_major) {
  Distribution result;
  result.dimensions = std::move(dimensions);
  result.grid = make_grid(std::move(grid));
  result.order = order;
  return result;
}

std::vector<Case> cases(std::int64_t n) {
  Section transposed;
  transposed.permutation = {1, 0};
  const auto columns = Order::column_major;
  return {
      {"same layout, 1 x 1",
       over({collapsed(n), collapsed(n)}, {}),
       over({collapsed(n), collapsed(n)}, {}),
       {}},
      {"128 -> 128, 2 x 2 both",
       over({cyclic(n, 128, 0), cyclic(n, 128, 1)}, {2, 2}, columns),
       over({cyclic(n, 128, 0), cyclic(n, 128, 1)}, {2, 2}, columns),
       {}},
      {"36 -> 128, 2 x 2 both",
       over({cyclic(n, 36, 0), cyclic(n, 36, 1)}, {2, 2}, columns),
       over({cyclic(n, 128, 0), cyclic(n, 128, 1)}, {2, 2}, columns),
       {}},
      {"rows -> columns, 2",
       over({block(n, 2, 0), collapsed(n)}, {2}),
       over({collapsed(n), block(n, 2, 0)}, {2}),
       {}},
      {"transposed, 1 x 1", over({collapsed(n), collapsed(n)}, {}), over({collapsed(n), collapsed(n)}, {}),
       transposed},
      {"row to column major",
       over({collapsed(n), collapsed(n)}, {}),
       over({collapsed(n), collapsed(n)}, {}, columns),
       {}},
      {"4x4 2 x 2 -> 7x5 1 x 4",
       over({cyclic(n, 4, 0), cyclic(n, 4, 1)}, {2, 2}, columns),
       over({cyclic(n, 7, 0), cyclic(n, 5, 1)}, {1, 4}, columns),
       {}},
      {"1x1 2 x 2 -> 1x1 1 x 4",
       over({cyclic(n, 1, 0), cyclic(n, 1, 1)}, {2, 2}, columns),
       over({cyclic(n, 1, 0), cyclic(n, 1, 1)}, {1, 4}, columns),
       {}},
      {"1x1 2 x 1 -> 1x1 1 x 2",
       over({cyclic(n, 1, 0), cyclic(n, 1, 1)}, {2, 1}, columns),
       over({cyclic(n, 1, 0), cyclic(n, 1, 1)}, {1, 2}, columns),
       {}},
  };
}

struct Pair {
  const Piece* out;
  const Piece* in;
  int sender, receiver;
};

void measure(const Case& c, int repetitions, const std::function<double()>& memcpy_seconds) {
  Side a(c.source), b(c.destination);
  std::vector<Schedule> sends, receives;
  const double planning = seconds([&] {
    for (int r = 0; r < c.source.grid.positions(); ++r)
      sends.push_back(Schedule::sending(c.source, {}, r, c.destination, c.to));
    for (int r = 0; r < c.destination.grid.positions(); ++r)
      receives.push_back(Schedule::receiving(c.destination, c.to, r, c.source, {}));
  });
  std::vector<Pair> pairs;
  for (int p = 0; p < c.source.grid.positions(); ++p) {
    for (const Piece& out : sends[static_cast<std::size_t>(p)].pieces())
      pairs.push_back({&out, receives[static_cast<std::size_t>(out.partner)].piece_of(p), p, out.partner});
  }
  const auto strip = std::make_unique<double[]>(32768);
  double copying = 1e9, together = 1e9, packing = 1e9, unpacking = 1e9, memcpy_time = 1e9;
  for (int k = 0; k < repetitions; ++k) {
    double pack_time = 0, unpack_time = 0;
    memcpy_time = std::min(memcpy_time, memcpy_seconds());
    copying = std::min(copying, seconds([&] {
                         for (const Pair& pair : pairs) {
                           copy_between(*pair.out, a.parts[static_cast<std::size_t>(pair.sender)].data(),
                                        *pair.in, b.parts[static_cast<std::size_t>(pair.receiver)].data());
                         }
                       }));
    // As strips arrive at one receiver: a bit from each sender in turn.
    together = std::min(
        together, seconds([&] {
          for (int q = 0; q < c.destination.grid.positions(); ++q) {
            for (std::int64_t from = 0, more = 1; more > 0; from += 8192) {
              more = 0;
              for (const Pair& pair : pairs) {
                const std::int64_t count = std::min<std::int64_t>(8192, pair.out->elements - from);
                if (pair.receiver != q || count <= 0) continue;
                more += count;
                pack(*pair.out, a.parts[static_cast<std::size_t>(pair.sender)].data(), from, count,
                     strip.get());
                unpack(*pair.in, b.parts[static_cast<std::size_t>(q)].data(), from, count, strip.get());
              }
            }
          }
        }));
    for (const Pair& pair : pairs) {
      for (std::int64_t from = 0; from < pair.out->elements; from += 32768) {
        const std::int64_t count = std::min<std::int64_t>(32768, pair.out->elements - from);
        pack_time += seconds([&] {
          pack(*pair.out, a.parts[static_cast<std::size_t>(pair.sender)].data(), from, count, strip.get());
        });
        unpack_time += seconds([&] {
          unpack(*pair.in, b.parts[static_cast<std::size_t>(pair.receiver)].data(), from, count, strip.get());
        });
      }
    }
    packing = std::min(packing, pack_time);
    unpacking = std::min(unpacking, unpack_time);
  }
  fmt::print(
      "{:<26} schedules {:>8.1f} us   share of memcpy: copy {:.2f}  by strips {:.2f}  pack {:.2f}  unpack "
      "{:.2f}\n",
      c.name, planning * 1e6, memcpy_time / copying, memcpy_time / together, memcpy_time / packing,
      memcpy_time / unpacking);
}

void schedule_time(std::int64_t block_a, int processes_a, std::int64_t block_b, int processes_b) {
  const auto a = over({cyclic(1'000'000'000, block_a, 0)}, {processes_a});
  const auto b = over({cyclic(1'000'000'000, block_b, 0)}, {processes_b});
  double best = 1e9;
  Schedule schedule;
  for (int k = 0; k < 5; ++k)
    best = std::min(best, seconds([&] { schedule = Schedule::sending(a, {}, 17, b, {}); }));
  fmt::print("CYCLIC({})/{} -> CYCLIC({})/{}: {:.3f} ms, {} pieces, {} families\n", block_a, processes_a,
             block_b, processes_b, best * 1e3, schedule.pieces().size(), schedule.families());
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 4000;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  std::vector<double> from(static_cast<std::size_t>(n * n), 1), to(from.size(), 2);
  const auto memcpy_seconds = [&] {
    return seconds([&] { std::memcpy(to.data(), from.data(), from.size() * 8); });
  };
  fmt::print("memcpy of {} MB: {:.2f} GB/s\n", n * n * 8 / 1000000,
             static_cast<double>(n * n) * 8e-9 / memcpy_seconds());
  for (const Case& c : cases(n)) measure(c, repetitions, memcpy_seconds);
  schedule_time(1000, 1024, 999, 1023);
  schedule_time(3, 1024, 5, 1023);
  schedule_time(976563, 1024, 1, 1023);
  schedule_time(1, 1024, 977518, 1023);
  schedule_time(1, 1024, 1, 1023);
}
