// SPDX-License-Identifier: Apache-2.0
#include "tasks/wire/bells.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi/node_memory.hpp"

namespace lapwing::tasks::ranks {

std::unique_ptr<Bells> Bells::make(MPI_Comm comm) {
  MPI_Comm near = MPI_COMM_NULL;
  PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  int ranks = 1, size = 1, me = 0, mine = 0;
  PMPI_Comm_size(comm, &ranks);
  PMPI_Comm_rank(comm, &mine);
  PMPI_Comm_size(near, &size);
  PMPI_Comm_rank(near, &me);
  std::vector<int> who(static_cast<std::size_t>(size));
  PMPI_Allgather(&mine, 1, MPI_INT, who.data(), 1, MPI_INT, near);
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(Bell);
  const mpi::NodeMemory shared = size > 1 ? mpi::share_memory(near, bytes) : mpi::NodeMemory{};
  if (shared.file >= 0 && me != 0) close(shared.file);
  int got = shared.memory != nullptr ? 1 : 0, all = 0;
  PMPI_Allreduce(&got, &all, 1, MPI_INT, MPI_MIN, near);
  if (shared.file >= 0 && me == 0) close(shared.file);
  PMPI_Comm_free(&near);
  if (all == 0) {
    if (got != 0) munmap(shared.memory, bytes);
    return nullptr;
  }
  std::unique_ptr<Bells> made(new Bells);
  made->bells_.assign(static_cast<std::size_t>(ranks), nullptr);
  for (int i = 0; i < size; ++i) {
    made->bells_[static_cast<std::size_t>(who[static_cast<std::size_t>(i)])] =
        static_cast<Bell*>(shared.memory) + i;
  }
  made->own_ = made->bells_[static_cast<std::size_t>(mine)];
  made->near_ = size;
  made->reach_all_ = size == ranks;
  return made;
}

void Bells::ring(int rank) {
  Bell* const bell = bells_[static_cast<std::size_t>(rank)];
  if (bell == nullptr) return;
  // The message is there before the bell is looked at, as it is the other way round there.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (bell->listens.load(std::memory_order_relaxed) == 0 || bell->listens.exchange(0) == 0) return;
  syscall(SYS_futex, reinterpret_cast<int*>(&bell->listens), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void Bells::listen(bool on) {
  own_->listens.store(on ? 1 : 0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Bells::sleep(std::chrono::nanoseconds most) {
  const timespec time{static_cast<time_t>(most.count() / 1'000'000'000), most.count() % 1'000'000'000};
  syscall(SYS_futex, reinterpret_cast<int*>(&own_->listens), FUTEX_WAIT, 1, &time, nullptr, 0);
}

}  // namespace lapwing::tasks::ranks
