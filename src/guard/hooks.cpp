// SPDX-License-Identifier: Apache-2.0
#include "guard/hooks.hpp"

#include <dlfcn.h>

#include "guard/dispatch.hpp"
#include "guard/guard.hpp"
#include "guard/registry.hpp"
#include "guard/signal_actions.hpp"
#include "guard/signals.hpp"
#include "lapwing/preload_hooks.h"

namespace lapwing::guard {
namespace {

static_assert(sizeof(closed_regions) == sizeof(int));

const int* hooks_closed_before = nullptr;

struct lapwing_preload_hooks* find_hooks() {
  auto* h = static_cast<struct lapwing_preload_hooks*>(dlsym(RTLD_DEFAULT, "lapwing_preload_hooks"));
  return h && h->version == LAPWING_PRELOAD_HOOKS_VERSION ? h : nullptr;
}

// AddressSanitizer's free() comes before every other; it tells who asks.
void watch_sanitizer() {
  using Install = int (*)(void (*)(const volatile void*, std::size_t), void (*)(const volatile void*));
  using Size = std::size_t (*)(const volatile void*);
  static Size size_of = reinterpret_cast<Size>(dlsym(RTLD_DEFAULT, "__sanitizer_get_allocated_size"));
  auto install = reinterpret_cast<Install>(dlsym(RTLD_DEFAULT, "__sanitizer_install_malloc_and_free_hooks"));
  static bool installed = false;
  if (!install || !size_of || installed) return;
  installed = install([](const volatile void*, std::size_t) {},
                      [](const volatile void* block) {
                        if (closed_regions.load(std::memory_order_relaxed) != 0)
                          await_release(const_cast<const void*>(block), size_of(block));
                      }) != 0;
}

long owner = 0;  // the process that guards; a vfork's child runs in its memory

// Before exec: what the child of a vfork replaces is not what is guarded.
void await_all_of_this_process() {
  if (kernel::call(SYS_getpid) == owner) await_all();
}

int creation_begins() {
  if (on_engine_thread() || dispatch::making_own_calls()) return 0;
  dispatch::enter_section();
  return 1;
}

}  // namespace

void attach_hooks(bool signals_taken) {
  watch_sanitizer();
  struct lapwing_preload_hooks* h = find_hooks();
  if (!h) return;
  hooks_closed_before = h->closed;
  if (h->heal) h->heal();
  h->await = await_release;
  h->await_all = await_all_of_this_process;
  owner = kernel::call(SYS_getpid);
  h->creation_begins = creation_begins;
  h->creation_ends = dispatch::leave_section;
  if (signals_taken) {
    h->thread_begins = signals::prepare_thread;
    h->action = [](int signal, const struct sigaction* wanted, struct sigaction* old, int* result) -> int {
      return remember_action(signal, wanted, old, result);
    };
    h->open_set = [](const sigset_t* set, sigset_t* copy) -> int { return open_set(set, copy); };
  }
  h->closed = reinterpret_cast<const int*>(&closed_regions);
}

void detach_hooks() {
  struct lapwing_preload_hooks* h = find_hooks();
  if (!h || !hooks_closed_before) return;
  h->closed = hooks_closed_before;
  h->creation_begins = nullptr;
  h->thread_begins = nullptr;
  h->action = nullptr;
  h->open_set = nullptr;
}

}  // namespace lapwing::guard
