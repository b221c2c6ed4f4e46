// SPDX-License-Identifier: Apache-2.0
#include "arrays/node_memory.hpp"

#include <new>
#include <numeric>

namespace lapwing::arrays {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "flags are shared between processes");

void NodeMemory::create(MPI_Comm all) {
  int me = 0, size = 0, on_node = 1;
  PMPI_Comm_rank(all, &me);
  PMPI_Comm_size(all, &size);
  PMPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &node_);
  PMPI_Comm_size(node_, &on_node);
  if (on_node == 1) {
    PMPI_Comm_free(&node_);
    return;
  }
  // Where there is no such memory strips travel as messages.
  PMPI_Comm_set_errhandler(node_, MPI_ERRORS_RETURN);
  void* address = nullptr;
  const int rc =
      PMPI_Win_allocate_shared(first + slots * slot_size, 1, MPI_INFO_NULL, node_, &address, &window_);
  int fine = rc == MPI_SUCCESS && address != nullptr, all_fine = 0;
  PMPI_Allreduce(&fine, &all_fine, 1, MPI_INT, MPI_MIN, node_);
  if (!all_fine) {
    if (rc != MPI_SUCCESS) window_ = MPI_WIN_NULL;
    PMPI_Comm_free(&node_);
    return;
  }
  base_ = static_cast<char*>(address);
  for (int slot = 0; slot < slots; ++slot) new (base_ + slot * line) std::atomic<std::uint32_t>(0);
  MPI_Group whole, near;
  PMPI_Comm_group(all, &whole);
  PMPI_Comm_group(node_, &near);
  std::vector<int> ranks(static_cast<std::size_t>(on_node)), of_all(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(near, on_node, ranks.data(), whole, of_all.data());
  PMPI_Group_free(&near);
  PMPI_Group_free(&whole);
  bases_.assign(static_cast<std::size_t>(size), nullptr);
  for (int r = 0; r < on_node; ++r) {
    MPI_Aint bytes = 0;
    int unit = 1;
    void* place = nullptr;
    PMPI_Win_shared_query(window_, r, &bytes, &unit, &place);
    if (of_all[static_cast<std::size_t>(r)] != me)
      bases_[static_cast<std::size_t>(of_all[static_cast<std::size_t>(r)])] = static_cast<char*>(place);
  }
  PMPI_Barrier(node_);
}

void NodeMemory::release() {
  bases_.clear();
  base_ = nullptr;
  if (window_ != MPI_WIN_NULL) PMPI_Win_free(&window_);
  if (node_ != MPI_COMM_NULL) PMPI_Comm_free(&node_);
}

int NodeMemory::take() {
  if (base_ == nullptr) return -1;
  for (int slot = 0; slot < slots; ++slot) {
    if (flag(base_, slot).load(std::memory_order_acquire) != 0) continue;
    flag(base_, slot).store(1, std::memory_order_relaxed);
    return slot;
  }
  return -1;
}

}  // namespace lapwing::arrays
