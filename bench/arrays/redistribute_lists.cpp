// SPDX-License-Identifier: Apache-2.0
// Vectors of n doubles by index lists that describe block and cyclic distributions: against the closed form
// of the same transfer, and against index arrays, packed by hand, with MPI_Alltoallv. Both persistent.
#include <cstdlib>
#include <functional>
#include <memory>

#include "arrays/redistribute.hpp"
#include "lapwing/arrays.h"

namespace lapwing::bench {
namespace {

using Doubles = std::vector<double>;
using Indices = std::vector<std::int64_t>;

/// The owner of each index: as CYCLIC(block), or without a pattern.
struct Dealt {
  std::int64_t block;  ///< 0: no pattern
  int processes;
  [[nodiscard]] int owner(std::int64_t i) const {
    if (block > 0) return static_cast<int>(i / block % processes);
    const std::uint64_t mixed = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15U;
    return static_cast<int>((mixed >> 33) % static_cast<std::uint64_t>(processes));
  }
  [[nodiscard]] Indices list(std::int64_t n, int rank) const {
    Indices mine;
    for (std::int64_t i = 0; i < n; ++i)
      if (owner(i) == rank) mine.push_back(i);
    return mine;
  }
};

struct ListCase {
  std::string name;
  Dealt from, to;
};

std::vector<ListCase> cases_of_lists(int size, std::int64_t n) {
  const std::int64_t part = (n + size - 1) / size;
  return {{"block -> cyclic(1)", {part, size}, {1, size}},
          {"cyclic(64) -> block", {64, size}, {part, size}},
          {"cyclic(3) -> cyclic(5)", {3, size}, {5, size}},
          {"block -> no pattern", {part, size}, {0, size}}};
}

/// Index arrays, a packed buffer for each direction, and MPI_Alltoallv.
class ListsByHand {
 public:
  ListsByHand(const ListCase& which, std::int64_t n, int rank, int size, const Doubles& a, Doubles& b)
      : a_(a), b_(b), counts_(4, std::vector<int>(static_cast<std::size_t>(size), 0)) {
    std::vector<std::vector<int>> out(static_cast<std::size_t>(size)), in(out.size());
    int from = 0, to = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const int sender = which.from.owner(i), receiver = which.to.owner(i);
      if (sender == rank) out[static_cast<std::size_t>(receiver)].push_back(from++);
      if (receiver == rank) in[static_cast<std::size_t>(sender)].push_back(to++);
    }
    for (std::size_t p = 0; p < out.size(); ++p) {
      counts_[0][p] = static_cast<int>(out[p].size());
      counts_[1][p] = static_cast<int>(gather_.size());
      gather_.insert(gather_.end(), out[p].begin(), out[p].end());
      counts_[2][p] = static_cast<int>(in[p].size());
      counts_[3][p] = static_cast<int>(scatter_.size());
      scatter_.insert(scatter_.end(), in[p].begin(), in[p].end());
    }
    out_.resize(gather_.size());
    in_.resize(scatter_.size());
  }

  void exchange() {
    for (std::size_t k = 0; k < gather_.size(); ++k) out_[k] = a_[static_cast<std::size_t>(gather_[k])];
    MPI_Alltoallv(out_.data(), counts_[0].data(), counts_[1].data(), MPI_DOUBLE, in_.data(),
                  counts_[2].data(), counts_[3].data(), MPI_DOUBLE, MPI_COMM_WORLD);
    for (std::size_t k = 0; k < scatter_.size(); ++k) b_[static_cast<std::size_t>(scatter_[k])] = in_[k];
  }

