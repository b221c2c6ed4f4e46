// SPDX-License-Identifier: Apache-2.0
// For programs that are linked with this library and run without the preload, whose definition is the first.
#include "mpi/ucx_progress.hpp"

#include <dlfcn.h>

namespace {

using lapwing::mpi::UcxProgress;
constexpr const char* name = "ucp_worker_progress";

constinit lapwing::mpi::UcxDefinitions definitions;
thread_local lapwing::progress::Yields yields;

// The one behind this library; or, in a file that was loaded with an MPI of its own, the one that the file
// sees.
UcxProgress* find(const void* caller) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return reinterpret_cast<UcxProgress*>(next);
  Dl_info file;
  void* const handle = dladdr(caller, &file) ? dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  return handle ? reinterpret_cast<UcxProgress*>(dlsym(handle, name)) : nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static const bool preloaded = dlsym(RTLD_DEFAULT, "lapwing_preload_hooks") != nullptr;
  UcxProgress* const look = definitions.of(__builtin_return_address(0), find);
  return preloaded ? look(worker) : lapwing::mpi::look_and_yield(look, worker, yields);
}
