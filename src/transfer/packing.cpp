// SPDX-License-Identifier: Apache-2.0
#include "transfer/packing.hpp"

#include <climits>
#include <cstring>

namespace lapwing::transfer {

int copy_to_send(SendArguments* a, std::unique_ptr<char[]>* copy) {
  const std::size_t bytes = payload_bytes(a->count, a->type);
  if (const char* base = contiguous_base(a->buffer, a->count, a->type)) {
    *copy = std::make_unique_for_overwrite<char[]>(bytes);
    std::memcpy(copy->get(), base, bytes);
    a->buffer = copy->get();
    return MPI_SUCCESS;
  }
  // As MPI_Sendrecv_replace does; more than MPI can pack it refuses with its own error.
  int room = 0, used = 0;
  int rc = PMPI_Pack_size(static_cast<int>(a->count), a->type, a->comm, &room);
  if (rc != MPI_SUCCESS) return rc;
  if (bytes > INT_MAX || room < 0) {
    PMPI_Comm_call_errhandler(a->comm, MPI_ERR_COUNT);
    return MPI_ERR_COUNT;
  }
  *copy = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(room));
  rc = PMPI_Pack(a->buffer, static_cast<int>(a->count), a->type, copy->get(), room, &used, a->comm);
  a->buffer = copy->get();
  a->count = used;
  a->type = MPI_PACKED;
  return rc;
}

}  // namespace lapwing::transfer
