// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/exposure.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "guard/guard.hpp"
#include "mpi/library_locks.hpp"
#include "progress/clock.hpp"
#include "progress/policy.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {

Exposure* Exposure::instance_ = nullptr;

namespace {

// Several threads may make and free windows at once. Held across calls of MPI's that wait for no other
// process.
std::mutex membership;

}  // namespace

void Exposure::allow(const Settings& settings, bool threads) {
  allowed_ = threads && settings.helper && settings.one_sided != Defer::off && settings.defer != Defer::off;
}

Exposure::Exposure() {
  PMPI_Comm_dup(MPI_COMM_SELF, &self_);
  PMPI_Comm_set_errhandler(self_, MPI_ERRORS_RETURN);
  PMPI_Irecv(&nothing_, 1, MPI_CHAR, 0, 0, self_, &pending_);
}

Exposure::~Exposure() {
  stop();
  PMPI_Cancel(&pending_);
  PMPI_Wait(&pending_, MPI_STATUS_IGNORE);
  PMPI_Comm_free(&self_);
}

void Exposure::made() {
  if (!allowed_) return;
  const std::lock_guard lock(membership);
  if (windows_.fetch_add(1) > 0) return;
  mpi::LibraryLocks::take();
  auto exposure = std::unique_ptr<Exposure>(new Exposure);
  const int descriptor = exposure->connections_.descriptor();
  if (descriptor >= 0 && exposure->start(descriptor)) instance_ = exposure.release();
}

void Exposure::freed() {
  if (!allowed_) return;
  const std::lock_guard lock(membership);
  if (windows_.fetch_sub(1) > 1) return;
  delete std::exchange(instance_, nullptr);
}

void Exposure::fenced() {
  fenced_until_.store(progress::now_ns() + progress::after_fence, std::memory_order_relaxed);
}

void Exposure::stop_all() {
  windows_.store(0);
  delete std::exchange(instance_, nullptr);
}

void Exposure::begin() { guard::mark_engine_thread(); }

// A test of a request that is pending moves everything that MPI has under way. A probe does not: MPICH looks
// at no connection for a communicator of one process.
void Exposure::call_mpi() {
  int complete = 0;
  std::optional<std::lock_guard<EngineMutex>> lock;
  if (Engine* const engine = Engine::get()) lock.emplace(engine->mutex());
  PMPI_Test(&pending_, &complete, MPI_STATUS_IGNORE);
}

// While something waits for MPI, and not for long: a thread of the program that enters MPI meanwhile waits
// for the locks of MPI's.
void Exposure::serve_partners() {
  const mpi::LibraryLocks::Inside inside;
  if (!inside) return;
  const std::uint64_t begun = progress::now_ns();
  // A call takes some KiB from a connection, and passes some KiB on to the kernel.
  do {
    for (int call = 0; call < progress::looks_per_wake; ++call) call_mpi();
  } while ((connections_.readable() || connections_.has_room()) &&
           progress::now_ns() - begun < progress::longest_look_beside_engine);
  connections_.note_looked();
}

std::int64_t Exposure::sleep_until_something_arrives() {
  state_ = State::asleep;
  // Looking at each descriptor of the process takes tens of microseconds.
  const std::uint64_t now = progress::now_ns();
  if (now - scanned_ >= static_cast<std::uint64_t>(progress::between_scans)) {
    connections_.scan();
    scanned_ = now;
  }
  connections_.arm();
  return progress::between_scans;
}

// Something waits for MPI. Whether a thread of the program is there to take it shows a moment later.
std::int64_t Exposure::watch() {
  state_ = State::watching;
  before_ = connections_.traffic();
  return progress::for_windows.shortest;
}

// The program does not need the helper at the moment.
std::int64_t Exposure::rest() {
  state_ = State::resting;
  connections_.note_looked();
  pause_ = progress::for_windows.after(false, pause_);
  return pause_;
}

// MPI has answered, or has taken data. Where it has only taken a short message, such as a partner's arrival
// at a barrier, no partner gains by it.
bool Exposure::served_an_access() {
  const Connections::Traffic now = connections_.traffic();
  return now.given != before_.given || now.taken - before_.taken >= progress::bytes_of_data;
}

std::int64_t Exposure::look(bool) {
  const std::uint64_t now = progress::now_ns(), until = fenced_until_.load(std::memory_order_relaxed);
  if (now < until) {
    state_ = State::resting;
    return static_cast<std::int64_t>(until - now);
  }
  if (state_ == State::watching) {
    if (connections_.traffic() != before_) return rest();
    if (connections_.readable() || connections_.still_has_room()) {
      serve_partners();
      if (!served_an_access()) return rest();
      pause_ = 0;
    }
  }
  const bool readable = connections_.readable(), has_room = connections_.has_room();
  return readable || has_room ? watch() : sleep_until_something_arrives();
}

}  // namespace lapwing::transfer
