// SPDX-License-Identifier: Apache-2.0
#include "transfer/packing.hpp"

#include <climits>
#include <cstring>
#include <mutex>

#include "mpi/binding.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {
namespace {

// Of a payload that is one run, which keeps its own type: the bytes may be more than a
// call's count can say. False for others.
bool copy_run(SendArguments* a, std::unique_ptr<char[]>* copy) {
  const char* const base = contiguous_base(a->buffer, a->count, a->type);
  if (base == nullptr) return false;
  const std::size_t bytes = payload_bytes(a->count, a->type);
  *copy = std::make_unique_for_overwrite<char[]>(bytes + 1);
  std::memcpy(copy->get(), base, bytes);
  a->buffer = copy->get();
  return true;
}

#if MPI_VERSION >= 4
int pack_large(SendArguments* a, std::unique_ptr<char[]>* copy) {
  MPI_Count room = 0, used = 0;
  int rc = PMPI_Pack_size_c(a->count, a->type, a->comm, &room);
  if (rc != MPI_SUCCESS) return rc;
  *copy = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(room) + 1);
  rc = PMPI_Pack_c(a->buffer, a->count, a->type, copy->get(), room, &used, a->comm);
  a->buffer = copy->get();
  a->count = used;
  a->type = MPI_PACKED;
  return rc;
}
#endif

}  // namespace

int copy_to_send(SendArguments* a, std::unique_ptr<char[]>* copy) {
  // Else as MPI_Sendrecv_replace does; more than MPI can pack it refuses with its own error.
  if (copy_run(a, copy)) return MPI_SUCCESS;
#if MPI_VERSION >= 4
  if (mpi::large_counts()) return pack_large(a, copy);
#endif
  int room = 0, used = 0;
  int rc = PMPI_Pack_size(static_cast<int>(a->count), a->type, a->comm, &room);
  if (rc != MPI_SUCCESS) return rc;
  if (payload_bytes(a->count, a->type) > INT_MAX || room < 0) {
    PMPI_Comm_call_errhandler(a->comm, MPI_ERR_COUNT);
    return MPI_ERR_COUNT;
  }
  *copy = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(room) + 1);
  rc = PMPI_Pack(a->buffer, static_cast<int>(a->count), a->type, copy->get(), room, &used, a->comm);
  a->buffer = copy->get();
  a->count = used;
  a->type = MPI_PACKED;
  return rc;
}

void copy_for_exchange(Engine& engine, SendArguments* a, std::unique_ptr<char[]>* copy) {
  if (copy_run(a, copy)) return;
  const std::size_t bytes = payload_bytes(a->count, a->type);
  *copy = std::make_unique_for_overwrite<char[]>(bytes + 1);
  {
    std::lock_guard lock(engine.mutex());
    engine.gather(a->buffer, a->count, a->type, copy->get(), bytes);
  }
  a->buffer = copy->get();
  a->count = static_cast<MPI_Count>(bytes);
  a->type = MPI_BYTE;
}

}  // namespace lapwing::transfer
