// SPDX-License-Identifier: Apache-2.0
#include "tasks/runtime.hpp"

#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tasks/outside.hpp"
#include "tasks/planted.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/settings.hpp"

namespace lapwing::tasks {

namespace {
std::atomic<Runtime*> running{nullptr};
constexpr int usual_spare = 256;
}  // namespace

Runtime* Runtime::current() { return running.load(std::memory_order_acquire); }

Runtime::Runtime(const Options& asked) : options(settle(asked)) {
  window = options.window;
  low_mark = window / 2;
  check_interval = std::clamp<std::uint64_t>(window / 8, 1, 64);
  if (!options.trace.empty()) trace = std::make_unique<Trace>(options.trace);
  for (int i = 0; i < options.workers; ++i) workers.push_back(std::make_unique<Worker>(*this, i));
  main.main = true;
  // Before the wire, which initialises MPI where the program has not.
  const bool waits_outside = options.spare != 0 && watch_outside_calls() == Initialised::with_multiple;
  if (options.spare > 0 || (options.spare < 0 && waits_outside))
    slots = std::make_unique<Slots>(*this, options.spare > 0 ? options.spare : usual_spare);
  if (!options.ranks) return;
  ranks::Wire* const wire = ranks::find_wire();
  if (wire == nullptr) return;
  if (wire->rank() != 0 && trace != nullptr) {
    // Before the extension, which says the form.
    const std::filesystem::path file = options.trace;
    const std::string name =
        fmt::format("{}.{}{}", file.stem().string(), wire->rank(), file.extension().string());
    trace = std::make_unique<Trace>((file.parent_path() / name).string());
  }
  ranks = std::make_unique<ranks::Ranks>(*this, *wire);
}

Runtime::~Runtime() {
  for (const auto& worker : workers) worker->free_fibers();
  if (slots != nullptr) slots->each_guest([](Worker& guest) { guest.free_fibers(); });
}

void Runtime::drain() {
  if (!drained() && !fault(Fault::early_end)) {
    main.pending.store(2, std::memory_order_relaxed);
    draining.store(true);
    if (ranks != nullptr) ranks->home.ask();
    Worker::suspend();
  }
  rethrow_failure();
}

void Runtime::rethrow_failure() {
  if (!failure.any()) return;
  // Every task before the failure has ended: none can come before it now.
  if (ranks != nullptr) ranks->failures.forget();
  std::rethrow_exception(failure.take());
}

void Runtime::run(const std::function<void()>& program) {
  if (slots != nullptr) {
    slots->adopt_main(main);
  } else {
    workers[0]->adopt_as_self();
    workers[0]->current = &main;
  }
  if (ranks != nullptr) ranks->start();
  const bool serves = ranks != nullptr && !ranks->job.home();
  const auto halt = [&] {
    stop.store(true);
    for (const auto& worker : workers) worker->wake();
    for (const auto& worker : workers) {
      if (worker->thread.joinable()) worker->thread.join();
    }
    if (slots != nullptr) slots->stop();
  };
  try {
    if (slots != nullptr) slots->start();
    for (std::size_t i = 1; slots == nullptr && i < workers.size(); ++i) {
      workers[i]->thread = std::thread([worker = workers[i].get()] { worker->serve(); });
    }
  } catch (const std::system_error& error) {
    halt();
    throw Error(fmt::format("{} workers cannot be had: {}", workers.size(), error.what()));
  }
  std::exception_ptr own;
  try {
    if (serves) {
      Worker::suspend();  // until the home ends the run
    } else {
      program();
    }
  } catch (...) {
    own = std::current_exception();
  }
  try {
    if (!serves) drain();
  } catch (...) {
    own = std::current_exception();  // a task's comes before what the main program threw
  }
  if (ranks != nullptr && !serves) ranks->end_all();
  halt();
  if (ranks != nullptr) ranks->settle();
  if (trace != nullptr) trace->write();
  if (own != nullptr) std::rethrow_exception(own);
}

Statistics Runtime::statistics() const {
  Statistics s;
  const auto add = [&s](const Worker& w) {
    s.tasks += w.finished.load();
    s.on_target += w.on_target.load();
    s.targeted += w.targeted.load();
    s.stolen += w.stolen.load();
    s.suspended += w.suspended.load();
    s.window_waits += w.window_waits.load();
    s.most_unfinished = std::max<std::uint64_t>(s.most_unfinished, w.most.load());
  };
  for (const auto& worker : workers) add(*worker);
  if (slots != nullptr) slots->each_guest(add);
  if (ranks != nullptr) s.tasks += ranks->poller.helper().finished.load();
  if (ranks != nullptr) ranks->add_to(s);
  return s;
}

void run(const Options& options, const std::function<void()>& program) {
  Runtime runtime(options);
  Runtime* none = nullptr;
  if (!running.compare_exchange_strong(none, &runtime)) {
    throw Error("run() is called while another run() is under way; a process has one program at a time");
  }
  struct End {
    ~End() {
      Worker::self_is_no_worker();
      end_all_objects();
      ranks::range().forget_met();
      running.store(nullptr);
    }
  } end;
  runtime.run(program);
}

void finish() {
  Worker* const worker = Worker::self();
  if (worker == nullptr) throw Error("finish() is called outside of run()");
  if (!worker->current->main)
    throw Error(text_of(*worker->current) + " calls finish(); only the main program may");
  Trace* const trace = worker->runtime.trace.get();
  Recording* const recording = trace == nullptr ? nullptr : trace->recording();
  if (recording != nullptr) recording->main_enters();
  worker->runtime.drain();
  if (recording == nullptr) return;
  recording->main_finishes();
  recording->main_leaves();
}

int workers() {
  const Worker* const worker = Worker::self();
  if (worker == nullptr) return 1;
  const Runtime& runtime = worker->runtime;
  return runtime.ranks != nullptr ? runtime.ranks->job.all_workers()
                                  : static_cast<int>(runtime.workers.size());
}

int worker() {
  const Worker* const worker = Worker::self();
  if (worker == nullptr) return 0;
  const ranks::Ranks* const ranks = worker->runtime.ranks.get();
  return (ranks != nullptr ? ranks->job.first_worker_here() : 0) + worker->index;
}

Statistics statistics() {
  const Runtime* const runtime = Runtime::current();
  return runtime == nullptr ? Statistics{} : runtime->statistics();
}

}  // namespace lapwing::tasks