 private:
  const Doubles& a_;
  Doubles& b_;
  std::vector<std::vector<int>> counts_;
  std::vector<int> gather_, scatter_;
  Doubles out_, in_;
};

/// One side of a transfer, as lists or in closed form.
class Vector {
 public:
  Vector(const Dealt& dealt, std::int64_t n, const Indices* list, lapwing_tasks* tasks) {
    lapwing_dimension dimension = lapwing_cyclic(n, dealt.block > 0 ? dealt.block : 1, 0);
    if (list) {
      lapwing_index_lists_create(n, list->data(), static_cast<std::int64_t>(list->size()), nullptr, 0, tasks,
                                 &lists_);
      dimension = lapwing_indexed(lists_, 0);
    }
    const lapwing_grid grid{1, &dealt.processes, LAPWING_ROW_MAJOR, nullptr};
    lapwing_distribution_create(LAPWING_FLOAT64, 1, &dimension, &grid, LAPWING_ROW_MAJOR, nullptr, &made_);
  }
  ~Vector() {
    lapwing_distribution_free(&made_);
    lapwing_index_lists_free(&lists_);
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  [[nodiscard]] const lapwing_distribution* get() const { return made_; }

 private:
  lapwing_index_lists* lists_ = nullptr;
  lapwing_distribution* made_ = nullptr;
};

class Persistent {
 public:
  Persistent(const Vector& from, const Vector& to, Doubles& a, Doubles& b, lapwing_tasks* tasks) {
    lapwing_array_redistribute_init(a.data(), static_cast<std::int64_t>(a.size()), from.get(), b.data(),
                                    static_cast<std::int64_t>(b.size()), to.get(), tasks, &request_);
    move();  // what the first start does once
  }
  ~Persistent() { lapwing_array_request_free(&request_); }
  Persistent(const Persistent&) = delete;
  Persistent& operator=(const Persistent&) = delete;
  void move() {
    lapwing_array_start(request_);
    lapwing_array_wait(&request_, nullptr);
  }

 private:
  lapwing_array_request* request_ = nullptr;
};

bool measure(const ListCase& which, std::int64_t n, const RedistributeOptions& options) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const Indices mine = which.from.list(n, rank), wanted = which.to.list(n, rank);
  Doubles a(mine.begin(), mine.end()), b(wanted.size(), -1);
  const Doubles right(wanted.begin(), wanted.end());
  lapwing_tasks* tasks = nullptr;
  lapwing_tasks_of_sizes(MPI_COMM_WORLD, 1, &size, &tasks);
  bool verified = true;
  {
    ListsByHand hand(which, n, rank, size, a, b);
    const bool closed_form = which.to.block > 0;
    Vector closed_from(which.from, n, nullptr, tasks), closed_to(which.to, n, nullptr, tasks);
    Vector from(which.from, n, &mine, tasks), to(which.to, n, &wanted, tasks);
    std::unique_ptr<Persistent> closed, lists;
    if (closed_form) closed = std::make_unique<Persistent>(closed_from, closed_to, a, b, tasks);
    std::fill(b.begin(), b.end(), -1);
    lists = std::make_unique<Persistent>(from, to, a, b, tasks);
    verified = b == right;
    std::fill(b.begin(), b.end(), -1);
    hand.exchange();
    verified = all_agree(verified && b == right);

    std::vector<std::pair<std::string, std::function<void()>>> variants{{"lists", [&] { lists->move(); }},
                                                                        {"hand", [&] { hand.exchange(); }},
                                                                        {"again", [&] { hand.exchange(); }}};
    if (closed_form) variants.insert(variants.begin(), {"closed", [&] { closed->move(); }});
    // Lists, distributions and a transfer, with nothing kept from before.
    const auto fresh = [&] {
      Vector new_from(which.from, n, &mine, tasks), new_to(which.to, n, &wanted, tasks);
      lapwing_array_redistribute(a.data(), static_cast<std::int64_t>(a.size()), new_from.get(), b.data(),
                                 static_cast<std::int64_t>(b.size()), new_to.get(), tasks);
    };
    const double began = MPI_Wtime();
    for (int round = 0; round < options.rounds; ++round) {
      JsonLine line;
      line.text("what", "lists").text("case", which.name).integer("n", n).integer("ranks", size);
      line.integer("round", round).boolean("verified", verified);
      // Backwards every other time: behind an exchange by hand, whose memory lies elsewhere, each is a
      // seventh faster than behind the other one.
      for (std::size_t v = 0; v < variants.size(); ++v) {
        const std::size_t turn = round % 2 == 0 ? v : variants.size() - 1 - v;
        const auto& [name, perform] =
            variants[(turn + static_cast<std::size_t>(round / 2)) % variants.size()];
        line.number(name + "_s", time_together(perform).seconds);
      }
      if (round < 3) line.number("fresh_s", time_together(fresh).seconds);
      if (rank == 0) line.print();
      if (round >= 4 && worst_of_all(MPI_Wtime() - began) > options.seconds) break;
    }
  }
  lapwing_tasks_free(&tasks);
  return verified;
}

}  // namespace

bool measure_lists(const RedistributeOptions& options) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bool right = true;
  for (const std::string& words : options.sizes) {
    const std::int64_t n = std::max<std::int64_t>(1, std::atoll(words.c_str()));
    for (const ListCase& which : cases_of_lists(size, n)) right = measure(which, n, options) && right;
  }
  return right;
}

}  // namespace lapwing::bench
