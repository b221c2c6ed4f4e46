// SPDX-License-Identifier: Apache-2.0
// Whole matrices of doubles: with a fresh schedule, with a persistent one, by
// pdgemr2d (twice: the control), and memcpy of as many bytes, in turning order.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include "arrays/pdgemr2d.hpp"
#include "arrays/redistribute.hpp"
#include "arrays/strided_copy.hpp"
#include "lapwing/arrays.h"

namespace lapwing::bench {
namespace {

struct Case {
  std::string name;
  Layout from, to;
};

/// The cases at 4 processes; their like at other numbers.
std::vector<Case> cases_of(int size, int n) {
  int rows = 1;
  for (int r = 2; r * r <= size; ++r)
    if (size % r == 0) rows = r;
  const int columns = size / rows, part = (n + size - 1) / size;
  // Two processes have no grid of two dimensions: rows of them become columns.
  const int down = rows == 1 ? size : rows, across = size / down;
  return {{"128 -> 128, same grid", {rows, columns, 128, 128}, {rows, columns, 128, 128}},
          {"36 -> 128", {rows, columns, 36, 36}, {rows, columns, 128, 128}},
          {"rows -> columns", {size, 1, part, n}, {1, size, n, part}},
          {"4x4 -> 7x5", {down, across, 4, 4}, {1, size, 7, 5}},
          {"cyclic(1)", {down, across, 1, 1}, {1, size, 1, 1}}};
}

struct Freed {
  void operator()(double* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<double, Freed>;

Memory memory_of(std::size_t elements) {
  void* memory = std::aligned_alloc(4096, (elements * sizeof(double) + 4095) / 4096 * 4096 + 4096);
  std::memset(memory, 0, elements * sizeof(double));
  return Memory(static_cast<double*>(memory));
}

lapwing_distribution* distribution_of(const Layout& layout, int n, int rank) {
  int descriptor[9];
  layout.descriptor(n, rank, 0, descriptor);
  lapwing_distribution* made = nullptr;
  lapwing_distribution_from_scalapack(descriptor, LAPWING_FLOAT64, layout.rows, layout.columns,
                                      LAPWING_ROW_MAJOR, &made);
  return made;
}

/// Calls visit(local position, global row, global column).
template <typename Visit>
void each(const Layout& layout, int n, int rank, Visit visit) {
  const int rows = layout.local_rows(n, rank), columns = layout.local_columns(n, rank);
  const auto global = [](int local, int block, int process, int processes) {
    return (local / block * processes + process) * block + local % block;
  };
  for (int j = 0; j < columns; ++j) {
    const int column = global(j, layout.nb, rank % layout.columns, layout.columns);
    for (int i = 0; i < rows; ++i)
      visit(static_cast<std::size_t>(j) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(i),
            global(i, layout.mb, rank / layout.columns, layout.rows), column);
  }
}

double value_of(int row, int column) { return row + column / 16384.0; }

class Contest {
 public:
  Contest(const Case& which, int n, ScaLapack& scalapack, int rank, int size)
      : which_(which),
        n_(n),
        scalapack_(scalapack),
        rank_(rank),
        size_(size),
        strided_(which.from, which.to, n, rank) {
    const auto elements = [&](const Layout& layout) {
      return static_cast<std::size_t>(layout.local_rows(n, rank)) *
             static_cast<std::size_t>(layout.local_columns(n, rank));
    };
    from_elements_ = elements(which.from);
    to_elements_ = elements(which.to);
    a_ = memory_of(from_elements_);
    b_ = memory_of(to_elements_);
    each(which.from, n, rank, [&](std::size_t at, int i, int j) { a_.get()[at] = value_of(i, j); });
    if (scalapack.there()) {
      which.from.descriptor(n, rank, scalapack.context(which.from.rows, which.from.columns), from_);
      which.to.descriptor(n, rank, scalapack.context(which.to.rows, which.to.columns), to_);
      all_ = scalapack.all();
    }
    lapwing_tasks_of_sizes(MPI_COMM_WORLD, 1, &size, &tasks_);
    lapwing_distribution *source = distribution_of(which.from, n, rank),
                         *target = distribution_of(which.to, n, rank);
    lapwing_array_redistribute_init(a_.get(), static_cast<std::int64_t>(from_elements_), source, b_.get(),
                                    static_cast<std::int64_t>(to_elements_), target, tasks_, &persistent_);
    lapwing_distribution_free(&source);
    lapwing_distribution_free(&target);
  }
  ~Contest() {
    lapwing_array_request_free(&persistent_);
    lapwing_tasks_free(&tasks_);
  }
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  Taken persistent() {
    return time_together([&] {
      lapwing_array_start(persistent_);
      lapwing_array_wait(&persistent_, nullptr);
    });
  }
  // Schedules are kept with the communicator of tasks: a new one has none.
  Taken fresh() {
    lapwing_tasks* tasks = nullptr;
    lapwing_tasks_of_sizes(MPI_COMM_WORLD, 1, &size_, &tasks);
    const Taken taken = time_together([&] {
      lapwing_distribution *source = distribution_of(which_.from, n_, rank_),
                           *target = distribution_of(which_.to, n_, rank_);
      lapwing_array_redistribute(a_.get(), static_cast<std::int64_t>(from_elements_), source, b_.get(),
                                 static_cast<std::int64_t>(to_elements_), target, tasks);
      lapwing_distribution_free(&source);
      lapwing_distribution_free(&target);
    });
    lapwing_tasks_free(&tasks);
    return taken;
  }
  Taken pdgemr2d() {
    return time_together([&] { scalapack_.move(n_, n_, a_.get(), from_, b_.get(), to_, all_); });
  }
  Taken copy() {
    return time_together(
        [&] { std::memcpy(b_.get(), a_.get(), std::min(from_elements_, to_elements_) * sizeof(double)); });
  }

  Taken strided() {
    return time_together([&] { strided_.copy(a_.get(), b_.get()); });
  }

  /// Both ways once more, into memory that holds something else: every element
  /// against pdgemr2d's, which is checked against what it must be.
  bool verify() {
    const std::size_t bytes = to_elements_ * sizeof(double);
    bool right = true;
    Memory reference = memory_of(to_elements_);
    if (scalapack_.there()) {
      pdgemr2d();
      std::memcpy(reference.get(), b_.get(), bytes);
      each(which_.to, n_, rank_,
           [&](std::size_t at, int i, int j) { right = right && reference.get()[at] == value_of(i, j); });
    } else {
      each(which_.to, n_, rank_, [&](std::size_t at, int i, int j) { reference.get()[at] = value_of(i, j); });
    }
    const std::function<void()> ways[] = {[&] { fresh(); }, [&] { persistent(); }};
    for (const auto& way : ways) {
      std::memset(b_.get(), 0xff, bytes);
      way();
      right = right && std::memcmp(reference.get(), b_.get(), bytes) == 0;
    }
    return all_agree(right);
  }

 private:
  const Case& which_;
  int n_;
  ScaLapack& scalapack_;
  int rank_, size_, all_ = -1;
  StridedCopy strided_;
  std::size_t from_elements_ = 0, to_elements_ = 0;
  Memory a_, b_;
  int from_[9] = {}, to_[9] = {};
  lapwing_tasks* tasks_ = nullptr;
  lapwing_array_request* persistent_ = nullptr;
};

bool measure(const Case& which, int n, const RedistributeOptions& options, ScaLapack& scalapack) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Contest contest(which, n, scalapack, rank, size);
  const bool verified = contest.verify();
  const double began = MPI_Wtime();
  std::vector<std::pair<std::string, std::function<Taken()>>> variants{
      {"fresh", [&] { return contest.fresh(); }},
      {"persistent", [&] { return contest.persistent(); }},
      {"memcpy", [&] { return contest.copy(); }},
      {"floor", [&] { return contest.strided(); }}};
  if (scalapack.there()) {
    variants.insert(variants.begin() + 1, {"pdgemr2d", [&] { return contest.pdgemr2d(); }});
    variants.push_back({"again", [&] { return contest.pdgemr2d(); }});
  }
  for (int round = 0; round < options.rounds; ++round) {
    JsonLine line;
    line.text("what", "transfer").text("case", which.name).integer("n", n).integer("ranks", size);
    line.integer("round", round).boolean("verified", verified);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const auto& [name, perform] = variants[(v + static_cast<std::size_t>(round)) % variants.size()];
      const Taken taken = perform();
      line.number(name + "_s", taken.seconds).number(name + "_cpu_s", taken.cpu);
    }
    if (rank == 0) line.print();
    // A median of fewer than five says little; one that everybody waits for says less.
    if (round >= 4 && worst_of_all(MPI_Wtime() - began) > options.seconds) break;
  }
  return verified;
}

}  // namespace

bool measure_transfers(const RedistributeOptions& options) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ScaLapack scalapack;
  if (!scalapack.there() && rank == 0)
    std::fprintf(
        stderr,
        "redistribute: there is no libscalapack-%s here; without pdgemr2d there is nothing to compare with\n",
        LAPWING_FLAVOUR);
  bool right = true;
  for (const std::string& words : options.sizes) {
    const int n = std::atoi(words.c_str());
    const std::vector<Case> cases = cases_of(size, n);
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const bool wanted = options.cases.empty() || std::find(options.cases.begin(), options.cases.end(),
                                                             std::to_string(c + 1)) != options.cases.end();
      if (wanted) right = measure(cases[c], n, options, scalapack) && right;
    }
  }
  return right;
}

}  // namespace lapwing::bench
