// SPDX-License-Identifier: Apache-2.0
// Two-dimensional FFTs of a series of images (HPF/MPI, section 3.2, figure 6): one
// data-parallel task that transposes, against a pipeline of two tasks. Both use
// persistent requests; the pipeline has two buffers on each side.
//   pipeline [--sizes LIST] [--rounds N] [--images N] [--count] [--landed]
// One JSON line a round and size; --count: messages and bytes, no times; --landed:
// a consumer that starts on what has landed (pipeline_landed.cpp).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "arrays/fft.hpp"
#include "arrays/pipeline.hpp"
#include "arrays/redistribute.hpp"
#include "lapwing/arrays.hpp"
#include "support/texts.hpp"

namespace lapwing::bench {
namespace {

void fill(Image& image, std::int64_t first_row, int number) {
  const auto view = image.view();
  for (std::int64_t i = 0; i < view.extent(0); ++i)
    for (std::int64_t j = 0; j < view.extent(1); ++j)
      view(i, j) = {static_cast<double>((first_row + i) * 3 % 7 + number), static_cast<double>(j * 5 % 11)};
}

double weigh(Image& image, std::int64_t first_row) {
  const auto view = image.view();
  double sum = 0;
  for (std::int64_t i = 0; i < view.extent(0); ++i)
    for (std::int64_t j = 0; j < view.extent(1); ++j)
      sum += std::norm(view(i, j)) * static_cast<double>((first_row + i + 2 * j) % 5 + 1);
  return sum;
}

struct Run {
  double seconds = 0, cpu = 0, checksum = 0, row_seconds = 0, pack_seconds = 0;
  double messages = 0, bytes = 0;  // of the busiest process, an image
};

class Program {
 public:
  Program(bool pipeline, int n)
      : pipeline_(pipeline),
        n_(n),
        tasks_(make_tasks(pipeline)),
        rows_{lapwing_block(n, tasks_.processes(), 0), lapwing_collapsed(n)},
        fft_(n) {
    // As in HPF/MPI 3.2; of small images the automatic choice gathers and scatters.
    lapwing_tasks_strategy(tasks_.get(), LAPWING_STRATEGY_PARALLEL);
    first_row_ = rows_[0].block * tasks_.process_rank();
    for (int k = 0; k < 2; ++k) {
      for (int side = 0; side < 2; ++side)
        images_.emplace_back(tasks_, rows_, std::vector{tasks_.processes()});
    }
    const auto into = images_[1].distribution().section({0, 0}, {n, n}, {}, {1, 0});
    for (int k = 0; k < (pipeline ? 2 : 1); ++k) {
      Image &a = from(k), &b = to(k);
      lapwing_array_request* request = nullptr;
      if (!pipeline)
        lapwing_array_redistribute_init(a.local().data(), a.allocated(), a.distribution().get(),
                                        b.local().data(), b.allocated(), into.get(), tasks_.get(), &request);
      else if (tasks_.rank() == 0)
        lapwing_array_send_init(a.local().data(), a.allocated(), a.distribution().get(), 1, k, tasks_.get(),
                                &request);
      else
        lapwing_array_recv_init(b.local().data(), b.allocated(), into.get(), 0, k, tasks_.get(), &request);
      requests_.emplace_back(request);
    }
  }

