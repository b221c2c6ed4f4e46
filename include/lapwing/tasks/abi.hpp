// SPDX-License-Identifier: Apache-2.0
// What the templates of these headers ask of the library. Not for programs.
#pragma once

#include <lapwing/tasks/extent.hpp>
#include <lapwing/tasks/label.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>

#define LAPWING_TASKS_API __attribute__((visibility("default")))

namespace lapwing::tasks::detail {

enum Right : std::uint8_t { reads = 1, writes = 2, commutes = 4, reduces = 8 };

struct Out;
struct In;

/// A value whose bytes lie in one run.
struct Run {
  void* bytes;
  std::size_t size;
};

/// The type of an object's value, one static for each type. `pack` and `unpack`
/// are null for values that cannot leave their rank, `run` and `room` for those
/// whose bytes are not one run.
struct Type {
  const char* name;  // as typeid gives it
  std::size_t size;
  void (*drop)(void* value);
  void (*pack)(const void* value, Out& out);
  void* (*unpack)(void* value, In& in);  // into the value, or into a new one
  Run (*run)(void* value);
  void* (*room)(void* value, std::size_t size);  // makes the value, or a new one, of that size
};

/// The type of a task's closure, one static for each type: what identifies a
/// task's function on all ranks. `run` calls and destroys the closure, `drop`
/// only destroys it; `pack` and `unpack` are null where it stays on its rank.
struct Body {
  const char* name;  // as typeid gives it
  std::size_t size, align;
  void (*run)(void* closure);
  void (*drop)(void* closure);
  void (*pack)(const void* closure, Out& out);
  void (*unpack)(void* memory, In& in);
  bool direct = false;  // takes the values of its accesses without asking for them
};

/// How the private values of a reduction come and go; one static for each type
/// and operation, whose address is its identity.
struct Reduction {
  void* (*make)(const void* like);
  void (*combine)(void* into, const void* from);
  void (*drop)(void* own);
  bool any_order;
};

/// The part of an object that the headers see. Never returned to the system, so
/// an old handle may always look at the generation.
struct ObjectHead {
  void* value = nullptr;
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint32_t> copies{0};  // that tasks of other ranks use here in its place
};

struct Handle {
  ObjectHead* object = nullptr;
  std::uint32_t generation = 0;
  std::uint32_t no_padding = 0;  // closures that travel are searched for addresses
};

struct Declaration {
  Handle what;
  std::uint8_t rights = 0;
  bool deferred = false;
  const Reduction* reduction = nullptr;
  const Type* type = nullptr;
  const Extent* part = nullptr;  // of the value; null: all of it
};

/// A task before it is one.
struct Request {
  const Declaration* declarations;
  std::size_t count;
  const Body* body;
  Label label;
  Placement placement;
  std::source_location where;
  Priority priority = {};
};

/// A task's block and the room in it for the closure; launch() makes it a task,
/// abandon() gives it back.
struct Prepared {
  void* task;
  void* closure;
};
LAPWING_TASKS_API Prepared prepare(const Request& request);
LAPWING_TASKS_API void launch(void* task);
LAPWING_TASKS_API void abandon(void* task) noexcept;

LAPWING_TASKS_API Handle create(const Type* type, void* value, std::string name, std::source_location where);
LAPWING_TASKS_API void destroy(Handle object, const Type* type);
LAPWING_TASKS_API void rename(Handle object, const Type* type, std::string name);

/// The right of a task to an object, for as long as *mark == epoch.
struct Grant {
  void* value = nullptr;
  const std::uint32_t* mark = nullptr;
  std::uint32_t epoch = 0;
};

/// Waits, if it must, until the running task may use the object as it says.
LAPWING_TASKS_API Grant grant(Handle object, std::uint8_t rights, const Reduction* reduction,
                              const Type* type);

/// The same for reading, of the first `size` bytes of the value's run only: waits
/// until they have come.
LAPWING_TASKS_API Grant grant_part(Handle object, std::size_t size, const Type* type);

/// The same for a part that the task has declared, by itself or in a larger one.
LAPWING_TASKS_API Grant grant_extent(Handle object, std::uint8_t rights, const Extent& part,
                                     const Type* type);
/// A part ends behind the value, which has `size` elements: Error.
[[noreturn]] LAPWING_TASKS_API void beyond(Handle object, std::uint64_t end, std::uint64_t size);

/// The value that the running task, which has waited for it, uses: of the object,
/// or of a copy of it.
LAPWING_TASKS_API void* value_here(ObjectHead* object);

/// The changes of one with_cont: what deferred rights become immediate, and
/// what is given up.
struct Change {
  Handle what;
  std::uint8_t acquired = 0;
  std::uint8_t released = 0;
  const Extent* part = nullptr;  // one that was declared so; null: the object, or all of its parts
};
LAPWING_TASKS_API void change(const Change* changes, std::size_t count);

/// Bytes of a closure, in which addresses are looked for.
LAPWING_TASKS_API void put_closure(Out& out, const void* bytes, std::size_t size);
/// A message holds less than it should: Error.
[[noreturn]] LAPWING_TASKS_API void short_message();

}  // namespace lapwing::tasks::detail
