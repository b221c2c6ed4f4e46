// SPDX-License-Identifier: Apache-2.0
// For programs that are linked with this library and run without the preload, whose definition is the first.
#include "progress/ucx_progress.hpp"
#include "options/switched_off.hpp"

#include <dlfcn.h>

namespace {

using lapwing::progress::UcxProgress;
constexpr const char* name = "ucp_worker_progress";

constinit lapwing::progress::UcxDefinitions definitions;
thread_local lapwing::progress::Yields yields;

void* file_of(const void* address) {
  Dl_info file;
  return dladdr(address, &file) ? file.dli_fbase : nullptr;
}

// The definition behind this library; or, for a file that was loaded with an MPI of its own, the one that the
// file sees. A file that defines the name itself asks for the next one, which is UCX's.
UcxProgress* find(const void* caller) {
  void* found = dlsym(RTLD_NEXT, name);
  Dl_info file;
  if (!found && dladdr(caller, &file)) {
    void* const handle = dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) {
      found = dlsym(handle, name);
      dlclose(handle);
    }
    if (file_of(found) == file.dli_fbase) found = nullptr;
  }
  if (!found) {
    void* const ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    found = ucx ? dlsym(ucx, name) : nullptr;
  }
  return reinterpret_cast<UcxProgress*>(found);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static const bool passes =
      lapwing::options::is_switched_off() || dlsym(RTLD_DEFAULT, "lapwing_preload_hooks");
  UcxProgress* const look = definitions.of(__builtin_return_address(0), find);
  if (!look) return 0;  // a file names the function, and no UCX is there
  return passes ? look(worker) : lapwing::progress::look_and_yield(look, worker, yields);
}