  Run run(int images, bool steps) {
    Run result;
    fft_.seconds = 0;
    fft_.done = 0;
    if (steps) lapwing_tasks_time_steps(tasks_.get(), 1);
    double sum = 0;
    const Taken taken = time_together([&] { sum = pipeline_ ? stage(images) : parallel(images); });
    result.seconds = taken.seconds / images;
    result.cpu = taken.cpu / images;
    MPI_Allreduce(&sum, &result.checksum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    result.row_seconds = worst_of_all(fft_.done > 0 ? fft_.seconds / static_cast<double>(fft_.done) : 0);
    if (steps) {
      lapwing_array_steps counted{};
      lapwing_tasks_steps(tasks_.get(), &counted);
      lapwing_tasks_time_steps(tasks_.get(), 0);
      result.pack_seconds = worst_of_all(1e-9 * static_cast<double>(counted.packing_ns)) / images;
      result.messages = worst_of_all(static_cast<double>(counted.messages)) / images;
      result.bytes = worst_of_all(static_cast<double>(counted.bytes)) / images;
    }
    return result;
  }

 private:
  static Tasks make_tasks(bool pipeline) {
    int world = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    return Tasks::of_sizes(MPI_COMM_WORLD, pipeline ? std::vector{world / 2, world / 2} : std::vector{world});
  }
  Image& from(int k) { return images_[static_cast<std::size_t>(2 * k)]; }
  Image& to(int k) { return images_[static_cast<std::size_t>(2 * k + 1)]; }

  double parallel(int images) {
    double sum = 0;
    for (int i = 0; i < images; ++i) {
      fill(from(0), first_row_, i);
      fft_.rows(from(0));
      requests_[0].start();
      requests_[0].wait();
      fft_.rows(to(0));
      sum += weigh(to(0), first_row_);
    }
    return sum;
  }
  double stage(int images) {
    double sum = 0;
    const bool sends = tasks_.rank() == 0;
    for (int i = 0; !sends && i < std::min(images, 2); ++i) requests_[static_cast<std::size_t>(i)].start();
    for (int i = 0; i < images; ++i) {
      ArrayRequest& request = requests_[static_cast<std::size_t>(i % 2)];
      if (sends) {
        if (i >= 2) request.wait();
        fill(from(i % 2), first_row_, i);
        fft_.rows(from(i % 2));
        request.start();
      } else {
        request.wait();
        fft_.rows(to(i % 2));
        sum += weigh(to(i % 2), first_row_);
        if (i + 2 < images) request.start();
      }
    }
    for (int i = std::max(0, images - 2); sends && i < images; ++i)
      requests_[static_cast<std::size_t>(i % 2)].wait();
    return sum;
  }

  bool pipeline_;
  int n_;
  Tasks tasks_;
  std::vector<lapwing_dimension> rows_;
  Fft fft_;
  std::int64_t first_row_ = 0;
  std::vector<Image> images_;
  std::vector<ArrayRequest> requests_;
};

bool measure(int n, int rounds, int images, bool count) {
  int rank = 0, world = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  Program parallel(false, n), pipeline(true, n);
  // About the same time for every size.
  if (images == 0) images = std::clamp(4'000'000 / (n * n), 8, 1000);
  const int counted = std::min(images, count ? 4 : 40);
  const Run first = parallel.run(counted, true), other = pipeline.run(counted, true);
  const bool verified =
      all_agree(std::abs(first.checksum - other.checksum) <= 1e-9 * std::abs(first.checksum));
  for (int round = 0; round < (count ? 1 : rounds); ++round) {
    Run a, b;
    if (!count) {
      if (round % 2 != 0) b = pipeline.run(images, false);
      a = parallel.run(images, false);
      if (round % 2 == 0) b = pipeline.run(images, false);
    }
    JsonLine line;
    line.text("what", count ? "count" : "pipeline").integer("n", n).integer("ranks", world);
    line.integer("images", images).boolean("verified", verified);
    line.number("parallel_messages", first.messages).number("pipeline_messages", other.messages);
    line.number("parallel_bytes", first.bytes).number("pipeline_bytes", other.bytes);
    line.number("parallel_pack_s", first.pack_seconds).number("pipeline_pack_s", other.pack_seconds);
    if (!count) {
      line.number("parallel_s", a.seconds).number("pipeline_s", b.seconds);
      line.number("parallel_cpu_s", a.cpu).number("pipeline_cpu_s", b.cpu).number("row_s", a.row_seconds);
    }
    if (rank == 0) line.print();
  }
  return verified;
}

}  // namespace
}  // namespace lapwing::bench

int main(int argc, char** argv) {
  using namespace lapwing::bench;
  // With --landed transfers go on while the consumer computes.
  int level = MPI_THREAD_SINGLE;
  const bool threads = std::find(argv + 1, argv + argc, std::string("--landed")) != argv + argc;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  int world = 1, rank = 0, rounds = 10, images = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool right = true, count = false, landed = false;
  try {
    std::vector<std::string> sizes{"16", "32", "64", "128"};
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
      if (word == "--count" || word == "--landed") {
        (word == "--count" ? count : landed) = true;
        continue;
      }
      ++i;
      if (word == "--sizes")
        sizes = split_list(value);
      else if (word == "--rounds")
        rounds = static_cast<int>(parse_bytes(value));
      else if (word == "--images")
        images = static_cast<int>(parse_bytes(value));
      else
        throw BadOption(word + " is not an option: --sizes LIST --rounds N --images N --count --landed");
    }
    if (world % 2 != 0) throw BadOption("two tasks of equal size need an even number of ranks");
    for (const std::string& words : sizes) {
      const int n = static_cast<int>(parse_bytes(words));
      if (n < 2 || (n & (n - 1)) != 0) throw BadOption("an image of " + words + " is no power of two");
      right = (landed ? measure_landed(n, rounds) : measure(n, rounds, images, count)) && right;
    }
  } catch (const BadOption& error) {
    if (rank == 0) std::fprintf(stderr, "pipeline: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
