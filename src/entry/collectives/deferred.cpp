// SPDX-License-Identifier: Apache-2.0
// The stubs of the collectives that may be deferred lead here where all ranks have agreed; they
// retire what the call is about to touch, as ever, before they do.
#include "entry/collectives/deferred.hpp"

#include <array>
#include <cstring>
#include <type_traits>

#include "entry/compiled/collective_forms.hpp"
#include "entry/fortran/fortran.hpp"
#include "entry/p2p/p2p.hpp"
#include "entry/spec.hpp"
#include "mpi/references.hpp"
#include "transfer/collectives/deferred_call.hpp"

namespace {

using lapwing::entry::Collectives;
using lapwing::transfer::Blocks;
using lapwing::transfer::call_collective;
using lapwing::transfer::Collective;
using lapwing::transfer::deferrable_collectives;

// Each call of C is written once for both forms: MPI's function, and the type of its counts. With large
// counts displacements are addresses.
template <typename Count>
using Place = std::conditional_t<std::is_same_v<Count, int>, int, MPI_Aint>;

Blocks uneven(const void* buffer, const int* counts, const int* places, MPI_Datatype type) {
  return {buffer, type, 0, counts, places};
}
#if MPI_VERSION >= 4
Blocks uneven(const void* buffer, const MPI_Count* counts, const MPI_Aint* places, MPI_Datatype type) {
  return {buffer, type, 0, nullptr, nullptr, counts, places};
}
#endif

#define CALLED(NAME) LAPWING_CALLER((sizeof(Count) == sizeof(int) ? NAME : NAME "_c"))

template <auto Mpi, typename Count>
int alltoall(const void* send, Count scount, MPI_Datatype stype, void* recv, Count rcount, MPI_Datatype rtype,
             MPI_Comm comm) {
  return call_collective(Collective::alltoall, {{send, stype, scount}, {recv, rtype, rcount}}, comm,
                         CALLED("MPI_Alltoall"),
                         [&] { return Mpi(send, scount, stype, recv, rcount, rtype, comm); });
}

template <auto Mpi, typename Count>
int alltoallv(const void* send, const Count* scounts, const Place<Count>* splaces, MPI_Datatype stype,
              void* recv, const Count* rcounts, const Place<Count>* rplaces, MPI_Datatype rtype,
              MPI_Comm comm) {
  return call_collective(
      Collective::alltoallv, {uneven(send, scounts, splaces, stype), uneven(recv, rcounts, rplaces, rtype)},
      comm, CALLED("MPI_Alltoallv"),
      [&] { return Mpi(send, scounts, splaces, stype, recv, rcounts, rplaces, rtype, comm); });
}

template <auto Mpi, typename Count>
int allgather(const void* send, Count scount, MPI_Datatype stype, void* recv, Count rcount,
              MPI_Datatype rtype, MPI_Comm comm) {
  return call_collective(Collective::allgather, {{send, stype, scount}, {recv, rtype, rcount}}, comm,
                         CALLED("MPI_Allgather"),
                         [&] { return Mpi(send, scount, stype, recv, rcount, rtype, comm); });
}

template <auto Mpi, typename Count>
int allgatherv(const void* send, Count scount, MPI_Datatype stype, void* recv, const Count* rcounts,
               const Place<Count>* rplaces, MPI_Datatype rtype, MPI_Comm comm) {
  return call_collective(Collective::allgatherv,
                         {{send, stype, scount}, uneven(recv, rcounts, rplaces, rtype)}, comm,
                         CALLED("MPI_Allgatherv"),
                         [&] { return Mpi(send, scount, stype, recv, rcounts, rplaces, rtype, comm); });
}

template <auto Mpi, typename Count>
int gather(const void* send, Count scount, MPI_Datatype stype, void* recv, Count rcount, MPI_Datatype rtype,
           int root, MPI_Comm comm) {
  return call_collective(Collective::gather, {{send, stype, scount}, {recv, rtype, rcount}, root}, comm,
                         CALLED("MPI_Gather"),
                         [&] { return Mpi(send, scount, stype, recv, rcount, rtype, root, comm); });
}

template <auto Mpi, typename Count>
int gatherv(const void* send, Count scount, MPI_Datatype stype, void* recv, const Count* rcounts,
            const Place<Count>* rplaces, MPI_Datatype rtype, int root, MPI_Comm comm) {
  return call_collective(Collective::gatherv,
                         {{send, stype, scount}, uneven(recv, rcounts, rplaces, rtype), root}, comm,
                         CALLED("MPI_Gatherv"),
                         [&] { return Mpi(send, scount, stype, recv, rcounts, rplaces, rtype, root, comm); });
}

template <auto Mpi, typename Count>
int scatter(const void* send, Count scount, MPI_Datatype stype, void* recv, Count rcount, MPI_Datatype rtype,
            int root, MPI_Comm comm) {
  return call_collective(Collective::scatter, {{send, stype, scount}, {recv, rtype, rcount}, root}, comm,
                         CALLED("MPI_Scatter"),
                         [&] { return Mpi(send, scount, stype, recv, rcount, rtype, root, comm); });
}

template <auto Mpi, typename Count>
int scatterv(const void* send, const Count* scounts, const Place<Count>* splaces, MPI_Datatype stype,
             void* recv, Count rcount, MPI_Datatype rtype, int root, MPI_Comm comm) {
  return call_collective(Collective::scatterv,
                         {uneven(send, scounts, splaces, stype), {recv, rtype, rcount}, root}, comm,
                         CALLED("MPI_Scatterv"),
                         [&] { return Mpi(send, scounts, splaces, stype, recv, rcount, rtype, root, comm); });
}

template <auto Mpi, typename Count>
int bcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  return call_collective(Collective::bcast, {{buffer, type, count}, {buffer, type, count}, root}, comm,
                         CALLED("MPI_Bcast"), [&] { return Mpi(buffer, count, type, root, comm); });
}

