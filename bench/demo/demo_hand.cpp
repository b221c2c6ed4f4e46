// SPDX-License-Identifier: Apache-2.0
// demo_plain, rewritten by hand so that it computes while its blocks travel:
// the blocks are cut into strips, a window of which is in flight each way; each
// strip is computed on as soon as it is there, and the library is polled in
// between. The results go into a second block, since the first is being sent.
#include "demo/demo.hpp"

using namespace lapwing::bench;

namespace {

constexpr std::size_t strip_numbers = 64 * 1024 / sizeof(double);
constexpr std::size_t poll_numbers = 16 * 1024 / sizeof(double);
constexpr int window = 16;

// The strips of one block, sent or received in order, `window` of them at a time.
class Stream {
 public:
  Stream(double* block, std::size_t numbers, int peer, bool sending)
      : block_(block),
        numbers_(numbers),
        peer_(peer),
        sending_(sending),
        count_(static_cast<int>((numbers + strip_numbers - 1) / strip_numbers)),
        requests_(count_) {
    while (posted_ < std::min(window, count_)) post();
  }

  int count() const { return count_; }
  std::size_t length(int strip) const { return std::min(strip_numbers, numbers_ - strip * strip_numbers); }

  void poll() {
    int complete = 1;
    while (complete && done_ < posted_) {
      MPI_Test(&requests_[done_], &complete, MPI_STATUS_IGNORE);
      if (complete) advance();
    }
  }
  bool complete(int strip) const { return strip < done_; }

 private:
  void post() {
    double* strip = block_ + posted_ * strip_numbers;
    const int length_now = static_cast<int>(length(posted_));
    if (sending_)
      MPI_Isend(strip, length_now, MPI_DOUBLE, peer_, 0, MPI_COMM_WORLD, &requests_[posted_]);
    else
      MPI_Irecv(strip, length_now, MPI_DOUBLE, peer_, 0, MPI_COMM_WORLD, &requests_[posted_]);
    ++posted_;
  }
  void advance() {
    ++done_;
    if (posted_ < count_) post();
  }

  double* block_;
  std::size_t numbers_;
  int peer_;
  bool sending_;
  int count_;
  std::vector<MPI_Request> requests_;
  int posted_ = 0, done_ = 0;
};

// One iteration; returns the seconds spent waiting.
double exchange_and_compute(std::vector<double>& block, std::vector<double>& received,
                            std::vector<double>& result, int next, int previous, int work) {
  double waited = 0, carry = 0;
  Stream incoming(received.data(), received.size(), previous, false);
  Stream outgoing(block.data(), block.size(), next, true);

  for (int strip = 0; strip < incoming.count(); ++strip) {
    const double before = MPI_Wtime();
    while (!incoming.complete(strip)) {
      incoming.poll();
      outgoing.poll();
    }
    waited += MPI_Wtime() - before;
    const std::size_t first = strip * strip_numbers;
    for (std::size_t at = 0; at < incoming.length(strip); at += poll_numbers) {
      const std::size_t length = std::min(poll_numbers, incoming.length(strip) - at);
      compute(received.data() + first + at, result.data() + first + at, length, work, carry);
      incoming.poll();
      outgoing.poll();
    }
  }
  const double before = MPI_Wtime();
  while (!outgoing.complete(outgoing.count() - 1)) outgoing.poll();
  block.swap(result);
  return waited + MPI_Wtime() - before;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const DemoOptions options = parse_demo_options(argc, argv);
  const std::size_t numbers = options.bytes / sizeof(double);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;

  std::vector<double> block = first_block(numbers, rank), received(numbers), result(numbers);
  double in_mpi = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();

  for (int i = 0; i < options.iterations; ++i)
    in_mpi += exchange_and_compute(block, received, result, next, previous, options.work);

  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  report("hand", options, seconds, in_mpi, checksum(block));
  MPI_Finalize();
}
