// SPDX-License-Identifier: Apache-2.0
// The stubs of MPI_Get and of the flushes lead here where all ranks have agreed.
#include "entry/one_sided/gets.hpp"

#include <cstring>

#include "entry/fortran/fortran.hpp"
#include "entry/group_spec.hpp"
#include "entry/one_sided/windows.hpp"
#include "entry/p2p/p2p.hpp"
#include "entry/spec.hpp"
#include "mpi/references.hpp"
#include "progress/clock.hpp"
#include "transfer/windows/deferred_gets.hpp"

namespace {

using lapwing::transfer::all_targets;
using lapwing::transfer::Completes;
using lapwing::transfer::DeferredGets;
using lapwing::transfer::Targets;

template <auto Mpi, typename Count>
int get(void* buffer, Count count, MPI_Datatype type, int target, MPI_Aint displacement, Count target_count,
        MPI_Datatype target_type, MPI_Win win) {
  return DeferredGets::get(
      {buffer, count, type, target, displacement, target_count, target_type, win},
      LAPWING_CALLER((sizeof(Count) == sizeof(int) ? "MPI_Get" : "MPI_Get_c")),
      [&] { return Mpi(buffer, count, type, target, displacement, target_count, target_type, win); });
}

template <typename Plain>
int flush(MPI_Win win, Targets targets, Completes what, Plain plain) {
  const std::uint64_t begun = lapwing::progress::now_ns();
  if (DeferredGets::flush(win, targets)) return MPI_SUCCESS;
  const int rc = plain();
  if (rc == MPI_SUCCESS) DeferredGets::synchronised(win, targets, what, lapwing::progress::now_ns() - begun);
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

void get_f(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* target, MPI_Aint* displacement,
           MPI_Fint* target_count, MPI_Fint* target_type, MPI_Fint* win, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error,
       get<PMPI_Get, int>(lapwing::entry::buffer(buffer), *count, PMPI_Type_f2c(*type), *target,
                          *displacement, *target_count, PMPI_Type_f2c(*target_type), PMPI_Win_f2c(*win)));
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
#if MPI_VERSION >= 4
    {"PMPI_Get_c", as_target(get<PMPI_Get_c, MPI_Count>)},
#endif
    {"PMPI_Win_flush", as_target(flush_remote)},
    {"PMPI_Win_flush_local", as_target(flush_local)},
    {"PMPI_Win_flush_all", as_target(flush_remote_all)},
    {"PMPI_Win_flush_local_all", as_target(flush_local_all)},
    {"ompi_get_f", as_target(get_f)},
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

void lapwing::entry::defer_gets(bool possible) {
  bool found = false;
  if (possible) mpi::each_reference_to_mpi(passes_by, &found);
  const int mine = possible && !found;
  int all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  transfer::DeferredGets::allow(all != 0);
  for (int i = 0; all != 0 && specs[i].name; ++i) {
    for (const Route& route : routes) {
      if (std::strcmp(route.target, specs[i].target) == 0) lapwing_entry_real[i] = route.to;
    }
  }
}
