// SPDX-License-Identifier: Apache-2.0
// A library that knows nothing of MPI, and loads one that does.
#include <dlfcn.h>
#include <stdlib.h>

void late(const char* path, int* numbers);
void late(const char* path, int* numbers) {
  void* loaded = dlopen(path, RTLD_NOW);
  void (*call)(int*) = (void (*)(int*))(loaded ? dlsym(loaded, "library") : NULL);
  if (!call) abort();
  call(numbers);
}
