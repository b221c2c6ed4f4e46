// SPDX-License-Identifier: Apache-2.0
// The waits inside MPICH yield (progress/ucx_progress.hpp). Programs that the compiler has changed and that
// run without the preload find the engine's definition (entry/ucx_progress.cpp).
#include "progress/ucx_progress.hpp"
#include "options/switched_off.hpp"

#include "preload/choose.hpp"
#include "preload/hooks.h"

namespace {

using lapwing::progress::UcxProgress;

constinit lapwing::progress::UcxDefinitions definitions;
constinit thread_local lapwing::progress::Yields yields __attribute__((tls_model("initial-exec")));

UcxProgress* find(const void* caller) {
  return reinterpret_cast<UcxProgress*>(lapwing::preload::plain_definition("ucp_worker_progress", caller));
}

}  // namespace

extern "C" LAPWING_EXPORT unsigned ucp_worker_progress(void* worker) {
  static const bool off = lapwing::options::is_switched_off();
  UcxProgress* const look = definitions.of(__builtin_return_address(0), find);
  if (!look) return 0;  // a file names the function, and no UCX is there
  return off ? look(worker) : lapwing::progress::look_and_yield(look, worker, yields);
}
