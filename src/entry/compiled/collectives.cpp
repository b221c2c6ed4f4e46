// SPDX-License-Identifier: Apache-2.0
// Collectives of compiled code: which form a call takes, and what is left of it.
#include "entry/compiled/collectives.hpp"

#include <dlfcn.h>

#include "entry/p2p/p2p.hpp"
#include "mpi/error_handlers.hpp"
#include "mpi/looks.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/engine.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::entry {
namespace {

using transfer::payload_bytes;
using transfer::Proved;

// Where no member knows the others' share, none can say how much it is.
constexpr std::size_t any_size = ~std::size_t{0};
constexpr std::size_t never = 0;

int wait(MPI_Request* request, MPI_Comm comm) {
  const Proved::Waiting waiting;
  return mpi::wait_raising_in(comm, request, MPI_STATUS_IGNORE);
}

// `bytes` must be the same on all members.
template <typename Bytes, typename Blocking, typename Starting>
int make(Wish& wish, const char* name, Collectives::Kind kind, MPI_Comm comm, Bytes bytes, Blocking blocking,
         Starting starting) {
  const bool agreed = Collectives::on(kind) && Collectives::takes_part(comm);
  const std::size_t all = agreed ? bytes() : never;
  const bool splits = all >= Collectives::threshold();
  // How it is waited for is each process's own affair.
  const bool keeps = Proved::way() != Proved::Way::blocking;
  if (wish.what == Wish::ask) {
    wish.yes = agreed && splits && keeps && (mpi::handlers_never_change() || mpi::errors_are_fatal(comm));
    return MPI_SUCCESS;
  }
  if (!agreed || !splits) return blocking();
  lapwing_token started;
  const int rc = starting(&started.request);
  if (rc != MPI_SUCCESS) return rc;
  if (wish.what == Wish::all || !keeps) return wait(&started.request, comm);
  const std::size_t known = all == any_size ? 0 : all;
  if (!transfer::Overlap::begins(name, known, MPI_ANY_SOURCE)) {
    const std::uint64_t begun = transfer::now_ns();
    const int waited = wait(&started.request, comm);
    if (waited == MPI_SUCCESS) wish.token = Proved::went_plainly(transfer::now_ns() - begun);
    return waited;
  }
  int done = 0;
  const int looked = PMPI_Test(&started.request, &done, MPI_STATUS_IGNORE);
  if (looked != MPI_SUCCESS || done) return looked;
  started.call = name;
  started.comm = comm;
  started.group = true;
  started.bytes = known;
  wish.token = Proved::begin(started);
  return MPI_SUCCESS;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

bool is_root(int root, MPI_Comm comm) {
  int rank = -1;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

// The same amount between each two, of which each member knows its own end.
std::size_t of_all(MPI_Comm comm, int count, MPI_Datatype type) {
  return payload_bytes(count, type) * static_cast<std::size_t>(size_of(comm));
}

std::size_t sum(MPI_Comm comm, const int* counts, MPI_Datatype type) {
  MPI_Count all = 0;
  for (int i = size_of(comm) - 1; i >= 0; --i) all += counts[i];
  return payload_bytes(all, type);
}

}  // namespace

void* program_symbol(const char* name) { return dlsym(RTLD_DEFAULT, name); }

int make_bcast(Wish& wish, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return make(
      wish, "MPI_Bcast", Collectives::bcast, comm,
      [&]() -> std::size_t { return payload_bytes(count, type); },
      [&] { return PMPI_Bcast(buffer, count, type, root, comm); },
      [&](MPI_Request* r) { return PMPI_Ibcast(buffer, count, type, root, comm, r); });
}

int make_reduce(Wish& wish, const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm) {
  return make(
      wish, "MPI_Reduce", Collectives::reduce, comm,
      [&]() -> std::size_t { return Collectives::is_exact(type, op) ? payload_bytes(count, type) : never; },
      [&] { return PMPI_Reduce(send, recv, count, type, op, root, comm); },
      [&](MPI_Request* r) { return PMPI_Ireduce(send, recv, count, type, op, root, comm, r); });
}

int make_allreduce(Wish& wish, const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  return make(
      wish, "MPI_Allreduce", Collectives::allreduce, comm,
      [&]() -> std::size_t { return Collectives::is_exact(type, op) ? payload_bytes(count, type) : never; },
      [&] { return PMPI_Allreduce(send, recv, count, type, op, comm); },
      [&](MPI_Request* r) { return PMPI_Iallreduce(send, recv, count, type, op, comm, r); });
}

int make_gather(Wish& wish, const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                MPI_Datatype rtype, int root, MPI_Comm comm) {
  return make(
      wish, "MPI_Gather", Collectives::gather, comm,
      [&]() -> std::size_t {
        return is_root(root, comm) ? of_all(comm, rcount, rtype) : of_all(comm, scount, stype);
      },
      [&] { return PMPI_Gather(send, scount, stype, recv, rcount, rtype, root, comm); },
      [&](MPI_Request* r) { return PMPI_Igather(send, scount, stype, recv, rcount, rtype, root, comm, r); });
}

int make_gatherv(Wish& wish, const void* send, int scount, MPI_Datatype stype, void* recv, const int* rcounts,
                 const int* displs, MPI_Datatype rtype, int root, MPI_Comm comm) {
  return make(
      wish, "MPI_Gatherv", Collectives::gatherv, comm, [&]() -> std::size_t { return any_size; },
      [&] { return PMPI_Gatherv(send, scount, stype, recv, rcounts, displs, rtype, root, comm); },
      [&](MPI_Request* r) {
        return PMPI_Igatherv(send, scount, stype, recv, rcounts, displs, rtype, root, comm, r);
      });
}

int make_scatter(Wish& wish, const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                 MPI_Datatype rtype, int root, MPI_Comm comm) {
  return make(
      wish, "MPI_Scatter", Collectives::scatter, comm,
      [&]() -> std::size_t {
        return is_root(root, comm) ? of_all(comm, scount, stype) : of_all(comm, rcount, rtype);
      },
      [&] { return PMPI_Scatter(send, scount, stype, recv, rcount, rtype, root, comm); },
      [&](MPI_Request* r) { return PMPI_Iscatter(send, scount, stype, recv, rcount, rtype, root, comm, r); });
}

int make_scatterv(Wish& wish, const void* send, const int* scounts, const int* displs, MPI_Datatype stype,
                  void* recv, int rcount, MPI_Datatype rtype, int root, MPI_Comm comm) {
  return make(
      wish, "MPI_Scatterv", Collectives::scatterv, comm, [&]() -> std::size_t { return any_size; },
      [&] { return PMPI_Scatterv(send, scounts, displs, stype, recv, rcount, rtype, root, comm); },
      [&](MPI_Request* r) {
        return PMPI_Iscatterv(send, scounts, displs, stype, recv, rcount, rtype, root, comm, r);
      });
}

int make_allgather(Wish& wish, const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                   MPI_Datatype rtype, MPI_Comm comm) {
  return make(
      wish, "MPI_Allgather", Collectives::allgather, comm,
      [&]() -> std::size_t { return of_all(comm, rcount, rtype); },
      [&] { return PMPI_Allgather(send, scount, stype, recv, rcount, rtype, comm); },
      [&](MPI_Request* r) { return PMPI_Iallgather(send, scount, stype, recv, rcount, rtype, comm, r); });
}

int make_allgatherv(Wish& wish, const void* send, int scount, MPI_Datatype stype, void* recv,
                    const int* rcounts, const int* displs, MPI_Datatype rtype, MPI_Comm comm) {
  return make(
      wish, "MPI_Allgatherv", Collectives::allgatherv, comm,
      [&]() -> std::size_t { return sum(comm, rcounts, rtype); },
      [&] { return PMPI_Allgatherv(send, scount, stype, recv, rcounts, displs, rtype, comm); },
      [&](MPI_Request* r) {
        return PMPI_Iallgatherv(send, scount, stype, recv, rcounts, displs, rtype, comm, r);
      });
}

int make_alltoall(Wish& wish, const void* send, int scount, MPI_Datatype stype, void* recv, int rcount,
                  MPI_Datatype rtype, MPI_Comm comm) {
  return make(
      wish, "MPI_Alltoall", Collectives::alltoall, comm,
      [&]() -> std::size_t { return of_all(comm, rcount, rtype); },
      [&] { return PMPI_Alltoall(send, scount, stype, recv, rcount, rtype, comm); },
      [&](MPI_Request* r) { return PMPI_Ialltoall(send, scount, stype, recv, rcount, rtype, comm, r); });
}

int make_alltoallv(Wish& wish, const void* send, const int* scounts, const int* sdispls, MPI_Datatype stype,
                   void* recv, const int* rcounts, const int* rdispls, MPI_Datatype rtype, MPI_Comm comm) {
  return make(
      wish, "MPI_Alltoallv", Collectives::alltoallv, comm, [&]() -> std::size_t { return any_size; },
      [&] { return PMPI_Alltoallv(send, scounts, sdispls, stype, recv, rcounts, rdispls, rtype, comm); },
      [&](MPI_Request* r) {
        return PMPI_Ialltoallv(send, scounts, sdispls, stype, recv, rcounts, rdispls, rtype, comm, r);
      });
}

}  // namespace lapwing::entry

using lapwing::entry::Collectives;
using lapwing::entry::Wish;

// Before the job has agreed on a kind, calls are the program's own: whoever watches
// or guards them, or was preloaded, gets them as ever.
#define COLLECTIVE(NAME, ROUTINE, PARAMETERS, ...)                                        \
  LAPWING_ENTRY int lapwing_may_split_##NAME PARAMETERS {                                 \
    Wish wish{Wish::ask};                                                                 \
    lapwing::entry::make_##NAME(wish, __VA_ARGS__);                                       \
    return wish.yes;                                                                      \
  }                                                                                       \
  LAPWING_ENTRY lapwing_token* lapwing_start_##NAME PARAMETERS {                          \
    Wish wish{Wish::start};                                                               \
    lapwing::entry::make_##NAME(wish, __VA_ARGS__);                                       \
    return wish.token;                                                                    \
  }                                                                                       \
  LAPWING_ENTRY int lapwing_call_##NAME PARAMETERS {                                      \
    if (!Collectives::on(Collectives::NAME)) {                                            \
      static const auto own =                                                             \
          reinterpret_cast<decltype(&ROUTINE)>(lapwing::entry::program_symbol(#ROUTINE)); \
      return own(__VA_ARGS__);                                                            \
    }                                                                                     \
    Wish wish{Wish::all};                                                                 \
    return lapwing::entry::make_##NAME(wish, __VA_ARGS__);                                \
  }

COLLECTIVE(bcast, MPI_Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), buffer,
           count, type, root, comm)
