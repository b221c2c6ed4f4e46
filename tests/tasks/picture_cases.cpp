// SPDX-License-Identifier: Apache-2.0
// A program of tasks whose picture is looked at (test_picture.py): picture_cases TASKS.
#include <lapwing/tasks.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace lapwing::tasks;

namespace {

// A picture must bear these: markup, control characters, letters of several bytes, whole and cut.
const char* const odd[] = {"a<b & \"c\" > 'd'",
                           "]]> --> <!-- <rect",
                           "tab\tand\nline\x01\x1b",
                           "Waermeleitung größer als üblich",
                           "short\xff\xfe\xc3(\xed\xa0\x80",
                           ""};

}  // namespace

int main(int argc, char** argv) {
  const int tasks = argc > 1 ? std::atoi(argv[1]) : 20;
  run([=] {
    std::vector<shared<std::vector<double>>> blocks;
    for (int i = 0; i < 4; ++i) blocks.push_back(create_named<std::vector<double>>("block <&>", 10U, 0.0));
    for (const char* const name : odd) {
      spawn([](std::vector<double>& mine) { mine[0] += 1; }, read_write(blocks[0]), named(name));
    }
    for (int i = 0; i < tasks; ++i) {
      const auto &from = blocks[static_cast<std::size_t>(i % 4)],
                 &to = blocks[static_cast<std::size_t>((i + 1) % 4)];
      spawn([](const std::vector<double>& left, std::span<double> some) { some[0] += left[9]; }, read(from),
            write(part(to, static_cast<std::size_t>(i % 9), 2)), named("step", i), on(i % workers()));
    }
  });
  return 0;
}
