// SPDX-License-Identifier: Apache-2.0
#include "mpi/library_locks.hpp"

#include <dlfcn.h>
#include <link.h>

namespace lapwing::mpi {
namespace {

// Open MPI's `bool opal_uses_threads`, of libopen-pal.
std::atomic<bool>* uses_threads = nullptr;

std::atomic<bool>* find_variable() {
  void* const address = dlsym(RTLD_DEFAULT, "opal_uses_threads");
  Dl_info info;
  void* found = nullptr;
  if (!address || !dladdr1(address, &info, &found, RTLD_DL_SYMENT) || !found) return nullptr;
  const auto* const symbol = static_cast<const ElfW(Sym)*>(found);
  static_assert(sizeof(std::atomic<bool>) == sizeof(bool));
  return symbol->st_size == sizeof(bool) ? static_cast<std::atomic<bool>*>(address) : nullptr;
}

}  // namespace

void LibraryLocks::manage() {
  uses_threads = find_variable();
  if (uses_threads && uses_threads->load()) managed_.store(true);
}

void LibraryLocks::keep() {
  take();
  managed_.store(false);
}

void LibraryLocks::take_again() {
  uses_threads->store(true);
  inside_.store(0);
}

void LibraryLocks::drop_now() {
  int threads_inside = 0;
  if (inside_.compare_exchange_strong(threads_inside, -1)) uses_threads->store(false);
}

LibraryLocks::Inside::Inside() {
  int threads = inside_.load();
  while (threads >= 0 && !inside_.compare_exchange_weak(threads, threads + 1)) {
  }
  entered_ = threads >= 0;
}

LibraryLocks::Inside::~Inside() {
  if (entered_) inside_.fetch_sub(1);
}

}  // namespace lapwing::mpi