COLLECTIVE(reduce, MPI_Reduce,
           (const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
           send, recv, count, type, op, root, comm)
COLLECTIVE(allreduce, MPI_Allreduce,
           (const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), send, recv,
           count, type, op, comm)
COLLECTIVE(gather, MPI_Gather,
           (const void* send, int scount, MPI_Datatype stype, void* recv, int rcount, MPI_Datatype rtype,
            int root, MPI_Comm comm),
           send, scount, stype, recv, rcount, rtype, root, comm)
COLLECTIVE(gatherv, MPI_Gatherv,
           (const void* send, int scount, MPI_Datatype stype, void* recv, const int* rcounts,
            const int* displs, MPI_Datatype rtype, int root, MPI_Comm comm),
           send, scount, stype, recv, rcounts, displs, rtype, root, comm)
COLLECTIVE(scatter, MPI_Scatter,
           (const void* send, int scount, MPI_Datatype stype, void* recv, int rcount, MPI_Datatype rtype,
            int root, MPI_Comm comm),
           send, scount, stype, recv, rcount, rtype, root, comm)
COLLECTIVE(scatterv, MPI_Scatterv,
           (const void* send, const int* scounts, const int* displs, MPI_Datatype stype, void* recv,
            int rcount, MPI_Datatype rtype, int root, MPI_Comm comm),
           send, scounts, displs, stype, recv, rcount, rtype, root, comm)
COLLECTIVE(allgather, MPI_Allgather,
           (const void* send, int scount, MPI_Datatype stype, void* recv, int rcount, MPI_Datatype rtype,
            MPI_Comm comm),
           send, scount, stype, recv, rcount, rtype, comm)
COLLECTIVE(allgatherv, MPI_Allgatherv,
           (const void* send, int scount, MPI_Datatype stype, void* recv, const int* rcounts,
            const int* displs, MPI_Datatype rtype, MPI_Comm comm),
           send, scount, stype, recv, rcounts, displs, rtype, comm)
COLLECTIVE(alltoall, MPI_Alltoall,
           (const void* send, int scount, MPI_Datatype stype, void* recv, int rcount, MPI_Datatype rtype,
            MPI_Comm comm),
           send, scount, stype, recv, rcount, rtype, comm)
COLLECTIVE(alltoallv, MPI_Alltoallv,
           (const void* send, const int* scounts, const int* sdispls, MPI_Datatype stype, void* recv,
            const int* rcounts, const int* rdispls, MPI_Datatype rtype, MPI_Comm comm),
           send, scounts, sdispls, stype, recv, rcounts, rdispls, rtype, comm)
