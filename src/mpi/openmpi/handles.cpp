// SPDX-License-Identifier: Apache-2.0
#include "mpi/handles.hpp"

#include <dlfcn.h>

#define LAPWING_HANDLE(OBJECT)                                             \
  extern "C" __attribute__((visibility("hidden"))) void* lapwing_##OBJECT; \
  void* lapwing_##OBJECT = nullptr;
#include "handles.inc"
#undef LAPWING_HANDLE

namespace lapwing::mpi {

const Family family = Family::openmpi;
const char* const sonames[] = {"libmpi.so.40", nullptr};

// A version that lacks an object has no handle of that name either.
void bind_handles(void* mpi, Lookup* lookup) {
  static constexpr struct {
    const char* name;
    void** handle;
  } handles[] = {
#define LAPWING_HANDLE(OBJECT) {#OBJECT, &lapwing_##OBJECT},
#include "handles.inc"
#undef LAPWING_HANDLE
  };
  // A program that is not position independent has them in its own memory, where the
  // library refers to them, too.
  for (const auto& h : handles) {
    *h.handle = lookup(RTLD_DEFAULT, h.name);
    if (!*h.handle) *h.handle = lookup(mpi, h.name);
  }
}

bool is_tried_member() { return true; }

}  // namespace lapwing::mpi
