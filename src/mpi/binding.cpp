// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lapwing/loaded_mpi.hpp"
#include "mpi/handles.hpp"

// Of calls.S.
extern "C" {
extern void* lapwing_mpi_slots[];
__attribute__((visibility("hidden"))) extern const char* const lapwing_mpi_names[];
__attribute__((visibility("hidden"))) extern const std::uint32_t lapwing_mpi_count;
__attribute__((visibility("hidden"))) void* lapwing_mpi_resolve(unsigned index, const void*, const void*);
}

namespace lapwing::mpi {
namespace {

// Kept open: what a slot leads to must not go away.
void* program_library = nullptr;
const char* program_path = "";

void* program_mpi() {
  if (program_library) return program_library;
  const LoadedMpis found = loaded_mpis(dlsym);
  for (int i = 0; i < found.count && !program_library; ++i) {
    if (found.at[i].family != family) continue;
    program_path = found.at[i].library->l_name;
    program_library = dlopen(program_path, RTLD_LAZY | RTLD_NOLOAD);
  }
  // A program that was linked with Lapwing's library before its MPI's may have lost the
  // latter: linkers drop a library none of whose functions is still wanted.
  for (const char* const* name = sonames; found.count == 0 && *name && !program_library; ++name) {
    program_library = dlopen(*name, RTLD_LAZY | RTLD_GLOBAL);
    if (program_library) program_path = static_cast<const link_map*>(program_library)->l_name;
  }
  return program_library;
}

// Before any constructor that may copy a handle.
__attribute__((constructor(101))) void bind_at_load() {
  if (void* mpi = program_mpi()) bind_handles(mpi, dlsym);
}

// The error handler stays as it is: one that is set on MPI_COMM_SELF changes where MPICH 5 raises errors.
bool a_status_is_right(const char** why, MPI_Comm self) {
  constexpr int tag = 77, most = 5, sent = 3;
  int out[most] = {1, 2, 3, 4, 5}, in[most] = {}, count = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status statuses[2];
  std::memset(statuses, 0x5a, sizeof statuses);
  const MPI_Status untouched = statuses[1];
  bool right = PMPI_Irecv(in, most, MPI_INT, 0, tag, self, &request) == MPI_SUCCESS &&
               PMPI_Send(out, sent, MPI_INT, 0, tag, self) == MPI_SUCCESS &&
               PMPI_Wait(&request, &statuses[0]) == MPI_SUCCESS &&
               PMPI_Get_count(&statuses[0], MPI_INT, &count) == MPI_SUCCESS;
  right = right && count == sent && statuses[0].MPI_SOURCE == 0 && statuses[0].MPI_TAG == tag &&
          std::memcmp(in, out, sent * sizeof(int)) == 0 && request == MPI_REQUEST_NULL &&
          std::memcmp(&untouched, &statuses[1], sizeof untouched) == 0;
  if (!right) *why = "the status of a message is not laid out as in other versions";
  return right;
}

}  // namespace

const char* library_path() {
  program_mpi();
  return program_path;
}

// Tools that stand before the MPI see Lapwing's calls, too.
void* function(const char* name) {
  if (void* const address = dlsym(RTLD_DEFAULT, name)) return address;
  void* const mpi = program_mpi();
  return mpi ? dlsym(mpi, name) : nullptr;
}

bool has(const char* function) {
  void* const mpi = program_mpi();
  return mpi && dlsym(mpi, function);
}

bool large_counts() {
  static const bool there = has("PMPI_Type_get_envelope_c");
  return there;
}

// A Fortran program's common blocks are its own: the library refers to them there.
void* variable(const char* name) {
  if (void* address = dlsym(RTLD_DEFAULT, name)) return address;
  if (void* const mpi = program_mpi())
    if (void* address = dlsym(mpi, name)) return address;
  struct Search {
    const char* name;
    void* found;
  } search{name, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* context) {
        auto* s = static_cast<Search*>(context);
        if (!std::strstr(info->dlpi_name, "/libmpi")) return 0;
        s->found = LoadedFile(info).find(s->name);
        return s->found ? 1 : 0;
      },
      &search);
  return search.found;
}

void bind_calls() {
  for (std::uint32_t index = 0; index < lapwing_mpi_count; ++index)
    if (void* const address = function(lapwing_mpi_names[index]))
      __atomic_store_n(&lapwing_mpi_slots[index], address, __ATOMIC_RELEASE);
}

bool is_as_expected(const char** why, MPI_Comm self) {
  int version = 0, subversion = 0;
  if (PMPI_Get_version(&version, &subversion) != MPI_SUCCESS || version < 3) {
    *why = "it is older than MPI 3";
    return false;
  }
  if (!is_tried_member()) {
    *why = "Lapwing has not been tried with the MPI behind this library";
    return false;
  }
  return a_status_is_right(why, self);
}

}  // namespace lapwing::mpi

// Threads may meet here: they find the same function.
void* lapwing_mpi_resolve(unsigned index, const void*, const void*) {
  const char* const name = lapwing_mpi_names[index];
  void* const mpi = lapwing::mpi::program_mpi();
  void* const address = lapwing::mpi::function(name);
  if (!address) {
    std::fprintf(stderr, "lapwing: %s is needed, which %s%s. Run the program with LAPWING=off.\n", name,
                 mpi ? "the program's MPI lacks: " : "no MPI library in this process has",
                 mpi ? lapwing::mpi::program_path : "");
    std::abort();
  }
  __atomic_store_n(&lapwing_mpi_slots[index], address, __ATOMIC_RELEASE);
  return address;
}