void* as_buffer(void* address) {
  return lapwing::mpi::is_fortran_in_place(address) ? MPI_IN_PLACE : lapwing::entry::buffer(address);
}
MPI_Datatype as_type(const MPI_Fint* type) { return PMPI_Type_f2c(*type); }
MPI_Comm as_comm(const MPI_Fint* comm) { return PMPI_Comm_f2c(*comm); }
using lapwing::entry::give;

void alltoall_f(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount, MPI_Fint* rtype,
                MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, alltoall<PMPI_Alltoall, int>(as_buffer(send), *scount, as_type(stype), as_buffer(recv), *rcount,
                                           as_type(rtype), as_comm(comm)));
}

void alltoallv_f(void* send, MPI_Fint* scounts, MPI_Fint* splaces, MPI_Fint* stype, void* recv,
                 MPI_Fint* rcounts, MPI_Fint* rplaces, MPI_Fint* rtype, MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error,
       alltoallv<PMPI_Alltoallv, int>(as_buffer(send), scounts, splaces, as_type(stype), as_buffer(recv),
                                      rcounts, rplaces, as_type(rtype), as_comm(comm)));
}

void allgather_f(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount, MPI_Fint* rtype,
                 MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, allgather<PMPI_Allgather, int>(as_buffer(send), *scount, as_type(stype), as_buffer(recv),
                                             *rcount, as_type(rtype), as_comm(comm)));
}

void allgatherv_f(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcounts,
                  MPI_Fint* rplaces, MPI_Fint* rtype, MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, allgatherv<PMPI_Allgatherv, int>(as_buffer(send), *scount, as_type(stype), as_buffer(recv),
                                               rcounts, rplaces, as_type(rtype), as_comm(comm)));
}

void gather_f(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount, MPI_Fint* rtype,
              MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, gather<PMPI_Gather, int>(as_buffer(send), *scount, as_type(stype), as_buffer(recv), *rcount,
                                       as_type(rtype), *root, as_comm(comm)));
}

void gatherv_f(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcounts,
               MPI_Fint* rplaces, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, gatherv<PMPI_Gatherv, int>(as_buffer(send), *scount, as_type(stype), as_buffer(recv), rcounts,
                                         rplaces, as_type(rtype), *root, as_comm(comm)));
}

void scatter_f(void* send, MPI_Fint* scount, MPI_Fint* stype, void* recv, MPI_Fint* rcount, MPI_Fint* rtype,
               MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, scatter<PMPI_Scatter, int>(as_buffer(send), *scount, as_type(stype), as_buffer(recv), *rcount,
                                         as_type(rtype), *root, as_comm(comm)));
}

void scatterv_f(void* send, MPI_Fint* scounts, MPI_Fint* splaces, MPI_Fint* stype, void* recv,
                MPI_Fint* rcount, MPI_Fint* rtype, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, scatterv<PMPI_Scatterv, int>(as_buffer(send), scounts, splaces, as_type(stype), as_buffer(recv),
                                           *rcount, as_type(rtype), *root, as_comm(comm)));
}

