// SPDX-License-Identifier: Apache-2.0
// An object ends on another rank while the home gives its place to the next one: what a task there writes to
// that must come back. The thread that ends the first is held up by LAPWING_FAULT.
#include <lapwing/tasks.hpp>

#include <chrono>
#include <cstdio>
#include <thread>

int reused_place() {
  using namespace lapwing::tasks;
  using std::chrono::milliseconds;
  int wrong = 0;
  Options options;
  options.workers = 2;
  options.central = false;
  try {
    run(options, [&] {
      const int there = workers() - 2;  // the last rank's first; its other one goes on
      shared<int> first = create<int>(1);
      withonly(
          [&](Access& a) {
            a.on(there);
            a.rd_wr(first);
          },
          [first] {
            std::this_thread::sleep_for(milliseconds(60));
            *read_write(first) = 2;
          });
      destroy(first);
      std::this_thread::sleep_for(milliseconds(100));  // the task above ends, and then the object there
      shared<int> second = create<int>(3);
      withonly(
          [&](Access& a) {
            a.on(there + 1);
            a.rd_wr(second);
          },
          [second] { *read_write(second) += 4; });
      std::this_thread::sleep_for(milliseconds(100));  // and the held thread goes on
      const int got = *read(second);
      if (got != 7) std::printf("the second object is %d\n", got), wrong = 1;
    });
  } catch (const std::exception& error) {
    std::printf("reuse: %s\n", error.what());
    wrong = 1;
  }
  return wrong;
}
