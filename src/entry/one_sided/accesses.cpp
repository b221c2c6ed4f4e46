// SPDX-License-Identifier: Apache-2.0
// The stubs of gets, puts and flushes lead here where all ranks have agreed.
#include "entry/one_sided/accesses.hpp"

#include <cstring>

#include "entry/fortran/fortran.hpp"
#include "entry/group_spec.hpp"
#include "entry/one_sided/windows.hpp"
#include "entry/p2p/p2p.hpp"
#include "entry/spec.hpp"
#include "mpi/references.hpp"
#include "progress/clock.hpp"
#include "transfer/windows/deferred_accesses.hpp"

namespace {

using lapwing::transfer::Access;
using lapwing::transfer::all_targets;
using lapwing::transfer::Completes;
using lapwing::transfer::DeferredAccesses;
using lapwing::transfer::Targets;

template <typename Count>
const char* name_of(const char* small, const char* large) {
  return sizeof(Count) == sizeof(int) ? small : large;
}

// The caller is that of the function that calls this one, which the compiler must put in its place.
#define LAPWING_ACCESS(NAME, ACCESS, BUFFER, REQUEST, ...)                                                   \
  return DeferredAccesses::make({Access::ACCESS, const_cast<void*>(static_cast<const void*>(BUFFER)), count, \
                                 type, target, displacement, target_count, target_type, win, REQUEST},       \
                                LAPWING_CALLER((name_of<Count>(NAME, NAME "_c"))), [&] {                     \
                                  return Mpi(BUFFER, count, type, target, displacement, target_count,        \
                                             target_type, win __VA_ARGS__);                                  \
                                })

template <auto Mpi, typename Count>
int get(void* buffer, Count count, MPI_Datatype type, int target, MPI_Aint displacement, Count target_count,
        MPI_Datatype target_type, MPI_Win win) {
  LAPWING_ACCESS("MPI_Get", get, buffer, nullptr);
}

template <auto Mpi, typename Count>
int rget(void* buffer, Count count, MPI_Datatype type, int target, MPI_Aint displacement, Count target_count,
         MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
  LAPWING_ACCESS("MPI_Rget", get, buffer, request, , request);
}

template <auto Mpi, typename Count>
int put(const void* buffer, Count count, MPI_Datatype type, int target, MPI_Aint displacement,
        Count target_count, MPI_Datatype target_type, MPI_Win win) {
  LAPWING_ACCESS("MPI_Put", put, buffer, nullptr);
}

template <auto Mpi, typename Count>
int rput(const void* buffer, Count count, MPI_Datatype type, int target, MPI_Aint displacement,
         Count target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
  LAPWING_ACCESS("MPI_Rput", put, buffer, request, , request);
}

int attach(MPI_Win win, void* base, MPI_Aint bytes) {
  const int rc = PMPI_Win_attach(win, base, bytes);
  if (rc == MPI_SUCCESS) DeferredAccesses::attached(win, base, bytes);
  return rc;
}

int detach(MPI_Win win, const void* base) {
  const int rc = PMPI_Win_detach(win, base);
  if (rc == MPI_SUCCESS) DeferredAccesses::detached(win, base);
  return rc;
}

template <typename Plain>
int flush(MPI_Win win, Targets targets, Completes what, Plain plain) {
  const std::uint64_t begun = lapwing::progress::now_ns();
  if (DeferredAccesses::flush(win, targets, what)) return MPI_SUCCESS;
  const int rc = plain();
  if (rc == MPI_SUCCESS)
    DeferredAccesses::synchronised(win, targets, what, lapwing::progress::now_ns() - begun);
  return rc;
}

template <auto Mpi, Completes what>
int flush_one(int target, MPI_Win win) {
  return flush(win, target, what, [&] { return Mpi(target, win); });
}

template <auto Mpi, Completes what>
int flush_all(MPI_Win win) {
  return flush(win, all_targets, what, [&] { return Mpi(win); });
}

using lapwing::entry::give;

template <auto Make>
void access_f(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* target, MPI_Aint* displacement,
              MPI_Fint* target_count, MPI_Fint* target_type, MPI_Fint* win, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, Make(lapwing::entry::buffer(buffer), *count, PMPI_Type_f2c(*type), *target, *displacement,
                   *target_count, PMPI_Type_f2c(*target_type), PMPI_Win_f2c(*win)));
}

template <auto Make>
void raccess_f(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* target, MPI_Aint* displacement,
               MPI_Fint* target_count, MPI_Fint* target_type, MPI_Fint* win, MPI_Fint* request,
               MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  MPI_Request made = MPI_REQUEST_NULL;
  const int rc = Make(lapwing::entry::buffer(buffer), *count, PMPI_Type_f2c(*type), *target, *displacement,
                      *target_count, PMPI_Type_f2c(*target_type), PMPI_Win_f2c(*win), &made);
  if (rc == MPI_SUCCESS) *request = PMPI_Request_c2f(made);
  give(error, rc);
}

