// SPDX-License-Identifier: Apache-2.0
// Memory that is freed, moved, unmapped or protected anew: closed pages of it
// are waited for first, because the kernel would drop what had landed in them.
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/hooks.h"
#include "preload/libc_patched.hpp"

namespace {

const int nothing_closed = 0;

// dlsym() may itself free: such a block, while the next free() is being looked
// up, is one of the dynamic linker's few and stays.
__attribute__((tls_model("initial-exec"))) thread_local bool looking = false;

template <class Function>
Function* next_allocator(lapwing::preload::Next<Function>& next) {
  if (looking) return nullptr;
  looking = true;
  Function* f = next.get();
  looking = false;
  return f;
}

LAPWING_NEXT<void(void*)> next_free("free");
LAPWING_NEXT<void*(void*, size_t)> next_realloc("realloc");
LAPWING_NEXT<void*(void*, size_t, size_t)> next_reallocarray("reallocarray");
LAPWING_NEXT<int(void*, size_t)> next_munmap("munmap");
LAPWING_NEXT<void*(void*, size_t, size_t, int, ...)> next_mremap("mremap");
LAPWING_NEXT<void*(void*, size_t, int, int, int, off_t)> next_mmap("mmap");
LAPWING_NEXT<void*(void*, size_t, int, int, int, off64_t)> next_mmap64("mmap64");
LAPWING_NEXT<int(void*, size_t, int)> next_madvise("madvise");
LAPWING_NEXT<int(void*, size_t, int)> next_mprotect("mprotect");
LAPWING_NEXT<int(void*)> next_brk("brk");
LAPWING_NEXT<void*(intptr_t)> next_sbrk("sbrk");

bool in_one_file(void* a, void* b) {
  Dl_info one, other;
  return dladdr(a, &one) && dladdr(b, &other) && one.dli_fbase == other.dli_fbase;
}

// An allocator that comes after ours may wrap blocks of another one, whose sizes are not those of its own.
void await_block(void* block) {
  if (!block || !lapwing::preload::anything_closed()) return;
  static const bool sizes_are_known =
      in_one_file(next_free.find(), reinterpret_cast<void*>(&malloc_usable_size));
  if (sizes_are_known)
    lapwing::preload::await(block, malloc_usable_size(block));
  else
    lapwing::preload::await_all();
}

}  // namespace

extern "C" void lapwing_preload_heal(void);

extern "C" {

LAPWING_EXPORT struct lapwing_preload_hooks lapwing_preload_hooks = {LAPWING_PRELOAD_HOOKS_VERSION,
                                                                     &nothing_closed,
                                                                     nullptr,
                                                                     nullptr,
                                                                     nullptr,
                                                                     nullptr,
                                                                     nullptr,
                                                                     nullptr,
                                                                     nullptr,
                                                                     lapwing_preload_heal};

LAPWING_EXPORT void free(void* block) noexcept {
  await_block(block);
  if (auto next = next_allocator(next_free)) next(block);
}

void* __libc_realloc(void*, size_t);

LAPWING_EXPORT void* realloc(void* block, size_t size) noexcept {
  await_block(block);
  auto next = next_allocator(next_realloc);
  return next ? next(block, size) : __libc_realloc(block, size);
}

LAPWING_EXPORT void* reallocarray(void* block, size_t count, size_t size) noexcept {
  await_block(block);
  if (auto next = next_allocator(next_reallocarray)) return next(block, count, size);
  errno = ENOMEM;
  return nullptr;
}

LAPWING_EXPORT int munmap(void* address, size_t length) noexcept {
  lapwing::preload::await(address, length);
  return next_munmap.get()(address, length);
}

// A mapping placed over another takes its pages away like munmap.
LAPWING_EXPORT void* mmap(void* address, size_t length, int protection, int flags, int fd,
                          off_t offset) noexcept {
  if (flags & MAP_FIXED) lapwing::preload::await(address, length);
  return next_mmap.get()(address, length, protection, flags, fd, offset);
}

LAPWING_EXPORT void* mmap64(void* address, size_t length, int protection, int flags, int fd,
                            off64_t offset) noexcept {
  if (flags & MAP_FIXED) lapwing::preload::await(address, length);
  return next_mmap64.get()(address, length, protection, flags, fd, offset);
}

LAPWING_EXPORT void* mremap(void* old, size_t old_length, size_t length, int flags, ...) noexcept {
  va_list rest;
  va_start(rest, flags);
  void* target = va_arg(rest, void*);  // garbage unless the flags name it, as in libc
  va_end(rest);
  lapwing::preload::await(old, old_length);
  if (flags & MREMAP_FIXED) lapwing::preload::await(target, length);
  return next_mremap.get()(old, old_length, length, flags, target);
}

LAPWING_EXPORT int madvise(void* address, size_t length, int advice) noexcept {
  lapwing::preload::await(address, length);
  return next_madvise.get()(address, length, advice);
}

LAPWING_EXPORT int mprotect(void* address, size_t length, int protection) noexcept {
  lapwing::preload::await(address, length);
  return next_mprotect.get()(address, length, protection);
}

LAPWING_EXPORT int brk(void* end) noexcept {
  if (lapwing::preload::anything_closed()) {
    char* now = static_cast<char*>(next_sbrk.get()(0));
    if (end < now) lapwing::preload::await(end, static_cast<size_t>(now - static_cast<char*>(end)));
  }
  return next_brk.get()(end);
}

LAPWING_EXPORT void* sbrk(intptr_t increment) noexcept {
  if (increment < 0 && lapwing::preload::anything_closed()) {
    char* now = static_cast<char*>(next_sbrk.get()(0));
    lapwing::preload::await(now + increment, static_cast<size_t>(-increment));
  }
  return next_sbrk.get()(increment);
}

// The definitions above, whichever other library defines these names.
#define OWN(name) extern __typeof__(name) own_##name __attribute__((alias(#name), visibility("hidden")))
OWN(munmap);
OWN(mremap);
OWN(mmap);
OWN(mmap64);
OWN(madvise);
OWN(brk);
OWN(sbrk);
#undef OWN

}  // extern "C"

namespace {

template <class Function, class Next>
lapwing::preload::PatchedFunction patched(Function* function, Next& next) {
  return {reinterpret_cast<void*>(function), next.slot()};
}

lapwing::preload::PatchedFunction* hooks_that_are_patched() {
  static lapwing::preload::PatchedFunction all[] = {
      patched(own_munmap, next_munmap), patched(own_mremap, next_mremap),   patched(own_mmap, next_mmap),
      patched(own_mmap64, next_mmap64), patched(own_madvise, next_madvise), patched(own_brk, next_brk),
      patched(own_sbrk, next_sbrk)};
  return all;
}
constexpr int patched_hooks = 7;

}  // namespace

extern "C" void lapwing_preload_heal(void) {
  for (int i = 0; i < patched_hooks; ++i) hooks_that_are_patched()[i].heal();
}
