// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "latency.hpp"
#include "support/kernel.hpp"
#include "support/statistics.hpp"

namespace lapwing::bench {

namespace {

constexpr int tag = 7;

[[noreturn]] void wrong_data(const char* where, std::size_t bytes) {
  std::fprintf(stderr, "latency: wrong data received in %s of %zu bytes\n", where, bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
  __builtin_unreachable();
}

std::uint64_t pattern(std::size_t word, int from_rank) {
  return (word + 1) * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(from_rank);
}

// One side's buffers: what it sends has a known middle and a stamp at either end.
class Buffers {
 public:
  Buffers(std::size_t bytes, int rank) : words_(bytes / 8), rank_(rank), out_(words_), in_(words_) {
    for (std::size_t i = 0; i < words_; ++i) out_[i] = pattern(i, rank);
  }
  int bytes() const { return static_cast<int>(words_ * 8); }
  std::uint64_t* out() { return out_.data(); }
  std::uint64_t* in() { return in_.data(); }

  void stamp() {
    ++stamp_;
    out_.front() = out_.back() = stamp_;
  }
  void check_stamp(const char* where) const {
    if (in_.front() != stamp_ || in_.back() != stamp_) wrong_data(where, words_ * 8);
  }
  void check_all(const char* where) const {
    for (std::size_t i = 1; i + 1 < words_; ++i)
      if (in_[i] != pattern(i, 1 - rank_)) wrong_data(where, words_ * 8);
  }

 private:
  std::size_t words_;
  int rank_;
  std::vector<std::uint64_t> out_, in_;
  std::uint64_t stamp_ = 0;
};

}  // namespace

double Stopwatch::time(const std::function<void()>& operation) const {
  int plan[2] = {1, 1};  // batches, operations per batch
  for (int i = 0; i < 3; ++i) operation();
  const double begin = now();
  for (int i = 0; i < 5; ++i) operation();
  const double one = std::max((now() - begin) / 5, 1e-8);
  plan[1] = std::clamp(static_cast<int>(20e-6 / one), 1, 200);
  plan[0] = std::clamp(static_cast<int>(seconds_ / (one * plan[1])), 7, 2000);
  MPI_Bcast(plan, 2, MPI_INT, 0, MPI_COMM_WORLD);

  for (int i = 0; i < plan[0] * plan[1] / 10; ++i) operation();
  std::vector<double> seconds;
  for (int batch = 0; batch < plan[0]; ++batch) {
    const double start = now();
    for (int i = 0; i < plan[1]; ++i) operation();
    seconds.push_back((now() - start) / plan[1]);
  }
  return median(seconds);
}

double ping_pong(const Stopwatch& watch, int rank, std::size_t bytes) {
  Buffers buffers(bytes, rank);
  const int other = 1 - rank;
  const double seconds = watch.time([&] {
    buffers.stamp();
    if (rank == 0) MPI_Send(buffers.out(), buffers.bytes(), MPI_BYTE, other, tag, MPI_COMM_WORLD);
    MPI_Recv(buffers.in(), buffers.bytes(), MPI_BYTE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(buffers.out(), buffers.bytes(), MPI_BYTE, other, tag, MPI_COMM_WORLD);
    buffers.check_stamp("a ping-pong");
  });
  buffers.check_all("a ping-pong");
  return seconds / 2;
}

double fetch_blocking(const Stopwatch& watch, int rank, int count) {
  std::vector<std::uint64_t> out(count), in(count);
  return watch.time([&] {
    for (int i = 0; i < count; ++i) {
      if (rank == 0) {
        ++out[i];
        MPI_Send(&out[i], 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
        MPI_Recv(&in[i], 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (in[i] != out[i]) wrong_data("a fetch", 8);
      } else {
        MPI_Recv(&in[i], 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&in[i], 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
      }
    }
  });
}

double fetch_nonblocking(const Stopwatch& watch, int rank, int count) {
  std::vector<std::uint64_t> out(count), in(count);
  std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(count));
  return watch.time([&] {
    if (rank == 0) {
      for (int i = 0; i < count; ++i) {
        ++out[i];
        MPI_Irecv(&in[i], 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(&out[i], 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &requests[2 * i + 1]);
      }
      MPI_Waitall(2 * count, requests.data(), MPI_STATUSES_IGNORE);
      for (int i = 0; i < count; ++i)
        if (in[i] != out[i]) wrong_data("a fetch", 8);
    } else {
      for (int i = 0; i < count; ++i) {
        MPI_Recv(&in[i], 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&in[i], 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
      }
    }
  });
}

double idle_compute(const Stopwatch& watch, int rank) {
  std::vector<std::uint64_t> data(8192);
  fill_payload(data.data(), data.size() * 8, 1);
  const std::uint64_t expected = scan_up(data.data(), 0, data.size() * 8, {256 * 8}, 1);
  return watch.time([&] {
    std::uint64_t sum[2] = {scan_up(data.data(), 0, data.size() * 8, {256 * 8}, 1), 1}, total[2];
    MPI_Allreduce(sum, total, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (total[0] != 2 * expected || total[1] != 2) wrong_data("a reduction", 16);
  });
}

double idle_exchange(const Stopwatch& watch, int rank, std::size_t bytes) {
  Buffers buffers(bytes, rank);
  const double seconds = watch.time([&] {
    buffers.stamp();
    MPI_Sendrecv(buffers.out(), buffers.bytes(), MPI_BYTE, 1 - rank, tag, buffers.in(), buffers.bytes(),
                 MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    buffers.check_stamp("an exchange");
  });
  buffers.check_all("an exchange");
  return seconds;
}

}  // namespace lapwing::bench