void bcast_f(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, bcast<PMPI_Bcast, int>(as_buffer(buffer), *count, as_type(type), *root, as_comm(comm)));
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
    {Collective::alltoall, "PMPI_Alltoall", as_target(alltoall<PMPI_Alltoall, int>)},
    {Collective::alltoallv, "PMPI_Alltoallv", as_target(alltoallv<PMPI_Alltoallv, int>)},
    {Collective::allgather, "PMPI_Allgather", as_target(allgather<PMPI_Allgather, int>)},
    {Collective::allgatherv, "PMPI_Allgatherv", as_target(allgatherv<PMPI_Allgatherv, int>)},
    {Collective::gather, "PMPI_Gather", as_target(gather<PMPI_Gather, int>)},
    {Collective::gatherv, "PMPI_Gatherv", as_target(gatherv<PMPI_Gatherv, int>)},
    {Collective::scatter, "PMPI_Scatter", as_target(scatter<PMPI_Scatter, int>)},
    {Collective::scatterv, "PMPI_Scatterv", as_target(scatterv<PMPI_Scatterv, int>)},
    {Collective::bcast, "PMPI_Bcast", as_target(bcast<PMPI_Bcast, int>)},
#if MPI_VERSION >= 4
    {Collective::alltoall, "PMPI_Alltoall_c", as_target(alltoall<PMPI_Alltoall_c, MPI_Count>)},
    {Collective::alltoallv, "PMPI_Alltoallv_c", as_target(alltoallv<PMPI_Alltoallv_c, MPI_Count>)},
    {Collective::allgather, "PMPI_Allgather_c", as_target(allgather<PMPI_Allgather_c, MPI_Count>)},
    {Collective::allgatherv, "PMPI_Allgatherv_c", as_target(allgatherv<PMPI_Allgatherv_c, MPI_Count>)},
    {Collective::gather, "PMPI_Gather_c", as_target(gather<PMPI_Gather_c, MPI_Count>)},
    {Collective::gatherv, "PMPI_Gatherv_c", as_target(gatherv<PMPI_Gatherv_c, MPI_Count>)},
    {Collective::scatter, "PMPI_Scatter_c", as_target(scatter<PMPI_Scatter_c, MPI_Count>)},
    {Collective::scatterv, "PMPI_Scatterv_c", as_target(scatterv<PMPI_Scatterv_c, MPI_Count>)},
    {Collective::bcast, "PMPI_Bcast_c", as_target(bcast<PMPI_Bcast_c, MPI_Count>)},
#endif
    {Collective::alltoall, "ompi_alltoall_f", as_target(alltoall_f)},
    {Collective::alltoallv, "ompi_alltoallv_f", as_target(alltoallv_f)},
    {Collective::allgather, "ompi_allgather_f", as_target(allgather_f)},
    {Collective::allgatherv, "ompi_allgatherv_f", as_target(allgatherv_f)},
    {Collective::gather, "ompi_gather_f", as_target(gather_f)},
    {Collective::gatherv, "ompi_gatherv_f", as_target(gatherv_f)},
    {Collective::scatter, "ompi_scatter_f", as_target(scatter_f)},
    {Collective::scatterv, "ompi_scatterv_f", as_target(scatterv_f)},
    {Collective::bcast, "ompi_bcast_f", as_target(bcast_f)},
};

const Route* route_of(const char* target) {
  for (const Route& route : routes) {
    if (std::strcmp(route.target, target) == 0) return &route;
  }
  return nullptr;
}

// As Collective has them.
constexpr std::array<Collectives::Kind, deferrable_collectives> kinds = {
    Collectives::alltoall,   Collectives::alltoallv, Collectives::allgather,
    Collectives::allgatherv, Collectives::gather,    Collectives::gatherv,
    Collectives::scatter,    Collectives::scatterv,  Collectives::bcast};

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
  if (lapwing::mpi::is_of_mpi(file)) return false;
  const Collectives::Kind kind = Collectives::kind_of(symbol);
  if (kind == Collectives::kinds) return false;
  const bool profiling = symbol[0] == 'P' || symbol[0] == 'p';
  if (!profiling && !has_other_way(symbol)) return false;
  for (std::size_t i = 0; i < kinds.size(); ++i) able[i] &= kinds[i] != kind;
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
