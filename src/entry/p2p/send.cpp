// SPDX-License-Identifier: Apache-2.0
// MPI_Send and its kin.
#include "entry/p2p/accounted.hpp"
#include "entry/p2p/blocking.hpp"
#include "entry/p2p/watched_start.hpp"
#include "transfer/decisions/overlap.hpp"

using lapwing::entry::accounted_start;
using lapwing::entry::only_counted;
using lapwing::entry::P2pWatch;
using lapwing::entry::rarely;
using lapwing::entry::refuse_merged;
using lapwing::entry::send_blocking;
using lapwing::entry::starts_straight;
using lapwing::entry::straight;
using lapwing::entry::watch_from_start;
using lapwing::entry::watched;
using lapwing::transfer::Overlap;
using lapwing::transfer::SendArguments;
using SendKind = SendArguments::Kind;

#define BLOCKING(NAME, COUNT, KIND)                                                                   \
  LAPWING_ENTRY int MPI_##NAME(const void* buffer, COUNT count, MPI_Datatype type, int rank, int tag, \
                               MPI_Comm comm) {                                                       \
    Overlap::note_own_send(count, type, rank);                                                        \
    const auto plain = [=] { return PMPI_##NAME(buffer, count, type, rank, tag, comm); };             \
    if (straight(count, type)) return Overlap::block_in(plain);                                       \
    return rarely([=, caller = LAPWING_CALLER("MPI_" #NAME)] {                                        \
      const SendArguments a{buffer, count, type, rank, tag, comm, caller, KIND};                      \
      return Overlap::block_in([&] { return send_blocking(a, plain); });                              \
    });                                                                                               \
  }

// FAST: small ones may go straight to MPI; a persistent request is always remembered.
#define NON_BLOCKING(NAME, COUNT, KIND, OPERATION, FAST)                                              \
  LAPWING_ENTRY int MPI_##NAME(const void* buffer, COUNT count, MPI_Datatype type, int rank, int tag, \
                               MPI_Comm comm, MPI_Request* request) {                                 \
    if (FAST) {                                                                                       \
      Overlap::note_own_send(count, type, rank);                                                      \
      Overlap::note_posted(count, type, rank);                                                        \
    }                                                                                                 \
    if (FAST && starts_straight(count, type))                                                         \
      return PMPI_##NAME(buffer, count, type, rank, tag, comm, request);                              \
    return rarely([=, caller = LAPWING_CALLER("MPI_" #NAME)] {                                        \
      const SendArguments a{buffer, count, type, rank, tag, comm, caller, KIND};                      \
      const auto plain = [&](MPI_Request* r) {                                                        \
        return PMPI_##NAME(buffer, count, type, rank, tag, comm, r);                                  \
      };                                                                                              \
      const bool counted = FAST && only_counted(count, type) && !Overlap::watches();                  \
      if (!counted) refuse_merged(comm, caller);                                                      \
      if (watched()) return P2pWatch::OPERATION(a, request);                                          \
      const auto make = [&] {                                                                         \
        return counted ? plain(request) : lapwing::transfer::OPERATION(a, request, plain);            \
      };                                                                                              \
      const int rc =                                                                                  \
          FAST ? lapwing::sets::begin_send(request, rank, tag, comm, KIND, caller, make) : make();    \
      if (counted) return rc;                                                                         \
      if (!FAST) lapwing::sets::note_persistent(rc, request, rank, tag, comm, false, KIND, caller);   \
      watch_from_start(rc, request, caller.address, count, type, rank, Overlap::Kind::send, !FAST);   \
      return accounted_start(rc, request, caller, count, type, false, !FAST);                         \
    });                                                                                               \
  }

#define SENDS(SUFFIX, COUNT)                                                       \
  BLOCKING(Send##SUFFIX, COUNT, SendKind::standard)                                \
  BLOCKING(Ssend##SUFFIX, COUNT, SendKind::synchronous)                            \
  BLOCKING(Rsend##SUFFIX, COUNT, SendKind::ready)                                  \
  BLOCKING(Bsend##SUFFIX, COUNT, SendKind::buffered)                               \
  NON_BLOCKING(Isend##SUFFIX, COUNT, SendKind::standard, isend, true)              \
  NON_BLOCKING(Issend##SUFFIX, COUNT, SendKind::synchronous, isend, true)          \
  NON_BLOCKING(Irsend##SUFFIX, COUNT, SendKind::ready, isend, true)                \
  NON_BLOCKING(Ibsend##SUFFIX, COUNT, SendKind::buffered, isend, true)             \
  NON_BLOCKING(Send_init##SUFFIX, COUNT, SendKind::standard, send_init, false)     \
  NON_BLOCKING(Ssend_init##SUFFIX, COUNT, SendKind::synchronous, send_init, false) \
  NON_BLOCKING(Rsend_init##SUFFIX, COUNT, SendKind::ready, send_init, false)       \
  NON_BLOCKING(Bsend_init##SUFFIX, COUNT, SendKind::buffered, send_init, false)

SENDS(, int)

#if MPI_VERSION >= 4
SENDS(_c, MPI_Count)
#endif
