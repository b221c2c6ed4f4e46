// SPDX-License-Identifier: Apache-2.0
// When nothing can run: a creator goes on, or the program is told who waits for
// whom and ends. The rules of the queues exclude a cycle among declared
// accesses, so this is what a task has made by waiting in some other way.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks {

void Runtime::stalled() {
  // Other ranks may be at work, and the main program can wait for them.
  if (release_one_creator(ranks == nullptr || !ranks->others_at_work()) || ranks != nullptr) return;
  if (main_ready.load() || main.fiber == nullptr) return;
  std::string text = "lapwing: the program cannot go on: every task that is left waits for another one.\n";
  text += describe_waits();
  std::fputs(text.c_str(), stderr);
  std::abort();
}

}  // namespace lapwing::tasks
