// SPDX-License-Identifier: Apache-2.0
#include "tasks/wire/bulks.hpp"

#include <algorithm>
#include <utility>

namespace lapwing::tasks::ranks {

void Bulks::send(int to, const void* data, std::size_t size, std::size_t strip, std::function<void()> left) {
  int& next = sent_[static_cast<std::size_t>(to)];
  const int number = next;
  next = (next + 1) % numbers;
  auto moved = [size, left = std::move(left)](std::size_t done) {
    if (done == size) left();
  };
  // MPI only reads what it sends.
  auto* const bytes = static_cast<char*>(const_cast<void*>(data));
  post(moving_.emplace_back(Moving{true, to, number, bytes, size, strip, std::move(moved)}));
}

void Bulks::receive(int from, int number, void* into, std::size_t size, std::size_t strip,
                    std::function<void(std::size_t)> landed) {
  post(moving_.emplace_back(
      Moving{false, from, number, static_cast<char*>(into), size, strip, std::move(landed)}));
}

void Bulks::post(Moving& moving) {
  while (moving.posted < moving.size && moving.requests.size() < window) {
    const auto count = static_cast<int>(std::min(moving.strip, moving.size - moving.posted));
    MPI_Request& request = moving.requests.emplace_back(MPI_REQUEST_NULL);
    char* const from = moving.data + moving.posted;
    if (moving.out) {
      PMPI_Isend(from, count, MPI_BYTE, moving.peer, moving.number, comm_, &request);
    } else {
      PMPI_Irecv(from, count, MPI_BYTE, moving.peer, moving.number, comm_, &request);
    }
    moving.posted += static_cast<std::size_t>(count);
  }
}

int Bulks::progress() {
  int moved = 0;
  for (auto each = moving_.begin(); each != moving_.end();) {
    Moving& moving = *each;
    const std::size_t before = moving.done;
    while (!moving.requests.empty()) {
      int done = 0;
      PMPI_Test(&moving.requests.front(), &done, MPI_STATUS_IGNORE);
      if (done == 0) break;
      moving.requests.pop_front();
      moving.done = std::min(moving.size, moving.done + moving.strip);
      post(moving);
      ++moved;
    }
    if (moving.done != before) moving.moved(moving.done);  // may add others, behind
    each = moving.done == moving.size ? moving_.erase(each) : std::next(each);
  }
  return moved;
}

}  // namespace lapwing::tasks::ranks
