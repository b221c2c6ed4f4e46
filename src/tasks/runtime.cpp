// SPDX-License-Identifier: Apache-2.0
#include "tasks/runtime.hpp"

#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <algorithm>
#include <system_error>

#include "tasks/settings.hpp"

#include "tasks/fault.hpp"

namespace lapwing::tasks {

namespace {
std::atomic<Runtime*> running{nullptr};
}

Runtime* Runtime::current() { return running.load(std::memory_order_acquire); }

Runtime::Runtime(const Options& asked) : options(settle(asked)) {
  window = options.window;
  low_mark = window / 2;
  check_interval = std::clamp<std::uint64_t>(window / 8, 1, 64);
  if (!options.trace.empty()) trace = std::make_unique<Trace>(options.trace);
  for (int i = 0; i < options.workers; ++i) workers.push_back(std::make_unique<Worker>(*this, i));
  main.main = true;
}

Runtime::~Runtime() {
  for (const auto& worker : workers) worker->free_fibers();
}

void Runtime::drain() {
  if (!drained() && !fault(Fault::early_end)) {
    main.pending.store(2, std::memory_order_relaxed);
    draining.store(true);
    Worker::suspend();
  }
  rethrow_failure();
}

void Runtime::rethrow_failure() {
  if (!failure.any()) return;
  // Every task before the failure has ended: none can come before it now.
  std::rethrow_exception(failure.take());
}

void Runtime::run(const std::function<void()>& program) {
  Worker& first = *workers[0];
  first.adopt_as_self();
  first.current = &main;
  const auto halt = [&] {
    stop.store(true);
    for (const auto& worker : workers) worker->wake();
    for (const auto& worker : workers) {
      if (worker->thread.joinable()) worker->thread.join();
    }
  };
  try {
    for (std::size_t i = 1; i < workers.size(); ++i) {
      workers[i]->thread = std::thread([worker = workers[i].get()] { worker->serve(); });
    }
  } catch (const std::system_error& error) {
    halt();
    throw Error(fmt::format("{} workers cannot be had: {}", workers.size(), error.what()));
  }
  std::exception_ptr own;
  try {
    program();
  } catch (...) {
    own = std::current_exception();
  }
  try {
    drain();
  } catch (...) {
    own = std::current_exception();  // a task's comes before what the main program threw
  }
  halt();
  if (trace != nullptr) trace->write();
  if (own != nullptr) std::rethrow_exception(own);
}

Statistics Runtime::statistics() const {
  Statistics s;
  for (const auto& w : workers) {
    s.tasks += w->finished.load();
    s.on_target += w->on_target.load();
    s.targeted += w->targeted.load();
    s.stolen += w->stolen.load();
    s.suspended += w->suspended.load();
    s.window_waits += w->window_waits.load();
    s.most_unfinished = std::max<std::uint64_t>(s.most_unfinished, w->most.load());
  }
  return s;
}

void run(const Options& options, const std::function<void()>& program) {
  Runtime runtime(options);
  Runtime* nobody = nullptr;
  if (!running.compare_exchange_strong(nobody, &runtime)) {
    throw Error("run() is called while another run() is under way; a process has one program at a time");
  }
  struct End {
    ~End() {
      Worker::self_is_nobody();
      end_all_objects();
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
  return worker == nullptr ? 1 : static_cast<int>(worker->runtime.workers.size());
}

int worker() {
  const Worker* const worker = Worker::self();
  return worker == nullptr ? 0 : worker->index;
}

Statistics statistics() {
  const Runtime* const runtime = Runtime::current();
  return runtime == nullptr ? Statistics{} : runtime->statistics();
}

}  // namespace lapwing::tasks
