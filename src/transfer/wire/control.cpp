// SPDX-License-Identifier: Apache-2.0
#include "transfer/wire/control.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "mpi/ending.hpp"

namespace lapwing::transfer {

void Control::on(int kind, Handler handler) { handlers_[kind] = std::move(handler); }

void Control::send(int destination, int kind, const void* data, std::size_t size) {
  Letter letter{MPI_REQUEST_NULL, std::make_unique<char[]>(size + 1)};
  if (size) std::memcpy(letter.bytes.get(), data, size);
  PMPI_Isend(letter.bytes.get(), static_cast<int>(size), MPI_BYTE, destination, kind, comm_, &letter.request);
  outbox_.push_back(std::move(letter));
  ++sent_to_[static_cast<std::size_t>(destination)];
}

int Control::progress() {
  while (!outbox_.empty()) {
    int left = 0;
    PMPI_Test(&outbox_.front().request, &left, MPI_STATUS_IGNORE);
    if (!left) break;
    outbox_.pop_front();
  }
  int count = 0;
  for (;;) {
    // A matched probe takes messages in order of arrival whatever their kind,
    // which a receive per kind could not promise.
    int arrived = 0, size = 0;
    MPI_Message message;
    MPI_Status status;
    PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &arrived, &message, &status);
    if (!arrived) return count;
    PMPI_Get_count(&status, MPI_BYTE, &size);
    if (inbox_.size() <= static_cast<std::size_t>(size)) inbox_.resize(static_cast<std::size_t>(size) + 1);
    const int source = status.MPI_SOURCE, kind = status.MPI_TAG;
    PMPI_Mrecv(inbox_.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    if (kind < 0 || kind >= kinds || !handlers_[kind]) {
      fmt::print(
          stderr,
          "lapwing: rank {} sent a control message of kind {}, which this rank does not know; do all ranks "
          "run the same version of Lapwing?\n",
          source, kind);
      mpi::end_job(1);
    }
    // A handler may send and so grow the outbox, but never re-enters here.
    handlers_[kind](source, inbox_.data(), static_cast<std::size_t>(size));
    ++count;
    ++handled_;
  }
}

}  // namespace lapwing::transfer
