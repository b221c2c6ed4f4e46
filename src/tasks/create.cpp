// SPDX-License-Identifier: Apache-2.0
// How a task comes into being: its declarations are checked, merged and turned
// into records, and these enter the queues of their objects.
#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "tasks/create.hpp"
#include "tasks/extent.hpp"
#include "tasks/planted.hpp"
#include "tasks/queue.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/rights.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks {

namespace {

constexpr std::size_t few = 16;  // declarations that are compared one by one
constexpr int most_priority = 32767;

// Adds a second declaration of the same object, or of the same part of it.
void merge(Record& record, const detail::Declaration& more, const Task& task) {
  const auto both = static_cast<std::uint8_t>(record.rights | more.rights);
  if ((both & detail::reduces) != 0 && (both != detail::reduces || record.reduction != more.reduction)) {
    throw Error(fmt::format("{} declares {} both for a reduction and for something else", text_of(task),
                            record.object->text()));
  }
  const auto immediate =
      static_cast<std::uint8_t>((record.rights & ~record.deferred) | (more.deferred ? 0 : more.rights));
  record.rights = both;
  record.deferred = static_cast<std::uint8_t>(both & ~immediate);
  // An update that must also be ordered for another reason does not commute.
  if ((both & detail::commutes) != 0 && both != detail::commutes) {
    record.rights = detail::reads | detail::writes | detail::commutes;
    if (record.deferred != 0) record.deferred = record.rights & ~immediate;
  }
}

// The records that a task has declared so far.
class Declared {
 public:
  Declared(Task& task, std::size_t declarations) : task_(task), next_(first_section(task, declarations)) {
    if (declarations > few) by_object_ = std::make_unique<ByObject>();
  }

  void add(const detail::Declaration& each, Object& object, const detail::Extent* part) {
    if (Record* const before = find(object, part)) {
      return merge(before->partial && part == nullptr ? make_whole(object) : *before, each, task_);
    }
    Record* const record = ::new (task_.records() + task_.count) Record;
    ++task_.count;
    record->object = &object;
    record->task = &task_;
    record->reduction = each.reduction;
    record->rights = each.rights;
    record->deferred = each.deferred ? each.rights : 0;
    if (part != nullptr) make_partial(*record, *part, next_);
    if (by_object_ != nullptr) by_object_->emplace(&object, task_.count - 1);
  }

 private:
  // The record that a declaration adds to: of the object, or of the very same part.
  Record* find(const Object& object, const detail::Extent* part) {
    const auto same = [&](const Record& record) {
      return record.object == &object &&
             (part == nullptr || !record.partial || section_of(record).extent == normal(*part));
    };
    if (by_object_ == nullptr) {
      for (Record& record : task_) {
        if (same(record)) return &record;
      }
      return nullptr;
    }
    const auto [first, last] = by_object_->equal_range(&object);
    for (auto each = first; each != last; ++each) {
      if (same(task_.records()[each->second])) return &task_.records()[each->second];
    }
    return nullptr;
  }

  // The task uses all of the object too: one record for it and for all of its parts.
  Record& make_whole(const Object& object) {
    Record& whole =
        *std::find_if(task_.begin(), task_.end(), [&](const Record& r) { return r.object == &object; });
    whole.partial = false;
    whole.own = nullptr;
    std::uint32_t kept = 0;
    for (Record& record : task_) {
      if (&record != &whole && record.object == whole.object) {
        merge(whole, {{}, static_cast<std::uint8_t>(record.rights & ~record.deferred)}, task_);
        merge(whole, {{}, record.deferred, true}, task_);
        continue;
      }
      if (&record != task_.records() + kept) task_.records()[kept] = record;
      ++kept;
    }
    task_.count = kept;
    if (by_object_ == nullptr) return whole;
    by_object_->clear();
    for (std::uint32_t i = 0; i < kept; ++i) by_object_->emplace(task_.records()[i].object, i);
    return whole;
  }

  Task& task_;
  Section* next_;
  using ByObject = std::unordered_multimap<const Object*, std::uint32_t>;
  std::unique_ptr<ByObject> by_object_;  // where there are many
};

void declare(Task& task, const detail::Request& request, const Task& parent, std::size_t sections) {
  Declared declared(task, request.count);
  const bool whole = sections != 0 && takes_parts_whole();
  for (std::size_t i = 0; i < request.count; ++i) {
    const detail::Declaration& each = request.declarations[i];
    declared.add(each, valid(each.what, each.type, task, "declares"), whole ? nullptr : each.part);
  }
  classify(task);
  if (parent.main) return;
  for (const Record& record : task) require_covered(record, parent);
}

std::size_t sections_of(const detail::Request& request) {
  std::size_t sections = 0;
  for (std::size_t i = 0; i < request.count; ++i) sections += request.declarations[i].part != nullptr;
  return sections;
}

Worker& creator() {
  Worker* const worker = Worker::self();
  if (worker == nullptr) throw Error("a task is spawned outside of run()");
  return *worker;
}

void give_back(Task* task) {
  if (task->guest != nullptr) Worker::self()->runtime.ranks->ended(*task);
  Task* const parent = task->parent;
  const int block_class = task->block_class;
  task->~Task();
  Worker* const worker = Worker::self();
  worker->blocks.give(worker->runtime.depot, task, block_class);
  if (parent != nullptr && !parent->main) release_task(parent);
}

}  // namespace

