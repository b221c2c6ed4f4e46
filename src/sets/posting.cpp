// SPDX-License-Identifier: Apache-2.0
#include "sets/posting.hpp"

#include <climits>

namespace lapwing::sets {

int post(const transfer::SendArguments& a, MPI_Request* r) {
  using Kind = transfer::SendArguments::Kind;
#if MPI_VERSION >= 4
  if (a.count > INT_MAX) {
    switch (a.kind) {
      case Kind::synchronous:
        return PMPI_Issend_c(a.buffer, a.count, a.type, a.rank, a.tag, a.comm, r);
      case Kind::ready:
        return PMPI_Irsend_c(a.buffer, a.count, a.type, a.rank, a.tag, a.comm, r);
      case Kind::buffered:
        return PMPI_Ibsend_c(a.buffer, a.count, a.type, a.rank, a.tag, a.comm, r);
      default:
        return PMPI_Isend_c(a.buffer, a.count, a.type, a.rank, a.tag, a.comm, r);
    }
  }
#endif
  const int count = static_cast<int>(a.count);
  switch (a.kind) {
    case Kind::synchronous:
      return PMPI_Issend(a.buffer, count, a.type, a.rank, a.tag, a.comm, r);
    case Kind::ready:
      return PMPI_Irsend(a.buffer, count, a.type, a.rank, a.tag, a.comm, r);
    case Kind::buffered:
      return PMPI_Ibsend(a.buffer, count, a.type, a.rank, a.tag, a.comm, r);
    default:
      return PMPI_Isend(a.buffer, count, a.type, a.rank, a.tag, a.comm, r);
  }
}

int post(const transfer::ReceiveArguments& a, MPI_Request* r) {
#if MPI_VERSION >= 4
  if (a.count > INT_MAX) return PMPI_Irecv_c(a.buffer, a.count, a.type, a.rank, a.tag, a.comm, r);
#endif
  return PMPI_Irecv(a.buffer, static_cast<int>(a.count), a.type, a.rank, a.tag, a.comm, r);
}

}  // namespace lapwing::sets
