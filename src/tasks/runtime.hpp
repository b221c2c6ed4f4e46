// SPDX-License-Identifier: Apache-2.0
// One run of a program with tasks: its workers, and what they share.
#pragma once

#include <lapwing/tasks/options.hpp>
#include <lapwing/tasks/program.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "tasks/failure.hpp"
#include "tasks/slots.hpp"
#include "tasks/trace.hpp"
#include "tasks/worker.hpp"

namespace lapwing::tasks {

namespace ranks {
class Ranks;
}

class Runtime {
 public:
  explicit Runtime(const Options& options);
  ~Runtime();

  static Runtime* current();
  /// Runs the main program to its end, and all tasks to theirs.
  void run(const std::function<void()>& program);
  /// The main program waits for all tasks; throws what one of them threw.
  void drain();

  /// The main program may go on.
  void ready_main();
  /// Tasks that a worker with nothing to do can let go on: creators, and those
  /// that wait for the end of all tasks.
  void look_around();

  // --- the window (window.cpp) ---
  /// Created and not finished; exact only when nothing runs.
  std::uint64_t unfinished() const;
  bool drained() const;
  /// The running task is about to create another.
  void before_creation(Worker& worker);
  /// Lets creators go on where the window allows it.
  void look_at_window();
  /// Nothing can run: lets one creator go on. False if there is none.
  bool release_one_creator(bool also_main = true);

  /// A task waits in the window, and will be let go when nothing else can run.
  bool creators_may_go_on();

  /// Wakes a worker that can run what has come to worker `target`.
  void wake_for(int target);
  /// A worker has looked everywhere and found nothing to do. Where all have, a
  /// creator goes on, or the program ends with a report. True: it rests until
  /// it takes itself out of `resting`; false: it must look again.
  bool rest();
  Statistics statistics() const;

  bool slot_wanted() const { return slots != nullptr && slots->wanted(); }
  bool main_is_waiting() const { return slots != nullptr ? slots->main_is_waiting() : main.fiber != nullptr; }

  Options options;
  std::size_t window, low_mark;
  std::uint64_t check_interval;
  std::vector<std::unique_ptr<Worker>> workers;
  BlockDepot depot;
  Failure failure;
  std::unique_ptr<Trace> trace;
  std::unique_ptr<Slots> slots;         // where tasks may wait outside
  std::unique_ptr<ranks::Ranks> ranks;  // where there are others
  Task main;
  std::atomic<bool> main_ready{false};
  std::atomic<bool> draining{false};
  std::atomic<bool> stop{false};
  std::atomic<int> sleepers{0};  // at least those that sleep: a hint for who wakes
  // Exactly those that have looked and found nothing; above them, how often one has.
  std::atomic<std::uint64_t> resting{0};
  std::atomic<int> waiting_creators{0};
  std::atomic<std::uint64_t> objects{0};
  std::atomic<int> idle{0};  // workers that wait, and hold nothing, on ranks

 private:
  void rethrow_failure();
  [[noreturn]] void end_stalled();
  progress::OwnedMutex creators_mutex_;
  std::vector<Task*> creators_ LAPWING_GUARDED_BY(creators_mutex_);
};

}  // namespace lapwing::tasks
