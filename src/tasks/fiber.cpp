// SPDX-License-Identifier: Apache-2.0
#include "tasks/fiber.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include "tasks/thread_pointer.hpp"

namespace lapwing::tasks {

namespace {

// Where a switch comes from, for the stack that it goes to.
using Leaving = ThreadPointer<Fiber>;

// The object that __cxa_get_globals() points to.
struct ExceptionState {
  void* caught;
  unsigned uncaught;
};

void arrived(Fiber* self) {
#if defined(__SANITIZE_ADDRESS__)
  Fiber* const from = Leaving::here();
  __sanitizer_finish_switch_fiber(self->sanitizer, &from->bottom, &from->extent);
#endif
}

}  // namespace

#if defined(__x86_64__)
extern "C" void lapwing_tasks_switch(void** save, void* load);
extern "C" void lapwing_tasks_begin();
#else
namespace {
thread_local Fiber* starting = nullptr;
}
#endif

extern "C" [[gnu::used]] void lapwing_tasks_enter(Fiber* self) {
#if defined(__SANITIZE_ADDRESS__)
  Fiber* const from = Leaving::here();
  __sanitizer_finish_switch_fiber(nullptr, &from->bottom, &from->extent);
#endif
  self->entry();
  std::abort();  // entry never returns
}

void adopt_thread(Fiber& fiber) {
#if defined(__SANITIZE_THREAD__)
  fiber.sanitizer = __tsan_get_current_fiber();
#endif
#if !defined(__x86_64__)
  fiber.pointer = new ucontext_t;
#endif
}

Fiber* make_fiber(std::size_t bytes, void (*entry)()) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  bytes *= 4;
#endif
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = (bytes + page - 1) / page * page + page;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, page, PROT_NONE);  // below the stack
  auto* const fiber = new Fiber;
  fiber->stack = memory;
  fiber->size = size;
  fiber->entry = entry;
  fiber->bottom = static_cast<char*>(memory) + page;
  fiber->extent = size - page;
#if defined(__SANITIZE_THREAD__)
  fiber->sanitizer = __tsan_create_fiber(0);
#endif
#if defined(__x86_64__)
  // lapwing_tasks_switch takes these off: two control words, six registers, the place to go to.
  auto** top = reinterpret_cast<void**>(static_cast<char*>(memory) + size) - 2;
  *--top = reinterpret_cast<void*>(&lapwing_tasks_begin);
  for (int i = 0; i < 5; ++i) *--top = nullptr;  // rbp, rbx, r12, r13, r14
  *--top = fiber;                                // r15
  std::uint32_t control[2] = {0, 0};
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(control[0]), "=m"(control[1]));
  *--top = reinterpret_cast<void*>((static_cast<std::uintptr_t>(control[1]) << 32) | control[0]);
  fiber->pointer = top;
#else
  auto* const context = new ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = static_cast<char*>(memory) + page;
  context->uc_stack.ss_size = size - page;
  context->uc_link = nullptr;
  makecontext(context, reinterpret_cast<void (*)()>(+[] { lapwing_tasks_enter(starting); }), 0);
  fiber->pointer = context;
#endif
  return fiber;
}

void free_fiber(Fiber* fiber) {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(fiber->sanitizer);
#endif
#if !defined(__x86_64__)
  delete static_cast<ucontext_t*>(fiber->pointer);
#endif
  munmap(fiber->stack, fiber->size);
  delete fiber;
}

__attribute__((noinline)) void switch_fiber(Fiber& from, Fiber& to) {
  auto* exceptions = reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
  from.caught = exceptions->caught;
  from.uncaught = exceptions->uncaught;
  exceptions->caught = to.caught;
  exceptions->uncaught = to.uncaught;
  Leaving::here() = &from;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.sanitizer, to.bottom, to.extent);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.sanitizer, 0);
#endif
#if defined(__x86_64__)
  lapwing_tasks_switch(&from.pointer, to.pointer);
#else
  starting = &to;
  swapcontext(static_cast<ucontext_t*>(from.pointer), static_cast<ucontext_t*>(to.pointer));
#endif
  arrived(&from);
}

}  // namespace lapwing::tasks
