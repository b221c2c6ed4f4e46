// SPDX-License-Identifier: Apache-2.0
// Finds, at the first MPI call of a process, which MPI it has, and binds each
// stub, at its own first call, to Lapwing's library for that MPI.
//
// Where Lapwing cannot or shall not stand, the stub is bound to the program's
// own MPI and costs one jump. Only libc is used: this file lives in every
// process of a job, the shells and launchers included.
#include "preload/choose.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/hooks.h"

// Written by src/entry/generate.py.
extern "C" {
__attribute__((visibility("hidden"))) extern void* lapwing_preload_slots[];
__attribute__((visibility("hidden"))) extern const char lapwing_preload_names[];
__attribute__((visibility("hidden"))) extern const uint32_t lapwing_preload_name_offsets[];
}

namespace {

struct Flavour {
  const char* library;  // what the program loads
  const char* lapwing;  // what stands before it
};
constexpr Flavour flavours[] = {{"libmpich.so.12", "liblapwing-mpich.so"},
                                {"libmpi.so.40", "liblapwing-openmpi.so"}};
constexpr int flavour_count = 2;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
bool chosen = false;
bool aside = false;      // Lapwing has nothing to do in this job
void* engine = nullptr;  // handle of Lapwing's library, or nullptr: the real MPI

const char* file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Every rank would say the same.
bool speaks() {
  static const char* const variables[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"};
  for (const char* variable : variables) {
    if (const char* rank = getenv(variable)) return strcmp(rank, "0") == 0;
  }
  return true;
}

__attribute__((format(printf, 1, 2))) void say(const char* format, ...) {
  if (!speaks()) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "lapwing: %s\n", text);
}

int see_library(dl_phdr_info* info, size_t, void* context) {
  auto* loaded = static_cast<bool*>(context);
  for (int i = 0; i < flavour_count; ++i) {
    if (strcmp(file_name(info->dlpi_name), flavours[i].library) == 0) loaded[i] = true;
  }
  return 0;
}

// The folder of this library. LD_PRELOAD may have named it relative to a folder
// that the program has left since; then the kernel still knows.
bool own_folder(char* folder, size_t size) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&own_folder), &info) || !info.dli_fname) return false;
  if (info.dli_fname[0] == '/') {
    snprintf(folder, size, "%s", info.dli_fname);
  } else {
    FILE* maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    bool found = false;
    const auto here = reinterpret_cast<unsigned long>(&own_folder);
    while (maps && !found && fgets(line, sizeof line, maps)) {
      unsigned long from, to;
      char* path = strchr(line, '/');
      if (!path || sscanf(line, "%lx-%lx", &from, &to) != 2 || here < from || here >= to) continue;
      path[strcspn(path, "\n")] = '\0';
      snprintf(folder, size, "%s", path);
      found = true;
    }
    if (maps) fclose(maps);
    if (!found) return false;
  }
  char* slash = strrchr(folder, '/');
  if (!slash) return false;
  *slash = '\0';
  return true;
}

void* load(const Flavour& flavour) {
  // A program built by lwcc has it already, perhaps from another place: its
  // calls of lapwing_* go there, and there is one engine in a process.
  if (void* linked = dlopen(flavour.lapwing, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD)) return linked;
  char folder[PATH_MAX], path[PATH_MAX + 64];
  if (!own_folder(folder, sizeof folder)) {
    say("cannot tell where liblapwing-preload.so lies, so %s is not found; the program runs without Lapwing.",
        flavour.lapwing);
    return nullptr;
  }
  snprintf(path, sizeof path, "%s/%s", folder, flavour.lapwing);
  // Global, so that a program finds the C API in it.
  void* handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!handle) say("%s cannot be loaded (%s); the program runs without Lapwing.", path, dlerror());
  return handle;
}

// Under the lock. Stays unset while no MPI is loaded: one may come by dlopen.
void choose() {
  const char* wanted = getenv("LAPWING");
  if (wanted && strcmp(wanted, "off") == 0) {
    chosen = true;
    return;
  }
  bool loaded[flavour_count] = {};
  dl_iterate_phdr(see_library, loaded);
  chosen = true;
  if (loaded[0] && loaded[1]) {
    say("both %s and %s are loaded in this process, and Lapwing cannot tell which one a call is meant for; "
        "the program runs without Lapwing. Link it, and all its libraries, with one MPI.",
        flavours[0].library, flavours[1].library);
  } else if (!loaded[0] && !loaded[1]) {
    say("the program calls an MPI that is neither MPICH (%s) nor Open MPI (%s) as a shared library; "
        "it runs without Lapwing.",
        flavours[0].library, flavours[1].library);
  } else {
    engine = load(flavours[loaded[0] ? 0 : 1]);
  }
}

struct Real {
  const char* name;
  void* address;
};

// Searches what the global scope does not show: libraries that came by dlopen.
int look_into(dl_phdr_info* info, size_t, void* context) {
  auto* real = static_cast<Real*>(context);
  const char* file = file_name(info->dlpi_name);
  if (strncmp(file, "libmpi", 6) != 0) return 0;
  void* handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return 0;
  real->address = dlsym(handle, real->name);
  dlclose(handle);
  return real->address != nullptr;
}

void* find_real(const char* name) {
  if (void* address = dlsym(RTLD_NEXT, name)) return address;
  Real real{name, nullptr};
  dl_iterate_phdr(look_into, &real);
  return real.address;
}

// Calls that end MPI, or ask about its beginning, stay with the library that began it.
bool stays(const char* name) {
  return strcasestr(name, "finalize") || strcasestr(name, "init") || strcasestr(name, "query_thread");
}

bool begins_mpi(const char* name) {
  if (strncasecmp(name, "mpi_session_init", 16) == 0) return true;
  return strncasecmp(name, "mpi_init", 8) == 0 && strncasecmp(name, "mpi_initialized", 15) != 0;
}

}  // namespace

/// Called by Lapwing's library once it knows that it will not do anything: what
/// is called for the first time from now on is MPI's own, at the cost of a jump.
extern "C" __attribute__((visibility("default"))) void lapwing_preload_stand_aside() {
  pthread_mutex_lock(&lock);
  aside = true;
  pthread_mutex_unlock(&lock);
}

void* lapwing_preload_library() {
  pthread_mutex_lock(&lock);
  void* handle = engine;
  pthread_mutex_unlock(&lock);
  return handle;
}

/// Called by a stub at its first call. Threads may meet here: they bind the
/// slot to the same function.
extern "C" __attribute__((visibility("hidden"))) void* lapwing_preload_resolve(unsigned index, const void*,
                                                                               const void*) {
  const char* name = lapwing_preload_names + lapwing_preload_name_offsets[index];
  if (begins_mpi(name)) __atomic_store_n(&lapwing::preload::mpi_begins, true, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  if (!chosen) choose();
  void* handle = aside && !stays(name) ? nullptr : engine;
  pthread_mutex_unlock(&lock);
  void* address = handle ? dlsym(handle, name) : nullptr;
  if (!address) address = find_real(name);
  if (!address) {
    fprintf(stderr, "lapwing: the program calls %s, which no MPI library in this process has.\n", name);
    abort();
  }
  __atomic_store_n(&lapwing_preload_slots[index], address, __ATOMIC_RELEASE);
  return address;
}
