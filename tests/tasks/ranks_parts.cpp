// SPDX-License-Identifier: Apache-2.0
// Parts of objects on ranks: the serial result wherever tasks run, with large objects that travel in
// strips and with small ones, and for every scheduler. Ends with 0 if all is as it should be.
#include <lapwing/tasks.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace lapwing::tasks;

namespace {

using Numbers = std::vector<double>;

struct Two {
  std::string text;
  double number = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive& text& number;
  }
};

void relax(std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = 0.5 * (from[i] + from[i + 2]);
}

int sweeps(std::size_t n, std::size_t parts, bool placed) {
  const auto a = create_named<Numbers>("a", n + 2, 1.0), b = create_named<Numbers>("b", n + 2, 1.0);
  Numbers c(n + 2, 1.0), d(n + 2, 1.0);
  read_write(a)[3] = c[3] = 1e6;
  for (int step = 0; step < 12; ++step) {
    const auto from = step % 2 == 0 ? a : b, to = step % 2 == 0 ? b : a;
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t first = n * i / parts, count = n * (i + 1) / parts - first;
      const int there = placed ? static_cast<int>(i) % workers() : -1;
      spawn(relax, read(part(from, first, count + 2)), write(part(to, first + 1, count)), on(there));
    }
    relax({c.data(), n + 2}, {d.data() + 1, n});
    c.swap(d);
  }
  return *read(a) == c ? 0 : 1;
}

int fields() {
  const auto x = create<Two>();
  for (int i = 0; i < 20; ++i) {
    spawn([i](std::string& text) { text += static_cast<char>('a' + i); }, read_write(field(x, &Two::text)),
          on(i % workers()));
    spawn([](double& number) { number += 1; }, read_write(field(x, &Two::number)), on((i + 1) % workers()));
    // A task of a task, of a part of its parent's part.
    withonly([&](Access& a) { a.rd_wr(x), a.on(i % workers()); },
             [=] { spawn([](double& number) { number *= 2; }, read_write(field(x, &Two::number))); });
  }
  double number = 0;
  for (int i = 0; i < 20; ++i) number = 2 * (number + 1);
  return read(x)->text == "abcdefghijklmnopqrst" && read(x)->number == number ? 0 : 1;
}

}  // namespace

int main() {
  int wrong = 0;
  const auto check = [&](int result, const char* what) {
    if (result != 0) std::printf("wrong: %s\n", what);
    wrong += result;
  };
  run([&] {
    for (const std::size_t n : {100UL, 50000UL}) {
      check(sweeps(n, 8, false), "sweeps");
      check(sweeps(n, 5, true), "placed sweeps");
    }
    check(fields(), "fields");
  });
  return wrong == 0 ? 0 : 1;
}