void attach_f(MPI_Fint* win, void* base, MPI_Aint* bytes, MPI_Fint* error) {
  give(error, attach(PMPI_Win_f2c(*win), lapwing::entry::buffer(base), *bytes));
}

void detach_f(MPI_Fint* win, void* base, MPI_Fint* error) {
  give(error, detach(PMPI_Win_f2c(*win), lapwing::entry::buffer(base)));
}

template <int (*Flush)(int, MPI_Win)>
void flush_one_f(MPI_Fint* target, MPI_Fint* win, MPI_Fint* error) {
  give(error, Flush(*target, PMPI_Win_f2c(*win)));
}

template <int (*Flush)(MPI_Win)>
void flush_all_f(MPI_Fint* win, MPI_Fint* error) {
  give(error, Flush(PMPI_Win_f2c(*win)));
}

struct Route {
  const char* target;  ///< where the stubs lead that are led here
  void* to;
};
template <typename Function>
void* as_target(Function* function) {
  return reinterpret_cast<void*>(function);
}

constexpr auto flush_remote = flush_one<PMPI_Win_flush, Completes::remote>;
constexpr auto flush_local = flush_one<PMPI_Win_flush_local, Completes::local>;
constexpr auto flush_remote_all = flush_all<PMPI_Win_flush_all, Completes::remote>;
constexpr auto flush_local_all = flush_all<PMPI_Win_flush_local_all, Completes::local>;

const Route routes[] = {
    {"PMPI_Get", as_target(get<PMPI_Get, int>)},
    {"PMPI_Rget", as_target(rget<PMPI_Rget, int>)},
    {"PMPI_Put", as_target(put<PMPI_Put, int>)},
    {"PMPI_Rput", as_target(rput<PMPI_Rput, int>)},
#if MPI_VERSION >= 4
    {"PMPI_Get_c", as_target(get<PMPI_Get_c, MPI_Count>)},
    {"PMPI_Rget_c", as_target(rget<PMPI_Rget_c, MPI_Count>)},
    {"PMPI_Put_c", as_target(put<PMPI_Put_c, MPI_Count>)},
    {"PMPI_Rput_c", as_target(rput<PMPI_Rput_c, MPI_Count>)},
#endif
    {"PMPI_Win_attach", as_target(attach)},
    {"PMPI_Win_detach", as_target(detach)},
    {"PMPI_Win_flush", as_target(flush_remote)},
    {"PMPI_Win_flush_local", as_target(flush_local)},
    {"PMPI_Win_flush_all", as_target(flush_remote_all)},
    {"PMPI_Win_flush_local_all", as_target(flush_local_all)},
    {"ompi_get_f", as_target(access_f<get<PMPI_Get, int>>)},
    {"ompi_rget_f", as_target(raccess_f<rget<PMPI_Rget, int>>)},
    {"ompi_put_f", as_target(access_f<put<PMPI_Put, int>>)},
    {"ompi_rput_f", as_target(raccess_f<rput<PMPI_Rput, int>>)},
    {"ompi_win_attach_f", as_target(attach_f)},
    {"ompi_win_detach_f", as_target(detach_f)},
    {"ompi_win_flush_f", as_target(flush_one_f<flush_remote>)},
    {"ompi_win_flush_local_f", as_target(flush_one_f<flush_local>)},
    {"ompi_win_flush_all_f", as_target(flush_all_f<flush_remote_all>)},
    {"ompi_win_flush_local_all_f", as_target(flush_all_f<flush_local_all>)},
};

// Calls of the profiling interface do not come here, so that neither locks nor accesses would be noted.
bool passes_by(const char* file, const char* symbol, void* found) {
  using lapwing::entry::GroupSpec;
  using lapwing::sets::Operation;
  if (symbol[0] != 'P' || lapwing::mpi::is_of_mpi(file)) return false;
  for (const GroupSpec* group = lapwing::entry::group_specs; group->name; ++group) {
    const bool locks =
        group->operation >= Operation::win_lock && group->operation <= Operation::win_unlock_all;
    const std::size_t length = std::strlen(group->name);
    if (!(locks || lapwing::entry::is_access(*group)) || std::strncmp(symbol + 1, group->name, length) != 0)
      continue;
    const char* const rest = symbol + 1 + length;
    if (*rest != '\0' && std::strcmp(rest, "_c") != 0) continue;
    *static_cast<bool*>(found) = true;
    return true;
  }
  return false;
}

}  // namespace

void lapwing::entry::defer_accesses(bool possible) {
  bool found = false;
  if (possible) mpi::each_reference_to_mpi(passes_by, &found);
  const int mine = possible && !found;
  int all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  transfer::DeferredAccesses::allow(all != 0);
  for (int i = 0; all != 0 && specs[i].name; ++i) {
    for (const Route& route : routes) {
      if (std::strcmp(route.target, specs[i].target) == 0) lapwing_entry_real[i] = route.to;
    }
  }
}
