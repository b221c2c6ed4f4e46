// SPDX-License-Identifier: Apache-2.0
// Finds, at the first MPI call of a process, which MPI it has, and binds each
// stub, at its own first call, to Lapwing's library for the family of that MPI.
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

#include "lapwing/loaded_mpi.hpp"
#include "options/switched_off.hpp"
#include "preload/hooks.h"

// Written by src/calls/generate.py.
extern "C" {
__attribute__((visibility("hidden"))) extern void* lapwing_preload_slots[];
__attribute__((visibility("hidden"))) extern const char lapwing_preload_names[];
__attribute__((visibility("hidden"))) extern const uint32_t lapwing_preload_name_offsets[];
}

using lapwing::mpi::Family;
using lapwing::mpi::LoadedMpi;
using lapwing::mpi::LoadedMpis;
using lapwing::preload::file_of;
using lapwing::preload::libc_dlsym;
using lapwing::preload::plain_definition;

namespace {

struct Engine {
  Family family;
  const char* library;
};
constexpr Engine engines[] = {{Family::mpich, "liblapwing-mpich.so"},
                              {Family::openmpi, "liblapwing-openmpi.so"},
                              {Family::abi, "liblapwing-abi.so"}};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
bool chosen = false;
bool aside = false;                // Lapwing has nothing to do in this job
void* engine = nullptr;            // handle of Lapwing's library, or nullptr: the real MPI
const link_map* loaded = nullptr;  // the same, if it was not there before

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

void* load(const LoadedMpi& mpi) {
  const char* library = "";
  for (const Engine& e : engines)
    if (e.family == mpi.family) library = e.library;
  // A program built by lwcc has it already, perhaps from another place: its
  // calls of lapwing_* go there, and there is one engine in a process.
  if (void* linked = dlopen(library, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD)) return linked;
  char folder[PATH_MAX], path[PATH_MAX + 64];
  if (!own_folder(folder, sizeof folder)) {
    say("cannot tell where liblapwing-preload.so lies, so %s is not found; the program runs without Lapwing.",
        library);
    return nullptr;
  }
  snprintf(path, sizeof path, "%s/%s", folder, library);
  if (access(path, F_OK) != 0) {
    say("%s needs %s, which this Lapwing was built without; the program runs without Lapwing.",
        mpi.library->l_name, library);
    return nullptr;
  }
  // Global, so that a program finds the C API in it.
  void* handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!handle) say("%s cannot be loaded (%s); the program runs without Lapwing.", path, dlerror());
  __atomic_store_n(&loaded, static_cast<const link_map*>(handle), __ATOMIC_RELEASE);
  return handle;
}

const char* path_of(const link_map* file) {
  return file && file->l_name[0] ? file->l_name : "the program itself";
}

// Under the lock, at the first call of an MPI function. `called` is where it would go
// without Lapwing.
void choose(const void* called) {
  chosen = true;
  if (lapwing::options::is_switched_off()) return;
  const LoadedMpis found = lapwing::mpi::loaded_mpis(libc_dlsym());
  if (found.count > 1) {
    say("%s and %s are both in this process, and Lapwing cannot tell which of them a call is meant for; "
        "the program runs without Lapwing. Link it, and all its libraries, with one MPI.",
        path_of(found.at[0].library), path_of(found.at[1].library));
  } else if (found.count == 0 || found.at[0].family == Family::unknown) {
    say("the MPI in %s is of no family that Lapwing knows (the MPICH ABI, Open MPI 4 and 5, the standard ABI "
        "of "
        "MPI 5); the program runs without Lapwing.",
        path_of(found.count ? found.at[0].library : file_of(called)));
  } else {
    engine = load(found.at[0]);
  }
}

// Where the call goes without Lapwing. The last resort is for files that depend on their
// MPI by way of whoever loaded them.
void* find_real(const char* name, const void* caller) {
  if (void* address = plain_definition(name, caller)) return address;
  const LoadedMpis found = lapwing::mpi::loaded_mpis(libc_dlsym());
  for (int i = 0; i < found.count; ++i) {
    void* address = found.at[i].find(libc_dlsym(), name);
    if (address && !lapwing::preload::is_stub(address)) return address;
  }
  return nullptr;
}

// Whether all files that call `name` mean the same definition.
bool is_the_only_one(const char* name, const void* address) {
  if (lapwing::preload::next_definition(name)) return true;
  const LoadedMpis found = lapwing::mpi::loaded_mpis(libc_dlsym());
  return found.count == 1 && found.at[0].find(libc_dlsym(), name) == address;
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

const link_map* lapwing::preload::loaded_engine() { return __atomic_load_n(&loaded, __ATOMIC_ACQUIRE); }

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

void* lapwing_preload_load() {
  if (lapwing::mpi::loaded_mpis(libc_dlsym()).count != 1) return nullptr;
  pthread_mutex_lock(&lock);
  if (!chosen) choose(nullptr);
  void* handle = aside ? nullptr : engine;
  pthread_mutex_unlock(&lock);
  return handle;
}

/// Called by a stub at its first call. Threads may meet here: they bind the
/// slot to the same function.
extern "C" __attribute__((visibility("hidden"))) void* lapwing_preload_resolve(unsigned index, const void*,
                                                                               void* const* stack) {
  const char* name = lapwing_preload_names + lapwing_preload_name_offsets[index];
  const void* caller = stack[-1];
  void* const real = find_real(name, caller);
  if (begins_mpi(name)) __atomic_store_n(&lapwing::preload::mpi_begins, true, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  if (!chosen) choose(real);
  void* handle = aside && !stays(name) ? nullptr : engine;
  pthread_mutex_unlock(&lock);
  void* address = handle ? libc_dlsym()(handle, name) : nullptr;
  const bool ours = address != nullptr;
  if (!address) address = real;
  if (!address) {
    fprintf(stderr, "lapwing: the program calls %s, which no MPI library in this process has.\n", name);
    abort();
  }
  // Where there are several each caller's own is looked for at every call.
  if (ours || is_the_only_one(name, address))
    __atomic_store_n(&lapwing_preload_slots[index], address, __ATOMIC_RELEASE);
  return address;
}
