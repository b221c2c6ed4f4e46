// SPDX-License-Identifier: Apache-2.0
// MPI_Recv and its kin, and the calls that send and receive at once.
#include "entry/p2p.hpp"

using lapwing::entry::straight;
namespace transfer = lapwing::transfer;

#define RECEIVE(NAME, COUNT)                                                                    \
  LAPWING_ENTRY int MPI_##NAME(void* buffer, COUNT count, MPI_Datatype type, int rank, int tag, \
                               MPI_Comm comm, MPI_Status* status) {                             \
    if (straight(count, type)) {                                                                \
      const int rc = PMPI_##NAME(buffer, count, type, rank, tag, comm, status);                 \
      if (__builtin_expect(rc != MPI_SUCCESS, 0)) transfer::note_receive_error(rc);             \
      return rc;                                                                                \
    }                                                                                           \
    return transfer::receive(                                                                   \
        {buffer, count, type, rank, tag, comm, LAPWING_CALLER("MPI_" #NAME)}, status,           \
        [&](MPI_Status* s) { return PMPI_##NAME(buffer, count, type, rank, tag, comm, s); });   \
  }

#define POST(NAME, COUNT, OPERATION, FAST)                                                                \
  LAPWING_ENTRY int MPI_##NAME(void* buffer, COUNT count, MPI_Datatype type, int rank, int tag,           \
                               MPI_Comm comm, MPI_Request* request) {                                     \
    if (FAST && straight(count, type)) return PMPI_##NAME(buffer, count, type, rank, tag, comm, request); \
    return transfer::OPERATION(                                                                           \
        {buffer, count, type, rank, tag, comm, LAPWING_CALLER("MPI_" #NAME)}, request,                    \
        [&](MPI_Request* r) { return PMPI_##NAME(buffer, count, type, rank, tag, comm, r); });            \
  }

#define MATCHED(SUFFIX, COUNT)                                                                              \
  LAPWING_ENTRY int MPI_Mrecv##SUFFIX(void* buffer, COUNT count, MPI_Datatype type, MPI_Message* message,   \
                                      MPI_Status* status) {                                                 \
    return transfer::mreceive(                                                                              \
        {buffer, count, type, 0, 0, MPI_COMM_NULL, LAPWING_CALLER("MPI_Mrecv" #SUFFIX)}, message, status,   \
        [&](MPI_Status* s) { return PMPI_Mrecv##SUFFIX(buffer, count, type, message, s); });                \
  }                                                                                                         \
  LAPWING_ENTRY int MPI_Imrecv##SUFFIX(void* buffer, COUNT count, MPI_Datatype type, MPI_Message* message,  \
                                       MPI_Request* request) {                                              \
    return transfer::imreceive(                                                                             \
        {buffer, count, type, 0, 0, MPI_COMM_NULL, LAPWING_CALLER("MPI_Imrecv" #SUFFIX)}, message, request, \
        [&](MPI_Request* r) { return PMPI_Imrecv##SUFFIX(buffer, count, type, message, r); });              \
  }

#define EXCHANGE(SUFFIX, COUNT)                                                                              \
  LAPWING_ENTRY int MPI_Sendrecv##SUFFIX(const void* out, COUNT out_count, MPI_Datatype out_type, int to,    \
                                         int out_tag, void* in, COUNT in_count, MPI_Datatype in_type,        \
                                         int from, int in_tag, MPI_Comm comm, MPI_Status* status) {          \
    auto plain = [&](MPI_Status* s) {                                                                        \
      return PMPI_Sendrecv##SUFFIX(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,       \
                                   in_tag, comm, s);                                                         \
    };                                                                                                       \
    if (straight(out_count, out_type) && straight(in_count, in_type)) {                                      \
      const int rc = plain(status);                                                                          \
      if (__builtin_expect(rc != MPI_SUCCESS, 0)) transfer::note_receive_error(rc);                          \
      return rc;                                                                                             \
    }                                                                                                        \
    const auto caller = LAPWING_CALLER("MPI_Sendrecv" #SUFFIX);                                              \
    return transfer::send_receive({out, out_count, out_type, to, out_tag, comm, caller},                     \
                                  {in, in_count, in_type, from, in_tag, comm, caller}, status, plain);       \
  }                                                                                                          \
  LAPWING_ENTRY int MPI_Sendrecv_replace##SUFFIX(void* buffer, COUNT count, MPI_Datatype type, int to,       \
                                                 int out_tag, int from, int in_tag, MPI_Comm comm,           \
                                                 MPI_Status* status) {                                       \
    auto plain = [&](MPI_Status* s) {                                                                        \
      return PMPI_Sendrecv_replace##SUFFIX(buffer, count, type, to, out_tag, from, in_tag, comm, s);         \
    };                                                                                                       \
    if (straight(count, type)) {                                                                             \
      const int rc = plain(status);                                                                          \
      if (__builtin_expect(rc != MPI_SUCCESS, 0)) transfer::note_receive_error(rc);                          \
      return rc;                                                                                             \
    }                                                                                                        \
    const auto caller = LAPWING_CALLER("MPI_Sendrecv_replace" #SUFFIX);                                      \
    return transfer::send_receive_replace({buffer, count, type, to, out_tag, comm, caller},                  \
                                          {buffer, count, type, from, in_tag, comm, caller}, status, plain); \
  }

RECEIVE(Recv, int)
POST(Irecv, int, ireceive, true)
POST(Recv_init, int, receive_init, false)
MATCHED(, int)
EXCHANGE(, int)

#if MPI_VERSION >= 4
RECEIVE(Recv_c, MPI_Count)
POST(Irecv_c, MPI_Count, ireceive, true)
POST(Recv_init_c, MPI_Count, receive_init, false)
MATCHED(_c, MPI_Count)
EXCHANGE(_c, MPI_Count)

#define START_EXCHANGE(SUFFIX, COUNT)                                                                        \
  LAPWING_ENTRY int MPI_Isendrecv##SUFFIX(const void* out, COUNT out_count, MPI_Datatype out_type, int to,   \
                                          int out_tag, void* in, COUNT in_count, MPI_Datatype in_type,       \
                                          int from, int in_tag, MPI_Comm comm, MPI_Request* request) {       \
    const auto caller = LAPWING_CALLER("MPI_Isendrecv" #SUFFIX);                                             \
    return transfer::isend_receive(                                                                          \
        {out, out_count, out_type, to, out_tag, comm, caller},                                               \
        {in, in_count, in_type, from, in_tag, comm, caller}, request, [&](MPI_Request* r) {                  \
          return PMPI_Isendrecv##SUFFIX(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,  \
                                        in_tag, comm, r);                                                    \
        });                                                                                                  \
  }                                                                                                          \
  LAPWING_ENTRY int MPI_Isendrecv_replace##SUFFIX(void* buffer, COUNT count, MPI_Datatype type, int to,      \
                                                  int out_tag, int from, int in_tag, MPI_Comm comm,          \
                                                  MPI_Request* request) {                                    \
    const auto caller = LAPWING_CALLER("MPI_Isendrecv_replace" #SUFFIX);                                     \
    return transfer::isend_receive(                                                                          \
        {buffer, count, type, to, out_tag, comm, caller}, {buffer, count, type, from, in_tag, comm, caller}, \
        request, [&](MPI_Request* r) {                                                                       \
          return PMPI_Isendrecv_replace##SUFFIX(buffer, count, type, to, out_tag, from, in_tag, comm, r);    \
        });                                                                                                  \
  }

START_EXCHANGE(, int)
START_EXCHANGE(_c, MPI_Count)
#endif
