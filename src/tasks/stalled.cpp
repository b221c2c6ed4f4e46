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

namespace {
constexpr std::uint64_t entry = (std::uint64_t{1} << 32) + 1;
}  // namespace

// A worker rests from its last look to its next one. A worker that made a task ready,
// or took one, has looked since: when all rest, what is in no queue is nowhere.
// One that was woken and has not begun still rests, so all queues count, those
// of placed tasks too. A worker that lets a creator go on rests no more: another one
// that looks meanwhile would find neither the creator nor its task.
bool Runtime::rest() {
  const std::uint64_t all = resting.fetch_add(entry) + entry;
  if ((all & 0xffffffff) < workers.size() || stop.load() || main_ready.load()) return true;
  // Asked before the queues: what such a task has made ready is in one when it is counted no more.
  const bool elsewhere = slots != nullptr && slots->any_elsewhere();
  for (const auto& worker : workers) {
    if (!worker->processor.surely_empty(true)) return true;
  }
  resting.fetch_sub(1);
  // Other ranks may be at work, and the main program can wait for them.
  if (release_one_creator(ranks == nullptr || !ranks->others_at_work())) return false;
  if (ranks == nullptr) {
    if (resting.load() != all - 1) return false;  // one of them has woken since, or twice
    if (!elsewhere && main_is_waiting()) end_stalled();
  }
  resting.fetch_add(entry);
  return true;
}

void Runtime::end_stalled() {
  std::string text = "lapwing: the program cannot go on: every task that is left waits for another one.\n";
  text += describe_waits();
  std::fputs(text.c_str(), stderr);
  std::abort();
}

}  // namespace lapwing::tasks
