// SPDX-License-Identifier: Apache-2.0
// MPI_Recv and its kin, and the calls that send and receive at once.
#include "entry/p2p/accounted.hpp"
#include "entry/p2p/blocking.hpp"
#include "entry/p2p/watched_start.hpp"
#include "transfer/decisions/overlap.hpp"

using lapwing::entry::accounted_start;
using lapwing::entry::exchange_blocking;
using lapwing::entry::noted;
using lapwing::entry::only_counted;
using lapwing::entry::P2pWatch;
using lapwing::entry::rarely;
using lapwing::entry::receive_blocking;
using lapwing::entry::refuse_merged;
using lapwing::entry::replace_blocking;
using lapwing::entry::starts_straight;
using lapwing::entry::straight;
using lapwing::entry::watch_from_start;
using lapwing::entry::watched;
using lapwing::transfer::Overlap;
using lapwing::transfer::ReceiveArguments;
using lapwing::transfer::SendArguments;
namespace transfer = lapwing::transfer;

#define RECEIVE(NAME, COUNT)                                                                               \
  LAPWING_ENTRY int MPI_##NAME(void* buffer, COUNT count, MPI_Datatype type, int rank, int tag,            \
                               MPI_Comm comm, MPI_Status* status) {                                        \
    if (straight(count, type)) return noted(PMPI_##NAME(buffer, count, type, rank, tag, comm, status));    \
    return rarely([=, caller = LAPWING_CALLER("MPI_" #NAME)] {                                             \
      const ReceiveArguments a{buffer, count, type, rank, tag, comm, caller};                              \
      return receive_blocking(                                                                             \
          a, status, [&](MPI_Status* s) { return PMPI_##NAME(buffer, count, type, rank, tag, comm, s); }); \
    });                                                                                                    \
  }

#define POST(NAME, COUNT, OPERATION, FAST)                                                                 \
  LAPWING_ENTRY int MPI_##NAME(void* buffer, COUNT count, MPI_Datatype type, int rank, int tag,            \
                               MPI_Comm comm, MPI_Request* request) {                                      \
    if (FAST) Overlap::note_posted(count, type, rank);                                                     \
    if (FAST && starts_straight(count, type))                                                              \
      return PMPI_##NAME(buffer, count, type, rank, tag, comm, request);                                   \
    return rarely([=, caller = LAPWING_CALLER("MPI_" #NAME)] {                                             \
      const ReceiveArguments a{buffer, count, type, rank, tag, comm, caller};                              \
      const auto plain = [&](MPI_Request* r) {                                                             \
        return PMPI_##NAME(buffer, count, type, rank, tag, comm, r);                                       \
      };                                                                                                   \
      const bool counted = FAST && only_counted(count, type) && !Overlap::watches();                       \
      if (!counted) refuse_merged(comm, caller);                                                           \
      if (watched()) return P2pWatch::OPERATION(a, request);                                               \
      const auto make = [&] { return counted ? plain(request) : transfer::OPERATION(a, request, plain); }; \
      const int rc = FAST ? lapwing::sets::begin_receive(request, rank, tag, comm, caller, make) : make(); \
      if (counted) return rc;                                                                              \
      if (!FAST)                                                                                           \
        lapwing::sets::note_persistent(rc, request, rank, tag, comm, true,                                 \
                                       lapwing::sets::SendKind::standard, caller);                         \
      watch_from_start(rc, request, caller.address, count, type, rank, Overlap::Kind::receive, !FAST);     \
      return accounted_start(rc, request, caller, count, type, true, !FAST);                               \
    });                                                                                                    \
  }

#define MATCHED(SUFFIX, COUNT)                                                                              \
  LAPWING_ENTRY int MPI_Mrecv##SUFFIX(void* buffer, COUNT count, MPI_Datatype type, MPI_Message* message,   \
                                      MPI_Status* status) {                                                 \
    if (watched()) {                                                                                        \
      P2pWatch::note_matched_receive(message);                                                              \
      return PMPI_Mrecv##SUFFIX(buffer, count, type, message, status);                                      \
    }                                                                                                       \
    return transfer::mreceive(                                                                              \
        {buffer, count, type, 0, 0, MPI_COMM_NULL, LAPWING_CALLER("MPI_Mrecv" #SUFFIX)}, message, status,   \
        [&](MPI_Status* s) { return PMPI_Mrecv##SUFFIX(buffer, count, type, message, s); });                \
  }                                                                                                         \
  LAPWING_ENTRY int MPI_Imrecv##SUFFIX(void* buffer, COUNT count, MPI_Datatype type, MPI_Message* message,  \
                                       MPI_Request* request) {                                              \
    if (watched()) {                                                                                        \
      P2pWatch::note_matched_receive(message);                                                              \
      return PMPI_Imrecv##SUFFIX(buffer, count, type, message, request);                                    \
    }                                                                                                       \
    const int rc = transfer::imreceive(                                                                     \
        {buffer, count, type, 0, 0, MPI_COMM_NULL, LAPWING_CALLER("MPI_Imrecv" #SUFFIX)}, message, request, \
        [&](MPI_Request* r) { return PMPI_Imrecv##SUFFIX(buffer, count, type, message, r); });              \
    return accounted_start(rc, request, LAPWING_CALLER("MPI_Imrecv" #SUFFIX), count, type, true, false);    \
  }

#define EXCHANGE(SUFFIX, COUNT)                                                                              \
  LAPWING_ENTRY int MPI_Sendrecv##SUFFIX(const void* out, COUNT out_count, MPI_Datatype out_type, int to,    \
                                         int out_tag, void* in, COUNT in_count, MPI_Datatype in_type,        \
                                         int from, int in_tag, MPI_Comm comm, MPI_Status* status) {          \
    if (straight(out_count, out_type) && straight(in_count, in_type))                                        \
      return noted(PMPI_Sendrecv##SUFFIX(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, \
                                         in_tag, comm, status));                                             \
    return rarely([=, caller = LAPWING_CALLER("MPI_Sendrecv" #SUFFIX)] {                                     \
      const SendArguments s{out, out_count, out_type, to, out_tag, comm, caller};                            \
      const ReceiveArguments r{in, in_count, in_type, from, in_tag, comm, caller};                           \
      return exchange_blocking(s, r, status, [&](MPI_Status* own) {                                          \
        return PMPI_Sendrecv##SUFFIX(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,     \
                                     in_tag, comm, own);                                                     \
      });                                                                                                    \
    });                                                                                                      \
  }                                                                                                          \
  LAPWING_ENTRY int MPI_Sendrecv_replace##SUFFIX(void* buffer, COUNT count, MPI_Datatype type, int to,       \
                                                 int out_tag, int from, int in_tag, MPI_Comm comm,           \
                                                 MPI_Status* status) {                                       \
    if (straight(count, type))                                                                               \
      return noted(                                                                                          \
          PMPI_Sendrecv_replace##SUFFIX(buffer, count, type, to, out_tag, from, in_tag, comm, status));      \
    return rarely([=, caller = LAPWING_CALLER("MPI_Sendrecv_replace" #SUFFIX)] {                             \
      const SendArguments s{buffer, count, type, to, out_tag, comm, caller};                                 \
      const ReceiveArguments r{buffer, count, type, from, in_tag, comm, caller};                             \
      return replace_blocking(s, r, status, [&](MPI_Status* own) {                                           \
        return PMPI_Sendrecv_replace##SUFFIX(buffer, count, type, to, out_tag, from, in_tag, comm, own);     \
      });                                                                                                    \
    });                                                                                                      \
  }

RECEIVE(Recv, int)
POST(Irecv, int, ireceive, true)
POST(Recv_init, int, receive_init, false)
MATCHED(, int)
EXCHANGE(, int)

namespace {

// `plain` makes the program's own call.
template <typename Plain>
int start_exchange(const SendArguments& s, const ReceiveArguments& r, MPI_Request* request, Plain plain) {
  if (watched()) {
    P2pWatch::note_exchange(s, r);
    return plain(request);
  }
  const int rc =
      lapwing::sets::begin_exchange(s, r, [&] { return transfer::isend_receive(s, r, request, plain); });
  return accounted_start(rc, request, r.caller, r.count, r.type, true, false);
}

}  // namespace

#define START_EXCHANGE(SUFFIX, COUNT)                                                                      \
  LAPWING_ENTRY int MPI_Isendrecv##SUFFIX(const void* out, COUNT out_count, MPI_Datatype out_type, int to, \
                                          int out_tag, void* in, COUNT in_count, MPI_Datatype in_type,     \
                                          int from, int in_tag, MPI_Comm comm, MPI_Request* request) {     \
    const auto caller = LAPWING_CALLER("MPI_Isendrecv" #SUFFIX);                                           \
    const SendArguments s{out, out_count, out_type, to, out_tag, comm, caller};                            \
    const ReceiveArguments r{in, in_count, in_type, from, in_tag, comm, caller};                           \
    return start_exchange(s, r, request, [&](MPI_Request* into) {                                          \
      return PMPI_Isendrecv##SUFFIX(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,    \
                                    in_tag, comm, into);                                                   \
    });                                                                                                    \
  }                                                                                                        \
  LAPWING_ENTRY int MPI_Isendrecv_replace##SUFFIX(void* buffer, COUNT count, MPI_Datatype type, int to,    \
                                                  int out_tag, int from, int in_tag, MPI_Comm comm,        \
                                                  MPI_Request* request) {                                  \
    const auto caller = LAPWING_CALLER("MPI_Isendrecv_replace" #SUFFIX);                                   \
    const SendArguments s{buffer, count, type, to, out_tag, comm, caller};                                 \
    const ReceiveArguments r{buffer, count, type, from, in_tag, comm, caller};                             \
    return start_exchange(s, r, request, [&](MPI_Request* into) {                                          \
      return PMPI_Isendrecv_replace##SUFFIX(buffer, count, type, to, out_tag, from, in_tag, comm, into);   \
    });                                                                                                    \
  }

START_EXCHANGE(, int)

#if MPI_VERSION >= 4
RECEIVE(Recv_c, MPI_Count)
POST(Irecv_c, MPI_Count, ireceive, true)
POST(Recv_init_c, MPI_Count, receive_init, false)
MATCHED(_c, MPI_Count)
EXCHANGE(_c, MPI_Count)
START_EXCHANGE(_c, MPI_Count)
#endif
