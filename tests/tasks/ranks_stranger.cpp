// SPDX-License-Identifier: Apache-2.0
// Task code in a library of its own, which a test loads on one rank only.
#include <lapwing/tasks.hpp>

using namespace lapwing::tasks;

extern "C" __attribute__((visibility("default"))) void spawn_stranger(const shared<int>& x) {
  spawn([](int& value) { ++value; }, read_write(x), named("stranger", 7), on(workers() - 1));
}
