// SPDX-License-Identifier: Apache-2.0
#include "sets/messages.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "mpi/ending.hpp"
#include "progress/waiting.hpp"
#include "sets/report/error_status.hpp"
#include "sets/run/watch.hpp"
#include "sets/votes/liveness.hpp"
#include "transfer/engine.hpp"

namespace lapwing::sets {
namespace {

constexpr std::uint64_t between_looks = 100'000'000;

}  // namespace

void Messages::start() {
  if (control_) return;
  MPI_Comm queue = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &queue);
  PMPI_Comm_dup(MPI_COMM_WORLD, &world_);
  PMPI_Comm_rank(world_, &rank_);
  PMPI_Comm_size(world_, &processes_);
  board_ = transfer::Board::make(world_, RunWatch::area()).release();
  control_ = new transfer::Control(queue, processes_);
  note_errors(queue);
  note_errors(world_);
  control_->on(liveness_kind, [](int, const char*, std::size_t) {});
}

void Messages::stop() {
  if (!control_) return;
  // A message to a process that is still busy must not be lost, and a process
  // that waits here still answers questions.
  MPI_Request all = MPI_REQUEST_NULL;
  if (board_) board_->take_leave();
  PMPI_Ibarrier(world_, &all);
  wait(
      [&] {
        int here = 0;
        PMPI_Test(&all, &here, MPI_STATUS_IGNORE);
        return here != 0 && !control_->sending();
      },
      miss_anybody);
}

void Messages::on(int kind, transfer::Control::Handler handler) { control_->on(kind, std::move(handler)); }

void Messages::send(int world_rank, int kind, const void* data, std::size_t size) {
  control_->send(world_rank, kind, data, size);
  if (error_noted != MPI_SUCCESS && error_at < 0) error_at = world_rank;
  ++sent_;
}

bool Messages::step() {
  bool any = control_->progress() > 0;
  end_if_lost();
  for (const auto& part : parts_) any = part() || any;
  return any;
}

bool Messages::progress() {
  std::unique_lock guard(lock(), std::try_to_lock);
  return guard.owns_lock() && control_ && step();
}

void Messages::wait(const std::function<bool()>& done, const std::function<void()>& in_vain) {
  std::uint64_t next_look = 0;
  for (unsigned idle = 0;; ++idle) {
    {
      std::lock_guard guard(lock());
      if (step()) idle = 0;
      if (done()) return;
      if (in_vain && idle % 64 == 63) {
        const std::uint64_t now = transfer::now_ns();
        if (next_look != 0 && now >= next_look) in_vain();
        if (now >= next_look) next_look = now + between_looks;
      }
    }
    progress::relax(idle);
  }
}

void Messages::miss_anybody() {
  const int rank = board_ ? board_->ended() : -1;
  if (rank < 0) {
    // Around a ring, so that each is missed by one who waits too.
    if (processes_ > 1) check_alive((rank_ + 1) % processes_, "and is waited for in MPI_Finalize");
    return;
  }
  fmt::print(stderr,
             "lapwing: rank {}: rank {} of MPI_COMM_WORLD has ended without MPI_Finalize; the others would "
             "wait for it there for ever.\n",
             rank_, rank);
  mpi::end_job(error_status);
}

}  // namespace lapwing::sets
