// SPDX-License-Identifier: Apache-2.0
#include "tasks/wire/near.hpp"

#include <utility>

namespace lapwing::tasks::ranks {

Near::Near(std::vector<Mailbox*> boxes, int own, MPI_Comm comm, Bells& bells, Handler handler)
    : boxes_(std::move(boxes)),
      own_(own),
      bells_(bells),
      handler_(std::move(handler)),
      comm_(comm),
      kept_(boxes_.size()) {}

void Near::send(int to, int kind, const void* data, std::size_t size) {
  if (size <= Mailbox::longest) return put(to, kind, data, size);
  send_long(to, kind, data, size);
  put(to, by_mpi, nullptr, 0);
}

void Near::send_long(int to, int kind, const void* data, std::size_t size) {
  const auto* const bytes = static_cast<const char*>(data);
  Long& its = long_.emplace_back(Long{MPI_REQUEST_NULL, {bytes, bytes + size}});
  PMPI_Isend(its.bytes.data(), static_cast<int>(size), MPI_BYTE, to, kind, comm_, &its.request);
}

void Near::forget_sent() {
  while (!long_.empty()) {
    int left = 0;
    PMPI_Test(&long_.front().request, &left, MPI_STATUS_IGNORE);
    if (left == 0) return;
    long_.pop_front();
  }
}

// It was sent before its letter.
void Near::take_long(int source) {
  MPI_Message message;
  MPI_Status status;
  PMPI_Mprobe(source, MPI_ANY_TAG, comm_, &message, &status);
  const int kind = status.MPI_TAG;
  int size = 0;
  PMPI_Get_count(&status, MPI_BYTE, &size);
  inbox_.resize(static_cast<std::size_t>(size));
  PMPI_Mrecv(inbox_.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  handler_(source, kind, inbox_.data(), inbox_.size());
}

void Near::put(int to, int kind, const void* data, std::size_t size) {
  auto& kept = kept_[static_cast<std::size_t>(to)];
  if (kept.empty() && boxes_[static_cast<std::size_t>(to)]->put(own_, kind, data, size)) return;
  const auto* const bytes = static_cast<const char*>(data);
  kept.push_back({kind, {bytes, bytes + size}});
  ++waiting_;
}

void Near::send_waiting() {
  for (std::size_t to = 0; to < kept_.size(); ++to) {
    auto& kept = kept_[to];
    while (!kept.empty()) {
      const Kept& first = kept.front();
      if (!boxes_[to]->put(own_, first.kind, first.bytes.data(), first.bytes.size())) break;
      bells_.ring(static_cast<int>(to));
      kept.pop_front();
      --waiting_;
    }
  }
}

int Near::progress() {
  if (waiting_ > 0) send_waiting();
  forget_sent();
  Mailbox& own = *boxes_[static_cast<std::size_t>(own_)];
  int handled = 0;
  while (const Mailbox::Letter* const letter = own.next(taken_)) {
    if (letter->kind == by_mpi) {
      take_long(letter->source);
    } else {
      handler_(letter->source, letter->kind, letter->bytes, letter->size);
    }
    own.done(++taken_);
    ++handled;
  }
  return handled;
}

}  // namespace lapwing::tasks::ranks
