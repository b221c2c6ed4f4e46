// SPDX-License-Identifier: Apache-2.0
// Random task programs. One is a tree of tasks with accesses, and what each
// does in order. It is run by a plain interpreter, which is its meaning, and by
// Lapwing.
#pragma once

#include <lapwing/tasks/options.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace random_program {

enum class Mode : std::uint8_t { read, write, read_write, commute, reduce, reduce_any };

constexpr int width = 6;  // cells of an object

/// Cells of an object: `count` from `first` on, a stride apart; none: all of it, which is another
/// declaration than that of a part with all cells.
struct Part {
  int first = 0, count = 0, stride = 1;
  bool whole() const { return count == 0; }
  int size() const { return whole() ? width : count; }
  std::size_t cell(int i) const { return static_cast<std::size_t>(first + i * stride); }
  friend bool operator==(const Part&, const Part&) = default;
};

struct Use {
  int object;
  Mode mode;
  bool deferred = false;
  Part part = {};
};

struct TaskNode;

struct Action {
  enum Kind { spawn, touch, acquire, release, release_write, create, destroy, work, wait_all, fail } kind;
  int object = -1;
  Mode mode = Mode::read;
  Part part = {};
  int amount = 0;  // of work, in turns of a loop
  std::unique_ptr<TaskNode> child;
};

struct TaskNode {
  int id = 0;
  std::vector<Use> uses;
  // Objects whose changes others may make in another order: only sums may be made.
  std::vector<int> free_order;
  std::vector<Action> actions;
  int placed = -1;
  bool section = false;  // by withonly() rather than spawn()
};

struct Program {
  int objects = 0;    // with those that tasks create
  int first_own = 0;  // the main program's come first
  TaskNode main;
  int tasks = 0;
  bool fails = false;
};

Program generate(std::uint64_t seed);

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdULL;
  return a ^ (a >> 33);
}

/// What an object holds: a history, a sum whose bits tell the order, a sum that
/// does not.
struct Cell {
  std::uint64_t history = 0;
  double ordered = 0;
  std::uint64_t any = 0;

  void write(std::uint64_t local) { *this = {mix(local, 17), 0.0, 0}; }
  void change(std::uint64_t local) { history = mix(history, local); }
  void add_any(std::uint64_t local) { any += mix(local, 23); }
  void add_ordered(std::uint64_t local) {
    // Any two of these added in another order round in another way.
    ordered += std::ldexp(static_cast<double>(local >> 11), static_cast<int>(local % 40) - 60);
  }
  std::uint64_t look(std::uint64_t local) const {
    return mix(mix(local, history), mix(std::bit_cast<std::uint64_t>(ordered), any));
  }
  friend bool operator==(const Cell&, const Cell&) = default;
};

using Cells = std::vector<Cell>;

/// The value of an object that a task creates.
inline Cells made(int object) { return Cells(width, Cell{static_cast<std::uint64_t>(object), 0.0, 0}); }

/// The act of a task on cells that it has, but for reductions: cell(i) is one of them.
template <class CellAt>
void change_cells(int cells, Mode mode, bool free, std::uint64_t& local, CellAt cell) {
  const bool looks = !free && (mode == Mode::read || mode == Mode::read_write);
  for (int i = 0; looks && i < cells; ++i) local = cell(i).look(local);
  if (mode == Mode::read && !free) return;
  for (int i = 0; i < cells; ++i) {
    const std::uint64_t own = mix(local, static_cast<std::uint64_t>(i));
    if (free) {
      cell(i).add_any(own);
    } else if (mode == Mode::write) {
      cell(i).write(own);
    } else {
      cell(i).change(own);
    }
  }
}
/// Its part of a reduction.
inline void add_to_cells(Cells& cells, bool ordered, std::uint64_t local) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    ordered ? cells[i].add_ordered(mix(local, i)) : cells[i].add_any(mix(local, i));
  }
}

struct Result {
  std::vector<Cell> cells;  // of the objects that are left in the main program
  std::uint64_t seen = 0;   // by the main program
  int failed = -1;          // the task whose exception came out
  friend bool operator==(const Result&, const Result&) = default;
};

/// What the program means.
Result interpret(const Program& program);
/// What Lapwing makes of it.
Result run_tasks(const Program& program, const lapwing::tasks::Options& options);

}  // namespace random_program
