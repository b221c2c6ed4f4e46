// SPDX-License-Identifier: Apache-2.0
// The rival: the overlap benchmark as an expert writes it by hand with
// non-blocking calls. The data travel in strips, a window of which is posted;
// the receiver computes on a strip as soon as it is there, posts the next one
// first, and polls the library while it computes where that pays.
#include <algorithm>
#include <cstring>
#include <vector>

#include "overlap.hpp"

namespace lapwing::bench {

namespace {

struct Strips {
  std::size_t bytes, strip;
  bool descending;

  int count() const { return static_cast<int>((bytes + strip - 1) / strip); }
  std::size_t index(int i) const { return static_cast<std::size_t>(descending ? count() - 1 - i : i); }
  std::size_t from(int i) const { return index(i) * strip; }
  std::size_t to(int i) const { return std::min(bytes, from(i) + strip); }
  int length(int i) const { return static_cast<int>(to(i) - from(i)); }
};

// The receiving side's window: strips are posted and completed in order.
class Window {
 public:
  Window(std::uint64_t* data, Strips strips, int window)
      : data_(reinterpret_cast<char*>(data)), strips_(strips), window_(window), requests_(strips.count()) {
    while (posted_ < std::min(window_, strips_.count())) post();
  }

  // Gives the library a chance, and refills the window.
  void poll() {
    int done = 1;
    while (done && arrived_ < posted_) {
      MPI_Test(&requests_[arrived_], &done, MPI_STATUS_IGNORE);
      if (done) advance();
    }
  }

  void wait_for(int i) {
    while (arrived_ <= i) {
      MPI_Wait(&requests_[arrived_], MPI_STATUS_IGNORE);
      advance();
    }
  }

 private:
  void post() {
    MPI_Irecv(data_ + strips_.from(posted_), strips_.length(posted_), MPI_BYTE, sender_rank, tag_data,
              MPI_COMM_WORLD, &requests_[posted_]);
    ++posted_;
  }
  void advance() {
    ++arrived_;
    if (posted_ < strips_.count()) post();
  }

  char* data_;
  Strips strips_;
  int window_;
  std::vector<MPI_Request> requests_;
  int posted_ = 0, arrived_ = 0;
};

}  // namespace

std::uint64_t independent_part(const HandWork& work, std::size_t from, std::size_t to, std::uint64_t acc) {
  while (from < to) {
    const std::size_t offset = from % scratch_bytes;
    const std::size_t length = std::min(to - from, scratch_bytes - offset);
    acc = scan_up(work.scratch, offset, offset + length, work.independent_work, acc);
    from += length;
  }
  return acc;
}

void hand_send(const std::uint64_t* data, std::size_t bytes, bool descending, const HandPlan& plan) {
  const Strips strips{bytes, plan.strip, descending};
  std::vector<MPI_Request> requests(static_cast<std::size_t>(strips.count()));
  for (int i = 0; i < strips.count(); ++i) {
    if (i >= plan.window) MPI_Wait(&requests[i - plan.window], MPI_STATUS_IGNORE);
    MPI_Isend(reinterpret_cast<const char*>(data) + strips.from(i), strips.length(i), MPI_BYTE, receiver_rank,
              tag_data, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(strips.count(), requests.data(), MPI_STATUSES_IGNORE);
}

std::uint64_t hand_receive(std::uint64_t* data, std::size_t bytes, const HandPlan& plan,
                           const HandWork& work) {
  const bool descending = work.kind == Case::scan_down;
  const Strips strips{bytes, plan.strip, descending};
  Window window(data, strips, plan.window);

  std::uint64_t acc = 1;
  const std::size_t step = plan.poll == 0 ? std::max(bytes, work.independent_bytes) : plan.poll;
  if (is_independent(work.kind)) {
    for (std::size_t at = 0; at < work.independent_bytes; at += step) {
      acc = independent_part(work, at, std::min(work.independent_bytes, at + step), acc);
      if (plan.poll != 0) window.poll();
    }
  }
  for (int i = 0; i < strips.count(); ++i) {
    window.wait_for(i);
    const std::size_t from = strips.from(i), to = strips.to(i);
    if (is_copy(work.kind)) {
      std::memcpy(reinterpret_cast<char*>(work.copy) + from, reinterpret_cast<const char*>(data) + from,
                  to - from);
      continue;
    }
    for (std::size_t done = 0; done < to - from; done += step) {
      const std::size_t length = std::min(step, to - from - done);
      acc = descending ? scan_down(data, to - done - length, to - done, work.work, acc)
                       : scan_up(data, from + done, from + done + length, work.work, acc);
      if (plan.poll != 0) window.poll();
    }
  }
  return acc;
}

}  // namespace lapwing::bench
