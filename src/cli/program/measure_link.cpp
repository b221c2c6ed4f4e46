// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

#include "cli/program/measure.hpp"
#include "progress/cores.hpp"

namespace lapwing::tune {
namespace {

constexpr int tag = 0, ready = 1;
constexpr int strip = 16 << 10, large = 4 << 20, medium = 1 << 20;

/// Rank 0's times of a thing in which both ranks take part: the first rounds do not count.
template <typename Once>
double median_of(int rounds, Once once) {
  std::vector<double> times;
  for (int i = 0; i < rounds + 2; ++i) {
    const double took = once();
    if (i >= 2) times.push_back(took);
  }
  return median(times);
}

class LinkBetween {
 public:
  explicit LinkBetween(MPI_Comm pair) : pair_(pair), buffer_(large, 1) { PMPI_Comm_rank(pair, &rank_); }

  /// Seconds of one way, of a ping-pong.
  double one_way(int bytes, int rounds) {
    return median_of(rounds, [&] {
      const double begun = PMPI_Wtime();
      if (rank_ == 0) {
        send(bytes);
        receive(bytes);
      } else {
        receive(bytes);
        send(bytes);
      }
      return (PMPI_Wtime() - begun) / 2;
    });
  }

  /// Of the call that hands a message to MPI, whose receiver waits for it.
  double sending(int bytes, int rounds) {
    return median_of(rounds, [&] {
      double took = 0;
      if (rank_ == 0) {
        MPI_Request request;
        const double begun = PMPI_Wtime();
        PMPI_Isend(buffer_.data(), bytes, MPI_BYTE, 1, tag, pair_, &request);
        took = PMPI_Wtime() - begun;
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        receive(bytes);
      }
      meet();
      return took;
    });
  }

  /// Of receiving a message that has arrived already, unless MPI sends it only when it is asked for.
  double receiving(int bytes, int rounds, double way) {
    return median_of(rounds, [&] {
      meet();
      double took = 0;
      if (rank_ == 0) {
        const double arrives = PMPI_Wtime() + 2 * way + 100e-6;
        while (PMPI_Wtime() < arrives) {
        }
        const double begun = PMPI_Wtime();
        receive(bytes);
        took = PMPI_Wtime() - begun;
      } else {
        send(bytes);
      }
      return took;
    });
  }

  /// Between two of a series of small messages.
  double gap(int rounds) {
    constexpr int series = 64;
    return median_of(rounds, [&] {
      meet();
      const double begun = PMPI_Wtime();
      MPI_Request requests[series];
      for (MPI_Request& request : requests) {
        if (rank_ == 0)
          PMPI_Isend(buffer_.data(), 8, MPI_BYTE, 1, tag, pair_, &request);
        else
          PMPI_Irecv(buffer_.data(), 8, MPI_BYTE, 0, tag, pair_, &request);
      }
      PMPI_Waitall(series, requests, MPI_STATUSES_IGNORE);
      meet();
      return (PMPI_Wtime() - begun) / series;
    });
  }

 private:
  void send(int bytes) { PMPI_Send(buffer_.data(), bytes, MPI_BYTE, 1 - rank_, tag, pair_); }
  void receive(int bytes) {
    PMPI_Recv(buffer_.data(), bytes, MPI_BYTE, 1 - rank_, tag, pair_, MPI_STATUS_IGNORE);
  }
  /// Rank 1 goes on when rank 0 is there, and rank 0 when rank 1 is.
  void meet() {
    char byte = 0;
    PMPI_Sendrecv_replace(&byte, 1, MPI_BYTE, 1 - rank_, ready, 1 - rank_, ready, pair_, MPI_STATUS_IGNORE);
  }

  MPI_Comm pair_;
  std::vector<char> buffer_;
  int rank_ = 0;
};

// A computation without memory, as long on every call.
double compute() {
  const double begun = PMPI_Wtime();
  std::uint64_t value = 1;
  for (int i = 0; i < 12'000'000; ++i) value = value * 6364136223846793005ULL + 1442695040888963407ULL;
  volatile std::uint64_t kept = value;
  (void)kept;
  return PMPI_Wtime() - begun;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure_link(MPI_Comm pair, machine::Costs* costs) {
  LinkBetween link(pair);
  costs->round_trip_us = 2e6 * link.one_way(8, 300);
  const double whole = link.one_way(large, 7), part = link.one_way(medium, 11);
  costs->gap_ns_per_byte = std::max(0.0, 1e9 * (whole - part) / (large - medium));
  costs->gap_us = 1e6 * link.gap(20);
  const auto per_byte = [&](double of_strip, double of_little) {
    return std::max(0.0, 1e9 * (of_strip - of_little) / strip);
  };
  const double sends = link.sending(1, 200);
  costs->send_overhead_us = 1e6 * sends;
  costs->send_ns_per_byte = per_byte(link.sending(strip, 100), sends);
  const double way = link.one_way(strip, 20),
               receives = link.receiving(1, 100, 0.5e-6 * costs->round_trip_us);
  costs->receive_overhead_us = 1e6 * receives;
  costs->receive_ns_per_byte = per_byte(link.receiving(strip, 50, way), receives);
}

double measure_spare_cores(MPI_Comm pair, int ranks_here) {
  int rank = 0;
  PMPI_Comm_rank(pair, &rank);
  // The third thread may share the core of either rank: the slower one counts.
  const auto slower = [pair](double mine) {
    double both = 0;
    PMPI_Allreduce(&mine, &both, 1, MPI_DOUBLE, MPI_MAX, pair);
    return both;
  };
  std::vector<double> alone, beside;
  for (int round = 0; round < 5; ++round) {
    PMPI_Barrier(pair);
    alone.push_back(slower(compute()));
    std::atomic<bool> ends{false};
    std::thread other;
    PMPI_Barrier(pair);
    if (rank == 0)
      other = std::thread([&] {
        while (!ends.load(std::memory_order_relaxed)) {
        }
      });
    const double took = compute();
    if (rank != 0) compute();  // for all the time in which rank 0 is measured
    ends = true;
    if (other.joinable()) other.join();
    beside.push_back(slower(took));
  }
  const int left = progress::cores_of_node() - ranks_here;
  constexpr double as_long = 1.15;
  return median(beside) < as_long * median(alone) ? static_cast<double>(std::max(1, left)) : 0;
}

double measure_copy() {
  constexpr std::size_t bytes = 32 << 20;
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes, 2);
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const double begun = PMPI_Wtime();
    std::memcpy(to.data(), from.data(), bytes);
    times.push_back(PMPI_Wtime() - begun);
    if (to[static_cast<std::size_t>(i)] != 1) return 0;
  }
  return 1e9 * median(times) / bytes;
}

}  // namespace lapwing::tune
