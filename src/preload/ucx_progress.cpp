// SPDX-License-Identifier: Apache-2.0
// The waits inside MPICH yield (mpi/ucx_progress.hpp). Programs that the compiler has changed and that run
// without the preload find the engine's definition (mpi/mpich/ucx_progress.cpp).
#include "mpi/ucx_progress.hpp"

#include <stdlib.h>
#include <string.h>

#include "preload/choose.hpp"
#include "preload/hooks.h"

namespace {

using lapwing::mpi::UcxProgress;

constinit lapwing::mpi::UcxDefinitions definitions;
constinit thread_local lapwing::progress::Yields yields __attribute__((tls_model("initial-exec")));

UcxProgress* find(const void* caller) {
  return reinterpret_cast<UcxProgress*>(lapwing::preload::plain_definition("ucp_worker_progress", caller));
}

bool is_off() {
  const char* const wanted = getenv("LAPWING");
  return wanted && (strcmp(wanted, "off") == 0 || strcmp(wanted, "0") == 0);
}

}  // namespace

extern "C" LAPWING_EXPORT unsigned ucp_worker_progress(void* worker) {
  static const bool off = is_off();
  UcxProgress* const look = definitions.of(__builtin_return_address(0), find);
  return off ? look(worker) : lapwing::mpi::look_and_yield(look, worker, yields);
}
