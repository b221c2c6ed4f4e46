// SPDX-License-Identifier: Apache-2.0
// The stubs of MPI_Alltoall and MPI_Alltoallv lead here where all ranks have agreed; they
// retire what the call is about to touch, as ever, before they do.
#include "entry/collectives/deferred.hpp"

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "entry/compiled/collective_forms.hpp"
#include "entry/fortran/fortran.hpp"
#include "entry/libraries.hpp"
#include "entry/p2p/p2p.hpp"
#include "entry/spec.hpp"
#include "mpi/references.hpp"
#include "transfer/collectives/alltoall.hpp"

namespace {

using lapwing::entry::Collectives;
using lapwing::transfer::Blocks;
using lapwing::transfer::Collective;
using lapwing::transfer::deferrable_collectives;
using lapwing::transfer::exchange_all;

#define ALLTOALL(SUFFIX, COUNT)                                                                         \
  int alltoall##SUFFIX(const void* send, COUNT scount, MPI_Datatype stype, void* recv, COUNT rcount,    \
                       MPI_Datatype rtype, MPI_Comm comm) {                                             \
    return exchange_all(Collective::alltoall, {send, stype, scount}, {recv, rtype, rcount}, comm,       \
                        LAPWING_CALLER("MPI_Alltoall" #SUFFIX), [&] {                                   \
                          return PMPI_Alltoall##SUFFIX(send, scount, stype, recv, rcount, rtype, comm); \
                        });                                                                             \
  }
ALLTOALL(, int)
#if MPI_VERSION >= 4
ALLTOALL(_c, MPI_Count)
#endif

int exchange_uneven(const Blocks& out, const Blocks& in, MPI_Comm comm, lapwing::transfer::Caller caller,
                    lapwing::transfer::Plain plain) {
  return exchange_all(Collective::alltoallv, out, in, comm, caller, plain);
}

int alltoallv(const void* send, const int* scounts, const int* splaces, MPI_Datatype stype, void* recv,
              const int* rcounts, const int* rplaces, MPI_Datatype rtype, MPI_Comm comm) {
  return exchange_uneven(
      {send, stype, 0, scounts, splaces}, {recv, rtype, 0, rcounts, rplaces}, comm,
      LAPWING_CALLER("MPI_Alltoallv"),
      [&] { return PMPI_Alltoallv(send, scounts, splaces, stype, recv, rcounts, rplaces, rtype, comm); });
}

#if MPI_VERSION >= 4
int alltoallv_c(const void* send, const MPI_Count* scounts, const MPI_Aint* splaces, MPI_Datatype stype,
                void* recv, const MPI_Count* rcounts, const MPI_Aint* rplaces, MPI_Datatype rtype,
                MPI_Comm comm) {
  return exchange_uneven(
      {send, stype, 0, nullptr, nullptr, scounts, splaces},
      {recv, rtype, 0, nullptr, nullptr, rcounts, rplaces}, comm, LAPWING_CALLER("MPI_Alltoallv_c"),
      [&] { return PMPI_Alltoallv_c(send, scounts, splaces, stype, recv, rcounts, rplaces, rtype, comm); });
}
#endif

void* sent_from(void* address) {
  return lapwing::mpi::is_fortran_in_place(address) ? MPI_IN_PLACE : lapwing::entry::buffer(address);
}

void alltoall_f(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount, MPI_Fint* rtype,
                MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  lapwing::entry::give(
      error, alltoall(sent_from(send), *scount, PMPI_Type_f2c(*stype), lapwing::entry::buffer(recv), *rcount,
                      PMPI_Type_f2c(*rtype), PMPI_Comm_f2c(*comm)));
}

void alltoallv_f(void* send, MPI_Fint* scounts, MPI_Fint* splaces, MPI_Fint* stype, void* recv,
                 MPI_Fint* rcounts, MPI_Fint* rplaces, MPI_Fint* rtype, MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  lapwing::entry::give(
      error, alltoallv(sent_from(send), scounts, splaces, PMPI_Type_f2c(*stype), lapwing::entry::buffer(recv),
                       rcounts, rplaces, PMPI_Type_f2c(*rtype), PMPI_Comm_f2c(*comm)));
}

struct Route {
  Collective kind;
  const char* target;  ///< where the stubs lead that are led here
  void* to;
};
template <typename Function>
void* as_target(Function* function) {
  return reinterpret_cast<void*>(function);
}
const Route routes[] = {
    {Collective::alltoall, "PMPI_Alltoall", as_target(alltoall)},
    {Collective::alltoallv, "PMPI_Alltoallv", as_target(alltoallv)},
#if MPI_VERSION >= 4
    {Collective::alltoall, "PMPI_Alltoall_c", as_target(alltoall_c)},
    {Collective::alltoallv, "PMPI_Alltoallv_c", as_target(alltoallv_c)},
#endif
    {Collective::alltoall, "ompi_alltoall_f", as_target(alltoall_f)},
    {Collective::alltoallv, "ompi_alltoallv_f", as_target(alltoallv_f)},
};

const Route* route_of(const char* target) {
  for (const Route& route : routes) {
    if (std::strcmp(route.target, target) == 0) return &route;
  }
  return nullptr;
}

// In the MPICH ABI the wrappers of mpi_f08 that take no descriptors call the profiling interface; all others,
// and all of Open MPI's, come here.
bool has_other_way(const char* symbol) {
  if (!std::strstr(symbol, "_f08_")) return false;
  for (int i = 0; lapwing::entry::specs[i].name; ++i) {
    if (std::strcmp(lapwing::entry::specs[i].target, "ompi_alltoall_f") == 0) return false;
  }
  return true;
}

// All members of a communicator must count the same calls. So no file may make one that does not come here:
// of the profiling interface, or by a Fortran wrapper that goes there.
bool look(const char* file, const char* symbol, void* context) {
  auto& able = *static_cast<std::array<bool, deferrable_collectives>*>(context);
  if (lapwing::entry::is_of_mpi(file)) return false;
  const Collectives::Kind kind = Collectives::kind_of(symbol);
  if (kind != Collectives::alltoall && kind != Collectives::alltoallv) return false;
  const bool profiling = symbol[0] == 'P' || symbol[0] == 'p';
  if (profiling || has_other_way(symbol)) able[kind == Collectives::alltoall ? 0 : 1] = false;
  return false;
}

}  // namespace

void lapwing::entry::defer_collectives(const transfer::Settings& settings, bool possible) {
  std::array<bool, deferrable_collectives> able;
  able.fill(possible);
  if (possible) mpi::each_reference(look, &able);
  const auto on = transfer::Members::start(able, settings);
  for (int i = 0; specs[i].name; ++i) {
    const Route* const route = route_of(specs[i].target);
    if (route && on[static_cast<std::size_t>(route->kind)]) lapwing_entry_real[i] = route->to;
  }
}
