// SPDX-License-Identifier: Apache-2.0
// The language of tasks for C. No exception leaves this file: what goes wrong in a body is kept until
// the body has returned, and leaves the task then.
#include <fmt/format.h>
#include <lapwing/tasks.h>
#include <lapwing/tasks/errors.hpp>
#include <lapwing/tasks/pack.hpp>
#include <lapwing/tasks/program.hpp>

#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tasks/c/values.hpp"
#include "tasks/failure.hpp"
#include "tasks/worker.hpp"

namespace lapwing::tasks::c {
namespace {

thread_local std::string last_error;

struct Closure {
  void (*body)(void*) = nullptr;
  std::size_t size = 0;
  std::unique_ptr<std::max_align_t[]> large;
  std::exception_ptr failed;  // of the body, when it returns
  alignas(std::max_align_t) char small[64] = {};

  void* room() {
    if (size <= sizeof small) return small;
    if (large == nullptr) large.reset(new std::max_align_t[(size - 1) / sizeof(std::max_align_t) + 1]);
    return large.get();
  }
  void* bytes() { return size <= sizeof small ? static_cast<void*>(small) : large.get(); }
};

void (*bodies)(void*, std::size_t) = nullptr;  // of tasks without one

void run_closure(void* memory) {
  struct End {
    Closure* closure;
    ~End() { closure->~Closure(); }
  } end{static_cast<Closure*>(memory)};
  Closure& closure = *end.closure;
  if (closure.body == nullptr && bodies == nullptr)
    throw Error("a task has no body, and lapwing_task_bodies() was not called");
  closure.body == nullptr ? bodies(closure.bytes(), closure.size) : closure.body(closure.bytes());
  if (end.closure->failed != nullptr) std::rethrow_exception(end.closure->failed);
}

void pack_closure(const void* memory, detail::Out& out) {
  auto& closure = *static_cast<Closure*>(const_cast<void*>(memory));
  out.put(&closure.body, sizeof closure.body);
  out.put(&closure.size, sizeof closure.size);
  out.put(closure.bytes(), closure.size);
}

void unpack_closure(void* memory, detail::In& in) {
  auto& closure = *::new (memory) Closure;
  in.get(&closure.body, sizeof closure.body);
  in.get(&closure.size, sizeof closure.size);
  in.get(closure.room(), closure.size);
}

const detail::Body body_of_c{"a function of a C program",
                             sizeof(Closure),
                             alignof(Closure),
                             run_closure,
                             [](void* memory) { static_cast<Closure*>(memory)->~Closure(); },
                             pack_closure,
                             unpack_closure};

// Those of other languages wait for nothing once they run.
const detail::Body body_elsewhere{"a function of another language",
                                  sizeof(Closure),
                                  alignof(Closure),
                                  run_closure,
                                  body_of_c.drop,
                                  pack_closure,
                                  unpack_closure,
                                  true};

std::exception_ptr failed_main;  // what the main program did wrong first, or has been told of

// Where what the running function does wrong is kept.
std::exception_ptr& failed_here() {
  const Worker* const worker = Worker::self();
  const bool in_task = worker != nullptr && worker->current != nullptr &&
                       (worker->current->body == &body_of_c || worker->current->body == &body_elsewhere);
  return in_task ? static_cast<Closure*>(worker->current->closure)->failed : failed_main;
}

// Keeps the exception that is being handled.
void keep(bool said) {
  try {
    throw;
  } catch (const std::exception& error) {
    last_error = error.what();
    if (said) std::fprintf(stderr, "lapwing: %s\n", error.what());
  } catch (...) {  // a task before this one has failed
    last_error = "a task before this one in the program has failed";
  }
  std::exception_ptr& failed = failed_here();
  if (failed == nullptr) failed = std::current_exception();
}

template <class Do>
int guarded(Do act) {
  try {
    act();
    return 0;
  } catch (const Error&) {
    keep(true);
  } catch (...) {
    keep(false);
  }
  return -1;
}

detail::Extent extent_of(const lapwing_task_access& access) {
  return {access.first, access.width, access.count, access.stride};
}

void check_rights(const lapwing_task_access& access) {
  if (access.rights <= 0 || access.rights > 7)
    throw Error(fmt::format(
        "an access has the rights {}, which are not a sum of LAPWING_TASK_RD, _WR and _CM", access.rights));
}

// A name for messages that stays: of tasks without one, where they are spawned.
const char* place(const char* file, int line) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, std::string> places;
  const std::lock_guard lock(mutex);
  std::string& text = places[{file, line}];
  if (text.empty()) {
    const char* const slash = std::strrchr(file, '/');
    text = fmt::format("{}:{}", slash == nullptr ? file : slash + 1, line);
  }
  return text.c_str();
}

void spawn_c(void (*body)(void*), const void* arguments, std::size_t size,
             const lapwing_task_access* accesses, std::size_t count, const lapwing_task_options& options,
             const char* file, int line) {
  std::vector<detail::Declaration> declarations(count);
  std::vector<detail::Extent> extents(count);
  for (std::size_t i = 0; i < count; ++i) {
    const lapwing_task_access& access = accesses[i];
    check_rights(access);
    extents[i] = extent_of(access);
    declarations[i] = {c::handle_of(access.object),
                       static_cast<std::uint8_t>(access.rights),
                       access.deferred != 0,
                       nullptr,
                       &c::bytes_type,
                       access.count == 0 ? nullptr : &extents[i]};
  }
  detail::Request request{declarations.data(), count, body == nullptr ? &body_elsewhere : &body_of_c, {},
                          {options.worker},    {}};
  request.label = {options.name, options.number, options.second};
  request.priority.value = options.priority;
  if (options.name == nullptr) request.label = {place(file, line), -1, -1};
  const detail::Prepared prepared = detail::prepare(request);
  Closure* const closure = ::new (prepared.closure) Closure;
  try {
    closure->body = body;
    closure->size = size;
    void* const room = closure->room();
    if (size > 0) std::memcpy(room, arguments, size);
  } catch (...) {
    closure->~Closure();
    detail::abandon(prepared.task);
    throw;
  }
  detail::launch(prepared.task);
}

void* use(const lapwing_task_access& access) {
  check_rights(access);
  const detail::Handle what = c::handle_of(access.object);
  const auto rights = static_cast<std::uint8_t>(access.rights);
  const detail::Grant grant = access.count == 0
                                  ? detail::grant(what, rights, nullptr, &c::bytes_type)
                                  : detail::grant_extent(what, rights, extent_of(access), &c::bytes_type);
  const auto& value = *static_cast<const c::Value*>(grant.value);
  if (access.count == 0) return value.data;
  const std::size_t end = access.first + (access.count - 1) * access.stride + access.width;
  if (value.kind == nullptr && end > value.size) detail::beyond(what, end, value.size);
  return static_cast<char*>(value.data) + (value.kind == nullptr ? access.first : 0);
}

void* used(const lapwing_task_access& access) {
  void* got = nullptr;
  guarded([&] { got = use(access); });
  return got;
}

void add_changes(std::vector<detail::Change>& changes, std::vector<detail::Extent>& extents, bool acquired,
                 const lapwing_task_access* accesses, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    check_rights(accesses[i]);
    extents.push_back(extent_of(accesses[i]));
    const auto rights = static_cast<std::uint8_t>(accesses[i].rights);
    detail::Change change{c::handle_of(accesses[i].object)};
    (acquired ? change.acquired : change.released) = rights;
    if (accesses[i].count != 0) change.part = &extents.back();
    changes.push_back(change);
  }
}

}  // namespace
}  // namespace lapwing::tasks::c

