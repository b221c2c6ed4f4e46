// SPDX-License-Identifier: Apache-2.0
#include "transfer/posting.hpp"

#include <climits>

// As in `return LAPWING_COUNTED(count, PMPI_Isend, (buffer, count_, type))`, which calls
// PMPI_Isend_c where `count` asks for it. The arguments call it count_.
#if MPI_VERSION >= 4
#define LAPWING_COUNTED(COUNT, CALL, ARGUMENTS)                                                             \
  [&]() -> int {                                                                                            \
    if (const MPI_Count count_ = (COUNT); __builtin_expect(count_ > INT_MAX, 0)) return CALL##_c ARGUMENTS; \
    const int count_ = static_cast<int>(COUNT);                                                             \
    return CALL ARGUMENTS;                                                                                  \
  }()
#else
#define LAPWING_COUNTED(COUNT, CALL, ARGUMENTS) \
  [&]() -> int {                                \
    const int count_ = static_cast<int>(COUNT); \
    return CALL ARGUMENTS;                      \
  }()
#endif

namespace lapwing::transfer {

using SendKind = SendArguments::Kind;

int post(const SendArguments& a, MPI_Request* r) {
  switch (a.kind) {
    case SendKind::synchronous:
      return LAPWING_COUNTED(a.count, PMPI_Issend, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
    case SendKind::ready:
      return LAPWING_COUNTED(a.count, PMPI_Irsend, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
    case SendKind::buffered:
      return LAPWING_COUNTED(a.count, PMPI_Ibsend, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
    default:
      return LAPWING_COUNTED(a.count, PMPI_Isend, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
  }
}

int post(const ReceiveArguments& a, MPI_Request* r) {
  return LAPWING_COUNTED(a.count, PMPI_Irecv, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
}

int prepare(const SendArguments& a, MPI_Request* r) {
  switch (a.kind) {
    case SendKind::synchronous:
      return LAPWING_COUNTED(a.count, PMPI_Ssend_init, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
    case SendKind::ready:
      return LAPWING_COUNTED(a.count, PMPI_Rsend_init, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
    case SendKind::buffered:
      return LAPWING_COUNTED(a.count, PMPI_Bsend_init, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
    default:
      return LAPWING_COUNTED(a.count, PMPI_Send_init, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
  }
}

int prepare(const ReceiveArguments& a, MPI_Request* r) {
  return LAPWING_COUNTED(a.count, PMPI_Recv_init, (a.buffer, count_, a.type, a.rank, a.tag, a.comm, r));
}

int send_buffered(const SendArguments& a) {
  return LAPWING_COUNTED(a.count, PMPI_Bsend, (a.buffer, count_, a.type, a.rank, a.tag, a.comm));
}

int receive_matched(const ReceiveArguments& a, MPI_Message* message, MPI_Status* status) {
  return LAPWING_COUNTED(a.count, PMPI_Mrecv, (a.buffer, count_, a.type, message, status));
}

int post_matched(const ReceiveArguments& a, MPI_Message* message, MPI_Request* request) {
  return LAPWING_COUNTED(a.count, PMPI_Imrecv, (a.buffer, count_, a.type, message, request));
}

int carry(const SendArguments& from, void* buffer, MPI_Count count, MPI_Datatype type) {
  MPI_Status status;
#if MPI_VERSION >= 4
  if (from.count > INT_MAX || count > INT_MAX)
    return PMPI_Sendrecv_c(from.buffer, from.count, from.type, from.rank, from.tag, buffer, count, type,
                           from.rank, from.tag, from.comm, &status);
#endif
  return PMPI_Sendrecv(from.buffer, static_cast<int>(from.count), from.type, from.rank, from.tag, buffer,
                       static_cast<int>(count), type, from.rank, from.tag, from.comm, &status);
}

}  // namespace lapwing::transfer
