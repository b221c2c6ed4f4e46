// SPDX-License-Identifier: Apache-2.0
// Keeps the objects of Lapwing's library until the process is gone. A destructor or exit handler of the
// program may call MPI, often MPI_Finalize. Those of this library would run before it, since the program
// loads the library with its first call of MPI: MPI_Finalize would then use destroyed objects.
//
// The linker hands both registrations to the functions here (--wrap). Handlers that Lapwing registers itself
// have no object and stay, and so do destructors of the objects of threads other than the first.
#include <unistd.h>

extern "C" {

int __real___cxa_atexit(void (*end)(void*), void* object, void* library);
int __real___cxa_thread_atexit(void (*end)(void*), void* object, void* library);

__attribute__((visibility("hidden"))) int __wrap___cxa_atexit(void (*end)(void*), void* object,
                                                              void* library) {
  return object ? 0 : __real___cxa_atexit(end, object, library);
}

__attribute__((visibility("hidden"))) int __wrap___cxa_thread_atexit(void (*end)(void*), void* object,
                                                                     void* library) {
  return gettid() == getpid() ? 0 : __real___cxa_thread_atexit(end, object, library);
}
}
