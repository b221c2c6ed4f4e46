// SPDX-License-Identifier: Apache-2.0
// Ghost updates of a 3-D block of doubles: the library's, blocking and persistent,
// against derived datatypes with Isend and Irecv, written by hand with the same
// messages; alone and with a computation meanwhile. One JSON line a round.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "arrays/redistribute.hpp"
#include "lapwing/arrays.hpp"
#include "support/texts.hpp"

namespace lapwing::bench {
namespace {

struct GhostOptions {
  std::vector<std::string> cases{"rows", "pencils", "points", "grid"}, sizes{"32", "128"};
  int width = 1, rounds = 30;
};

using Triple = std::array<int, 3>;

/// Each neighbour's ghosts and owned elements as subarrays of local memory, made once.
class ByHand {
 public:
  ByHand(double* local, const Triple& grid, const Triple& at, const Triple& mine, int width, bool corners)
      : local_(local) {
    const auto rank_of = [&](const Triple& place) {
      return (place[0] * grid[1] + place[1]) * grid[2] + place[2];
    };
    const Triple all{mine[0] + 2 * width, mine[1] + 2 * width, mine[2] + 2 * width};
    for (int code = 0; code < 27; ++code) {
      const Triple to{code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
      const int beside = std::abs(to[0]) + std::abs(to[1]) + std::abs(to[2]);
      Triple there, count, from, into;
      bool exists = beside == 1 || (corners && beside > 0);
      for (std::size_t d = 0; d < 3; ++d) {
        there[d] = at[d] + to[d];
        exists = exists && there[d] >= 0 && there[d] < grid[d];
        count[d] = to[d] == 0 ? mine[d] : width;
        from[d] = to[d] > 0 ? mine[d] : width;
        into[d] = to[d] < 0 ? 0 : to[d] > 0 ? mine[d] + width : width;
      }
      if (!exists) continue;
      Neighbour made{rank_of(there), 26 - code, code, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
      MPI_Type_create_subarray(3, all.data(), count.data(), from.data(), MPI_ORDER_C, MPI_DOUBLE, &made.out);
      MPI_Type_create_subarray(3, all.data(), count.data(), into.data(), MPI_ORDER_C, MPI_DOUBLE, &made.in);
      MPI_Type_commit(&made.out);
      MPI_Type_commit(&made.in);
      neighbours_.push_back(made);
    }
    requests_.resize(2 * neighbours_.size());
  }
  ~ByHand() {
    for (Neighbour& one : neighbours_) {
      MPI_Type_free(&one.out);
      MPI_Type_free(&one.in);
    }
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  void begin() {
    std::size_t next = 0;
    for (const Neighbour& one : neighbours_)
      MPI_Irecv(local_, 1, one.in, one.rank, one.tag_in, MPI_COMM_WORLD, &requests_[next++]);
    for (const Neighbour& one : neighbours_)
      MPI_Isend(local_, 1, one.out, one.rank, one.tag_out, MPI_COMM_WORLD, &requests_[next++]);
  }
  void end() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

 private:
  struct Neighbour {
    int rank, tag_in, tag_out;
    MPI_Datatype out, in;
  };
  double* local_;
  std::vector<Neighbour> neighbours_;
  std::vector<MPI_Request> requests_;
};

/// Some work on the owned elements, by the amount.
double compute(const std::vector<double>& values, std::int64_t amount) {
  double sum = 1;
  for (std::int64_t i = 0, at = 0; i < amount; ++i) {
    sum = sum * 0.999999 + values[static_cast<std::size_t>(at)];
    if (++at == static_cast<std::int64_t>(values.size())) at = 0;
  }
  return sum;
}

// A block of n x n x n on each process.
bool measure(const std::string& name, int n, const GhostOptions& options) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Triple grid{1, 1, 1};
  const bool corners = name == "grid";
  if (name == "rows")
    grid[0] = size;
  else if (name == "pencils")
    grid[1] = size;
  else if (name == "points")
    grid[2] = size;
  else if (corners) {
    grid = {0, 0, 0};
    MPI_Dims_create(size, 3, grid.data());
  } else {
    throw BadOption("--cases " + name + ": they are rows, pencils, points and grid");
  }
  if (n < options.width)
    throw BadOption("--sizes " + std::to_string(n) + ": less than the width of the ghosts");
  std::vector<lapwing_dimension> dimensions;
  for (int d = 0; d < 3; ++d) {
    const int processes = grid[static_cast<std::size_t>(d)];
    dimensions.push_back(lapwing_block(static_cast<std::int64_t>(n) * processes, processes, d));
    dimensions.back().ghost_below = dimensions.back().ghost_above = options.width;
  }
  const Tasks tasks(MPI_COMM_WORLD, 0);
  const std::vector<int> shape(grid.begin(), grid.end());
  DistributedArray<double> a(tasks, dimensions, shape), b(tasks, dimensions, shape);
  for (auto* array : {&a, &b})
    array->each([](const auto& index, double& x) {
      x = 1 + static_cast<double>((index[0] * 1031 + index[1]) * 1033 + index[2]);
    });
  const int ghosts = corners ? LAPWING_GHOSTS_CORNERS : LAPWING_GHOSTS_FACES;
  ArrayRequest request = update_ghosts_init(a, tasks, ghosts);
  const Triple at{rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
  ByHand hand(b.local().data(), grid, at, {n, n, n}, options.width, corners);
  const auto lapwing = [&] { request.start(), request.wait(); };
  const auto by_hand = [&] { hand.begin(), hand.end(); };
  const auto blocking = [&] { update_ghosts(a, tasks, ghosts); };
  std::int64_t bytes = 0;
  for (int i = 0; i < 10; ++i) {
    request.start();
    bytes = request.wait().elements * static_cast<std::int64_t>(sizeof(double));
    by_hand();
  }
  const bool verified = all_agree(a.local() == b.local());
  const int repeat = n > 100 ? 20 : n > 40 ? 100 : 400;
  const auto many = [&](const auto& once) {
    return time_together([&] {
      for (int i = 0; i < repeat; ++i) once();
    });
  };
  // As long a computation as the exchange by hand takes; all processes the same.
  const std::vector<double> values(4096, 0.5);
  volatile double kept = 0;
  const double wanted = many(by_hand).seconds / repeat;
  const Taken trial = time_together([&] { kept = kept + compute(values, 1 << 20); });
  auto amount = static_cast<std::int64_t>((1 << 20) * wanted / std::max(trial.seconds, 1e-9));
  MPI_Bcast(&amount, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  const auto work = [&] { kept = kept + compute(values, amount); };
  for (int round = 0; round < options.rounds; ++round) {
    Taken mine, its;
    if (round % 2 != 0) its = many(by_hand);
    mine = many(lapwing);
    if (round % 2 == 0) its = many(by_hand);
    const Taken again = many(by_hand), fresh = many(blocking), alone = many(work);
    const Taken hidden = many([&] { request.start(), work(), request.wait(); });
    const Taken hand_hidden = many([&] { hand.begin(), work(), hand.end(); });
    JsonLine line;
    line.text("case", name).integer("n", n).integer("ranks", size).integer("width", options.width);
    line.integer("round", round).integer("bytes", bytes).boolean("verified", verified);
    line.number("persistent_s", mine.seconds / repeat).number("hand_s", its.seconds / repeat);
    line.number("again_s", again.seconds / repeat).number("blocking_s", fresh.seconds / repeat);
    line.number("persistent_cpu_s", mine.cpu / repeat).number("hand_cpu_s", its.cpu / repeat);
    line.number("compute_s", alone.seconds / repeat).number("overlapped_s", hidden.seconds / repeat);
    line.number("hand_overlapped_s", hand_hidden.seconds / repeat);
    if (rank == 0) line.print();
  }
  return verified;
}

GhostOptions parse(int argc, char** argv) {
  GhostOptions options;
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    if (i + 1 == argc) throw BadOption(word + " needs a value");
    const std::string value = argv[i + 1];
    if (word == "--cases")
      options.cases = split_list(value);
    else if (word == "--sizes")
      options.sizes = split_list(value);
    else if (word == "--width")
      options.width = std::max(1, std::atoi(value.c_str()));
    else if (word == "--rounds")
      options.rounds = std::max(1, std::atoi(value.c_str()));
    else
      throw BadOption(word + " is not an option: --cases LIST --sizes LIST --width N --rounds N");
  }
  return options;
}

}  // namespace
}  // namespace lapwing::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = true;
  try {
    const auto options = lapwing::bench::parse(argc, argv);
    for (const std::string& name : options.cases)
      for (const std::string& n : options.sizes)
        right = lapwing::bench::measure(name, std::atoi(n.c_str()), options) && right;
  } catch (const lapwing::bench::BadOption& error) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fprintf(stderr, "ghosts: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
