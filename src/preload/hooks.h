/* SPDX-License-Identifier: Apache-2.0
 *
 * The libc hooks: every libc_*.cpp of this folder wraps one kind of function and
 * needs nothing but this header and libc; none has a constructor or uses the C++
 * library, so the files can be linked into any shared library or program (the
 * guard's tests link them into theirs). The cost of a hook while no page is closed
 * is one load, one branch and the jump to the next definition of its function.
 */
#pragma once

#include <dlfcn.h>

#include "lapwing/preload_hooks.h"

#define LAPWING_EXPORT __attribute__((visibility("default")))

extern "C" LAPWING_EXPORT struct lapwing_preload_hooks lapwing_preload_hooks;

namespace lapwing::preload {

inline bool anything_closed() { return __builtin_expect(*lapwing_preload_hooks.closed != 0, 0); }

inline void await(const void* address, size_t length) {
  if (!anything_closed()) return;
  if (auto wait = lapwing_preload_hooks.await) wait(address, length);
}

inline void await_all() {
  if (!anything_closed()) return;
  if (auto wait = lapwing_preload_hooks.await_all) wait();
}

/// Whether the guards need not be told of this thread (any more).
extern constinit thread_local bool thread_known
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// Set once the program has called MPI_Init, or another call that begins MPI: threads that
/// are created from then on until the guards are there are MPI's and Lapwing's.
extern bool mpi_begins __attribute__((visibility("hidden")));

/// To be called where a thread that the guards have not been told of may be about
/// to enter the kernel with a closed page in its hands.
void make_thread_known();

/// Around functions in which libc blocks all signals: the guards must not want
/// to look at a system call of this thread meanwhile, for their signal would
/// kill it.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    auto begins = lapwing_preload_hooks.creation_begins;
    ends_ = begins && begins() ? lapwing_preload_hooks.creation_ends : nullptr;
  }
  ~SignalsBlocked() {
    if (ends_) ends_();
  }
  /// False on Lapwing's own threads and in MPI's, and while no guard asks.
  bool counts() const { return ends_ != nullptr; }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  void (*ends_)(void);
};

/// The definition of a libc function that comes after ours, looked up when it is first wanted.
class NextDefinition {
 public:
  explicit constexpr NextDefinition(const char* name) : name_(name) {}
  void* find() {
    void* f = __atomic_load_n(&function_, __ATOMIC_RELAXED);
    if (__builtin_expect(f != nullptr, 1)) return f;
    f = dlsym(RTLD_NEXT, name_);
    __atomic_store_n(&function_, f, __ATOMIC_RELAXED);
    return f;
  }

  /// Where the definition is kept, for those that replace it.
  void** slot() {
    find();
    return &function_;
  }

 private:
  const char* name_;
  void* function_ = nullptr;
};

template <class Function>
class Next : public NextDefinition {
 public:
  using NextDefinition::NextDefinition;
  Function* get() { return reinterpret_cast<Function*>(find()); }
};

/// All Next of a library stand together: the preload looks them up when it is loaded, since dlsym makes
/// dlerror forget what it has to tell the program.
#define LAPWING_NEXT __attribute__((section("lapwing_next"))) constinit lapwing::preload::Next

}  // namespace lapwing::preload
