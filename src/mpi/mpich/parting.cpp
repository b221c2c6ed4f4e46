// SPDX-License-Identifier: Apache-2.0
// UCX' workers hold MPICH's connections. Three of the calls that MPICH's library makes
// are led past here: those that make and destroy a worker, and the one that reads
// what the launcher has to say.
#include "mpi/parting.hpp"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "mpi/binding.hpp"
#include "mpi/references.hpp"

namespace lapwing::mpi {
namespace {

// As ucp/api/ucp.h has them; a ucs_status_t is one byte.
using Status = signed char;
using Create = Status(void* context, const void* parameters, void** worker);
using Destroy = void(void* worker);
using Progress = unsigned(void* worker);

constexpr const char* library = "libmpi";  // libmpich.so.12, libmpi.so.12
constexpr std::size_t most_workers = 64;
constexpr int eager_rounds = 200;
constexpr long longest_ns = 5'000'000;

Create* create = nullptr;
Destroy* destroy = nullptr;
Progress* progress = nullptr;
void* workers[most_workers];
std::size_t worker_count = 0;
bool parts = false;

Status create_worker(void* context, const void* parameters, void** worker) {
  const Status status = create(context, parameters, worker);
  if (status == 0 && worker_count < most_workers) workers[worker_count++] = *worker;
  return status;
}

void destroy_worker(void* worker) {
  worker_count = static_cast<std::size_t>(std::remove(workers, workers + worker_count, worker) - workers);
  destroy(worker);
}

// In PMPI_Finalize no other thread is inside MPI.
ssize_t read_and_answer(int fd, void* buffer, std::size_t size) {
  pollfd waiting{fd, POLLIN, 0};
  timespec pause{0, 0};
  for (int round = 0; parts && worker_count > 0; ++round) {
    if (ppoll(&waiting, 1, &pause, nullptr) != 0) break;
    for (std::size_t i = 0; i < worker_count; ++i) progress(workers[i]);
    if (round > eager_rounds)
      pause.tv_nsec = std::min(longest_ns, pause.tv_nsec + pause.tv_nsec / 4 + 20'000);
  }
  return read(fd, buffer, size);
}

}  // namespace

// MPICH may have come by dlopen, and UCX with it: the global scope does not show them.
void remember_connections() {
  create = reinterpret_cast<Create*>(function("ucp_worker_create"));
  destroy = reinterpret_cast<Destroy*>(function("ucp_worker_destroy"));
  progress = reinterpret_cast<Progress*>(function("ucp_worker_progress"));
  if (!create || !destroy || !progress) return;
  // A worker whose end cannot be seen must not be remembered.
  if (redirect(library, "ucp_worker_destroy", reinterpret_cast<void*>(&destroy_worker)))
    redirect(library, "ucp_worker_create", reinterpret_cast<void*>(&create_worker));
}

void answer_while_parting() {
  if (worker_count == 0) return;
  parts = true;
  redirect(library, "read", reinterpret_cast<void*>(&read_and_answer));
}

}  // namespace lapwing::mpi
