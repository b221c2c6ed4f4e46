// SPDX-License-Identifier: Apache-2.0
// Fields and buffers in vectors of a class, the exchange and the sweep in functions of their own.
#include <mpi.h>

#include <cstdio>
#include <utility>
#include <vector>

class Field {
 public:
  Field(int width, int planes);
  void exchange();
  void sweep();
  void turn() { std::swap(now_, next_); }
  double sum() const;

 private:
  std::size_t at(int i, int j, int k) const { return (std::size_t(k) * (width_ + 2) + j) * (width_ + 2) + i; }
  int width_, planes_, rank_ = 0, size_ = 1, below_, above_;
  std::vector<double> now_, next_, to_below_, to_above_, from_below_, from_above_;
};

Field::Field(int width, int planes) : width_(width), planes_(planes) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  below_ = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
  above_ = rank_ + 1 < size_ ? rank_ + 1 : MPI_PROC_NULL;
  now_.resize(at(0, 0, planes + 2));
  for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = double((i * 7919 + rank_ * 31) % 1000);
  next_ = now_;
  for (auto* buffer : {&to_below_, &to_above_, &from_below_, &from_above_})
    buffer->resize(std::size_t(width) * width);
}

void Field::exchange() {
  MPI_Request requests[4];
  const int n = width_ * width_;
  MPI_Irecv(from_below_.data(), n, MPI_DOUBLE, below_, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(from_above_.data(), n, MPI_DOUBLE, above_, 0, MPI_COMM_WORLD, &requests[1]);
  for (int j = 1; j <= width_; ++j)
    for (int i = 1; i <= width_; ++i) {
      to_below_[(j - 1) * width_ + i - 1] = now_[at(i, j, 1)];
      to_above_[(j - 1) * width_ + i - 1] = now_[at(i, j, planes_)];
    }
  MPI_Isend(to_below_.data(), n, MPI_DOUBLE, below_, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(to_above_.data(), n, MPI_DOUBLE, above_, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  int n_below = 0, n_above = 0;
  if (below_ != MPI_PROC_NULL)
    for (int j = 1; j <= width_; ++j)
      for (int i = 1; i <= width_; ++i) now_[at(i, j, 0)] = from_below_[n_below++];
  if (above_ != MPI_PROC_NULL)
    for (int j = 1; j <= width_; ++j)
      for (int i = 1; i <= width_; ++i) now_[at(i, j, planes_ + 1)] = from_above_[n_above++];
}

void Field::sweep() {
  for (int k = 1; k <= planes_; ++k)
    for (int j = 1; j <= width_; ++j)
      for (int i = 1; i <= width_; ++i)
        next_[at(i, j, k)] = now_[at(i, j, k)] * 0.4 +
                             0.1 * (now_[at(i - 1, j, k)] + now_[at(i + 1, j, k)] + now_[at(i, j - 1, k)] +
                                    now_[at(i, j + 1, k)] + now_[at(i, j, k - 1)] + now_[at(i, j, k + 1)]);
}

double Field::sum() const {
  double all = 0;
  for (const double value : now_) all = all * 0.99 + value;
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Field field(30, 8);
    for (int step = 0; step < 5; ++step) {
      field.exchange();
      field.sweep();
      field.turn();
    }
    std::printf("members %d %.17g\n", rank, field.sum());
  }
  std::printf("done %d\n", rank);
  MPI_Finalize();
  return 0;
}