using namespace lapwing::tasks;
using c::failed_main, c::guarded, c::used, c::last_error, c::failed_here;

extern "C" {

LAPWING_TASKS_API int lapwing_task_run(void (*program)(void*), void* argument, int workers) {
  Options options;
  options.workers = workers;
  failed_main = nullptr;
  const int result = guarded([&] {
    run(options, [&] {
      program(argument);
      if (failed_main != nullptr) std::rethrow_exception(std::exchange(failed_main, nullptr));
    });
  });
  failed_main = nullptr;
  return result;
}

LAPWING_TASKS_API int lapwing_task_finish() {
  return guarded([] { finish(); });
}
LAPWING_TASKS_API int lapwing_task_workers() { return workers(); }
LAPWING_TASKS_API int lapwing_task_worker() { return worker(); }
LAPWING_TASKS_API const char* lapwing_task_error() { return last_error.c_str(); }

LAPWING_TASKS_API lapwing_object lapwing_task_create(const void* initial, size_t size, const char* name) {
  lapwing_object made{};
  guarded([&] {
    auto value = std::make_unique<c::Value>();
    value->data = std::calloc(1, size == 0 ? 1 : size);
    value->size = size;
    if (value->data == nullptr) throw std::bad_alloc();
    if (initial != nullptr && size > 0) std::memcpy(value->data, initial, size);
    try {
      made = c::object_of(detail::create(&c::bytes_type, value.get(), name == nullptr ? "" : name, {}));
    } catch (...) {
      std::free(value->data);
      throw;
    }
    value.release();
  });
  return made;
}

LAPWING_TASKS_API lapwing_object lapwing_task_create_of(const lapwing_object_kind* kind, void* data,
                                                        const char* name) {
  lapwing_object made{};
  guarded([&] {
    const bool travels = kind->packed_size != nullptr && kind->pack != nullptr && kind->unpack != nullptr;
    auto value = std::make_unique<c::Value>(c::Value{0, data, kind});
    std::string its_name = name != nullptr ? name : kind->name != nullptr ? kind->name : "";
    made = c::object_of(
        detail::create(travels ? &c::kind_type : &c::fixed_type, value.get(), std::move(its_name), {}));
    value.release();
  });
  return made;
}

LAPWING_TASKS_API int lapwing_task_destroy(lapwing_object object) {
  return guarded([&] { detail::destroy(c::handle_of(object), &c::bytes_type); });
}

LAPWING_TASKS_API int lapwing_task_spawn_at(void (*body)(void*), const void* arguments, size_t size,
                                            const lapwing_task_access* accesses, size_t count,
                                            const lapwing_task_options* options, const char* file, int line) {
  const lapwing_task_options usual{nullptr, -1, -1, -1, 0};
  return guarded([&] {
    c::spawn_c(body, arguments, size, accesses, count, options == nullptr ? usual : *options, file, line);
  });
}

LAPWING_TASKS_API const void* lapwing_task_read(lapwing_object x) { return used(lapwing_task_rd(x)); }
LAPWING_TASKS_API void* lapwing_task_write(lapwing_object x) { return used(lapwing_task_wr(x)); }
LAPWING_TASKS_API void* lapwing_task_read_write(lapwing_object x) { return used(lapwing_task_rd_wr(x)); }
LAPWING_TASKS_API void* lapwing_task_use(lapwing_task_access access) { return used(access); }

LAPWING_TASKS_API int lapwing_task_with_cont(const lapwing_task_access* now, size_t now_count,
                                             const lapwing_task_access* no_more, size_t no_more_count) {
  return guarded([&] {
    std::vector<detail::Change> changes;
    std::vector<detail::Extent> extents;
    extents.reserve(now_count + no_more_count);
    c::add_changes(changes, extents, true, now, now_count);
    c::add_changes(changes, extents, false, no_more, no_more_count);
    detail::change(changes.data(), changes.size());
  });
}

LAPWING_TASKS_API int lapwing_task_blocking_begin(void) { return detail::leave_slot() ? 1 : 0; }
LAPWING_TASKS_API void lapwing_task_blocking_end(int left) {
  if (left != 0) detail::take_slot();
}

LAPWING_TASKS_API void lapwing_task_bodies(void (*call)(void*, size_t)) { c::bodies = call; }

LAPWING_TASKS_API void lapwing_task_fail(const char* why) {
  std::exception_ptr& failed = failed_here();
  if (failed == nullptr)
    failed = std::make_exception_ptr(std::runtime_error(why == nullptr ? "failed" : why));
}
}
