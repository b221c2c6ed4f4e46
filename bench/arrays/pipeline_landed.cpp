// SPDX-License-Identifier: Apache-2.0
// A consumer that starts on what has landed: one task sends an image, the other
// receives it transposed and does the FFTs of its rows, once all of it is there, or
// row by row as it lands (wait_section). The compute alone, the transfer alone, and
// the whole one once more as a control, in turning order.
#include <cmath>
#include <functional>
#include <string>

#include "arrays/fft.hpp"
#include "arrays/pipeline.hpp"
#include "arrays/redistribute.hpp"

namespace lapwing::bench {
namespace {

class Consumer {
 public:
  explicit Consumer(int n)
      : n_(n),
        tasks_(Tasks::of_sizes(MPI_COMM_WORLD, {half(), half()})),
        rows_{lapwing_block(n, tasks_.processes(), 0), lapwing_collapsed(n)},
        image_(tasks_, rows_, {tasks_.processes()}),
        fft_(n) {
    // Only so do parts land before the whole, whatever seems cheapest.
    lapwing_tasks_strategy(tasks_.get(), LAPWING_STRATEGY_PARALLEL);
    lapwing_array_request* request = nullptr;
    if (sends()) {
      const auto view = image_.view();
      for (std::int64_t i = 0; i < view.extent(0); ++i)
        for (std::int64_t j = 0; j < view.extent(1); ++j)
          view(i, j) = {static_cast<double>((first_row() + i) * 3 % 7), static_cast<double>(j * 5 % 11)};
      lapwing_array_send_init(image_.local().data(), image_.allocated(), image_.distribution().get(), 1, 0,
                              tasks_.get(), &request);
    } else {
      const auto into = image_.distribution().section({0, 0}, {n, n}, {}, {1, 0});
      lapwing_array_recv_init(image_.local().data(), image_.allocated(), into.get(), 0, 0, tasks_.get(),
                              &request);
    }
    request_ = ArrayRequest(request);
  }

  Taken transfer() {
    return time_together([&] {
      request_.start();
      request_.wait();
    });
  }
  Taken whole() {
    return time_together([&] {
      request_.start();
      request_.wait();
      if (!sends()) fft_.rows(image_);
    });
  }
  Taken landed() {
    return time_together([&] {
      request_.start();
      const std::int64_t mine = image_.view().extent(0), band = std::max<std::int64_t>(1, n_ / bands);
      for (std::int64_t row = 0; !sends() && row < mine; row += band) {
        const std::int64_t count = std::min(band, mine - row);
        request_.wait_section({first_row() + row, 0}, {count, n_});
        fft_.rows(image_, row, count);
      }
      request_.wait();
    });
  }
  Taken compute() {
    return time_together([&] {
      if (!sends()) fft_.rows(image_);
    });
  }
  double sum() {
    double sum = 0;
    const auto view = image_.view();
    for (std::int64_t i = 0; !sends() && i < view.extent(0); ++i)
      for (std::int64_t j = 0; j < view.extent(1); ++j)
        sum += std::norm(view(i, j)) * static_cast<double>((first_row() + i + 2 * j) % 5 + 1);
    return sum;
  }
  static constexpr int bands = 32;

 private:
  static int half() {
    int world = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    return world / 2;
  }
  bool sends() const { return tasks_.rank() == 0; }
  std::int64_t first_row() const { return rows_[0].block * tasks_.process_rank(); }

  int n_;
  Tasks tasks_;
  std::vector<lapwing_dimension> rows_;
  Image image_;
  Fft fft_;
  ArrayRequest request_;
};

}  // namespace

bool measure_landed(int n, int rounds) {
  int rank = 0, world = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  Consumer consumer(n);
  consumer.whole();
  const double whole = consumer.sum();
  consumer.transfer();
  const double raw = consumer.sum();
  consumer.landed();
  // Equal bits: the same FFTs of the same rows. The transfer alone must leave something else.
  const bool verified = all_agree(consumer.sum() == whole && (whole == 0 || raw != whole));
  const std::pair<const char*, std::function<Taken()>> variants[] = {
      {"whole", [&] { return consumer.whole(); }},
      {"landed", [&] { return consumer.landed(); }},
      {"again", [&] { return consumer.whole(); }},
      {"transfer", [&] { return consumer.transfer(); }},
      {"compute", [&] { return consumer.compute(); }}};
  for (int round = 0; round < rounds; ++round) {
    JsonLine line;
    line.text("what", "landed").integer("n", n).integer("ranks", world);
    line.integer("bytes", 16LL * n * n).integer("bands", Consumer::bands).boolean("verified", verified);
    for (std::size_t v = 0; v < std::size(variants); ++v) {
      const auto& [name, perform] = variants[(v + static_cast<std::size_t>(round)) % std::size(variants)];
      const Taken taken = perform();
      line.number(std::string(name) + "_s", taken.seconds).number(std::string(name) + "_cpu_s", taken.cpu);
    }
    if (rank == 0) line.print();
  }
  return verified;
}

}  // namespace lapwing::bench