Task* allocate_task(Worker& worker, const detail::Body& body, std::size_t records, std::size_t sections) {
  const std::size_t before = sizeof(Task) + records * sizeof(Record) + sections * sizeof(Section);
  const std::size_t align = std::max<std::size_t>(body.align, 8);
  const std::size_t start = (before + align - 1) / align * align;
  std::uint8_t block_class = 0;
  if (align > 64) throw Error("the closure of a task wants to be aligned to more than 64 bytes");
  void* const block = worker.blocks.take(worker.runtime.depot, start + body.size, block_class);
  Task* const task = ::new (block) Task;
  task->block_class = block_class;
  task->closure = static_cast<std::byte*>(block) + start;
  task->body = &body;
  return task;
}

// The central scheduler of the home moves whole objects to the ranks of tasks that may begin.
bool takes_parts_whole() {
  const ranks::Ranks* const ranks = Worker::self()->runtime.ranks.get();
  return ranks != nullptr && ranks->central.on();
}

Section* first_section(Task& task, std::size_t records) {
  return reinterpret_cast<Section*>(task.records() + records);
}

void make_partial(Record& record, const detail::Extent& extent, Section*& next) {
  record.partial = true;
  record.own = ::new (next++) Section{normal(extent)};
}

void classify(Task& task) {
  bool waits_later = false;
  for (const Record& record : task) waits_later = waits_later || record.deferred != 0;
  for (Record& record : task) {
    record.kind = class_of(record.rights);
    if (record.kind == Class::commuting) {
      // A task that may wait later for tasks before it must not overtake them; turns are taken of whole
      // objects.
      if (waits_later || record.rights != detail::commutes || record.partial) {
        record.kind = Class::exclusive;
      } else {
        task.commutes = true;
      }
    }
    if (record.kind == Class::reducing) task.references.store(task.references.load() + 1);
  }
}

void enter_task(Task& task, Worker& worker) {
  if (task.count == 0) return worker.schedule_one(&task);
  const Task& parent = *task.parent;
  // No worker may count it down to nothing while records are still entering.
  task.pending.store(static_cast<std::int32_t>(task.count) + 1, std::memory_order_relaxed);
  std::int32_t enabled = 1;
  for (Record& record : task) {
    Record* const before = parent.main ? nullptr : find_record(parent, *record.object);
    const bool deferred = (record.rights & ~record.deferred) == 0;
    if (enter(record, before) || deferred || fault(Fault::starts_early)) ++enabled;
  }
  if (task.pending.fetch_sub(enabled, std::memory_order_acq_rel) == enabled) worker.schedule_one(&task);
}

// Where what the worker's current task does is recorded, if it is the main program.
static Recording* recording_of(const Worker& worker) {
  return worker.runtime.trace != nullptr && worker.current->main ? worker.runtime.trace->recording()
                                                                 : nullptr;
}

void release_task(Task* task) {
  if (task->references.load(std::memory_order_acquire) == 1 ||
      task->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    give_back(task);
  }
}

namespace detail {

Prepared prepare(const Request& request) {
  Worker* worker = &creator();
  Runtime& runtime = worker->runtime;
  Recording* const recording = recording_of(*worker);
  if (recording != nullptr) recording->main_enters();
  if (runtime.failure.any()) {
    if (worker->current->main) runtime.drain();
    runtime.failure.check(*Worker::self()->current);
  }
  runtime.before_creation(*worker);
  worker = Worker::self();
  Task* const parent = worker->current;
  const std::size_t sections = sections_of(request);
  Task* const task = allocate_task(*worker, *request.body, request.count, sections);
  task->label = request.label;
  task->where = request.where;
  task->priority =
      static_cast<std::int16_t>(std::clamp(request.priority.value, -most_priority, most_priority));
  task->parent = parent;
  if (!parent->main) parent->references.fetch_add(1, std::memory_order_relaxed);
  try {
    if (request.placement.worker >= workers() || request.placement.worker < -1) {
      throw Error(fmt::format("{} is to run on worker {}, but there are {}", text_of(*task),
                              request.placement.worker, workers()));
    }
    if (runtime.options.placement) task->placed = request.placement.worker;
    if (runtime.ranks != nullptr && !parent->main) {
      task->placed = runtime.ranks->loans.place_of_child(task->placed);
    }
    declare(*task, request, *parent, sections);
  } catch (...) {
    give_back(task);
    throw;
  }
  task->place = parent->children++;
  ++parent->epoch;
  task->fresh = false;
  if (task->count > 0) task->locality = task->records()->object;
  return {task, task->closure};
}

void abandon(void* memory) noexcept { give_back(static_cast<Task*>(memory)); }

void launch(void* memory) {
  auto* const task = static_cast<Task*>(memory);
  Worker& worker = *Worker::self();
  if (worker.runtime.ranks != nullptr && task->parent->main) {
    try {
      if (worker.runtime.ranks->launch(*task)) return give_back(task);
    } catch (...) {
      task->body->drop(task->closure);
      give_back(task);
      throw;
    }
  }
  count(worker.created);
  if (worker.runtime.trace != nullptr) worker.runtime.trace->created(*task);
  Recording* const recording = recording_of(worker);
  enter_task(*task, worker);
  if (recording != nullptr) recording->main_leaves();
}

}  // namespace detail

}  // namespace lapwing::tasks
