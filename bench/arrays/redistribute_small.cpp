// SPDX-License-Identifier: Apache-2.0
// Small matrices again and again, rows to columns: a persistent request against
// MPI's persistent requests, packed and unpacked by hand, with the same messages.
#include <cstring>

#include "arrays/redistribute.hpp"
#include "lapwing/arrays.h"

namespace lapwing::bench {
namespace {

using Doubles = std::vector<double>;

/// n x n, column-major: rows of this process (n / size of them) become columns.
class SmallByHand {
 public:
  SmallByHand(int n, int rank, int size, const Doubles& a, Doubles& b)
      : part_(n / size), n_(n), rank_(rank), size_(size), a_(a), b_(b) {
    const int count = part_ * part_;
    out_.resize(static_cast<std::size_t>(count * size));
    in_.resize(out_.size());
    for (int d = 1; d < size; ++d) {
      const int source = (rank + size - d) % size;
      receives_.emplace_back();
      MPI_Recv_init(&in_[static_cast<std::size_t>(source * count)], count, MPI_DOUBLE, source, 7,
                    MPI_COMM_WORLD, &receives_.back());
    }
    for (int d = 1; d < size; ++d) {
      const int peer = (rank + d) % size;
      sends_.emplace_back();
      MPI_Send_init(&out_[static_cast<std::size_t>(peer * count)], count, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD,
                    &sends_.back());
    }
  }
  ~SmallByHand() {
    for (MPI_Request& request : receives_) MPI_Request_free(&request);
    for (MPI_Request& request : sends_) MPI_Request_free(&request);
  }
  SmallByHand(const SmallByHand&) = delete;
  SmallByHand& operator=(const SmallByHand&) = delete;

  void exchange() {
    MPI_Startall(size_ - 1, receives_.data());
    for (int d = 1; d < size_; ++d) {
      const int peer = (rank_ + d) % size_;
      pack(peer, &out_[static_cast<std::size_t>(peer * part_ * part_)], part_);
      MPI_Start(&sends_[static_cast<std::size_t>(d - 1)]);
    }
    pack(rank_, &b_[static_cast<std::size_t>(rank_ * part_)], n_);
    for (int done = 1; done < size_; ++done) {
      int which = 0;
      MPI_Waitany(size_ - 1, receives_.data(), &which, MPI_STATUS_IGNORE);
      const int source = (rank_ + size_ - 1 - which) % size_;
      const double* wire = &in_[static_cast<std::size_t>(source * part_ * part_)];
      for (int j = 0; j < part_; ++j, wire += part_)
        std::memcpy(&b_[static_cast<std::size_t>(j * n_ + source * part_)], wire, bytes());
    }
    MPI_Waitall(size_ - 1, sends_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(part_) * sizeof(double); }
  /// The columns of `peer`, `pitch` apart.
  void pack(int peer, double* to, int pitch) const {
    for (int j = 0; j < part_; ++j, to += pitch)
      std::memcpy(to, &a_[static_cast<std::size_t>((peer * part_ + j) * part_)], bytes());
  }

  int part_, n_, rank_, size_;
  const Doubles& a_;
  Doubles& b_;
  Doubles out_, in_;
  std::vector<MPI_Request> receives_, sends_;
};

bool measure(int n, const RedistributeOptions& options) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  n = std::max(1, n / size) * size;
  const std::size_t elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n / size);
  Doubles a(elements), b(elements, -1), c(elements, -2);
  for (std::size_t i = 0; i < elements; ++i) a[i] = static_cast<double>(i) + 1e6 * rank;
  lapwing_tasks* tasks = nullptr;
  lapwing_tasks_of_sizes(MPI_COMM_WORLD, 1, &size, &tasks);
  const lapwing_grid grid{1, &size, LAPWING_ROW_MAJOR, nullptr};
  const lapwing_dimension rows[2] = {lapwing_block(n, size, 0), lapwing_collapsed(n)};
  const lapwing_dimension columns[2] = {lapwing_collapsed(n), lapwing_block(n, size, 0)};
  lapwing_distribution *from = nullptr, *to = nullptr;
  lapwing_distribution_create(LAPWING_FLOAT64, 2, rows, &grid, LAPWING_COLUMN_MAJOR, nullptr, &from);
  lapwing_distribution_create(LAPWING_FLOAT64, 2, columns, &grid, LAPWING_COLUMN_MAJOR, nullptr, &to);
  lapwing_array_request* request = nullptr;
  const auto count = static_cast<std::int64_t>(elements);
  lapwing_array_redistribute_init(a.data(), count, from, b.data(), count, to, tasks, &request);
  const auto lapwing = [&] {
    lapwing_array_start(request);
    lapwing_array_wait(&request, nullptr);
  };
  bool verified = true;
  {
    SmallByHand hand(n, rank, size, a, c);
    const int repeat = n > 200 ? 50 : 400;
    const auto many = [&](auto once) {
      return time_together([&] {
        for (int i = 0; i < repeat; ++i) once();
      });
    };
    const auto by_hand = [&] { hand.exchange(); };
    for (int i = 0; i < 20; ++i) {
      lapwing();
      hand.exchange();
    }
    verified = all_agree(b == c);
    for (int round = 0; round < options.rounds; ++round) {
      Taken mine, its, again;
      const bool turned = round % 2 != 0;
      if (turned) its = many(by_hand);
      mine = many(lapwing);
      if (!turned) its = many(by_hand);
      again = many(by_hand);
      JsonLine line;
      line.text("what", "small").integer("n", n).integer("ranks", size).integer("round", round);
      line.integer("bytes", static_cast<std::int64_t>(n) * n * 8).boolean("verified", verified);
      line.number("persistent_s", mine.seconds / repeat).number("hand_s", its.seconds / repeat);
      line.number("again_s", again.seconds / repeat).number("persistent_cpu_s", mine.cpu / repeat);
      line.number("hand_cpu_s", its.cpu / repeat);
      if (rank == 0) line.print();
    }
  }
  lapwing_array_request_free(&request);
  lapwing_distribution_free(&from);
  lapwing_distribution_free(&to);
  lapwing_tasks_free(&tasks);
  return verified;
}

}  // namespace

bool measure_small(const RedistributeOptions& options) {
  bool right = true;
  for (const std::string& n : options.sizes) right = measure(std::atoi(n.c_str()), options) && right;
  return right;
}

}  // namespace lapwing::bench
