// SPDX-License-Identifier: Apache-2.0
// The meaning of a program: each task where it is spawned, one after the other.
#include <algorithm>

#include "random_program.hpp"

namespace random_program {

namespace {

struct Failed {
  int task;
};

class Interpreter {
 public:
  explicit Interpreter(const Program& program) : program_(program) {
    cells_.resize(static_cast<std::size_t>(program.objects));
    alive_.assign(cells_.size(), false);
    for (int i = 0; i < program.first_own; ++i) alive_[static_cast<std::size_t>(i)] = true;
  }

  Result run() {
    Result result;
    try {
      result.seen = task(program_.main);
    } catch (const Failed& failed) {
      result.failed = failed.task;
      return result;
    }
    for (const Action& action : program_.main.actions) {
      if (action.kind == Action::create) mains_.push_back(action.object);
    }
    for (int i = 0; i < program_.objects; ++i) {
      const bool main_has = i < program_.first_own || std::count(mains_.begin(), mains_.end(), i) > 0;
      if (main_has && alive_[static_cast<std::size_t>(i)])
        result.cells.push_back(cells_[static_cast<std::size_t>(i)]);
    }
    return result;
  }

 private:
  std::uint64_t task(const TaskNode& node) {
    std::uint64_t local = mix(static_cast<std::uint64_t>(node.id), 5);
    std::vector<std::pair<int, double>> parts;
    const auto part_of = [&](int object) -> double& {
      for (auto& [each, part] : parts) {
        if (each == object) return part;
      }
      return parts.emplace_back(object, 0.0).second;
    };
    for (const Action& action : node.actions) {
      const bool free = std::count(node.free_order.begin(), node.free_order.end(), action.object) > 0;
      Cell* const cell = action.object < 0 ? nullptr : &cells_[static_cast<std::size_t>(action.object)];
      switch (action.kind) {
        case Action::spawn:
          task(*action.child);
          break;
        case Action::touch:
          if (free) {
            cell->add_any(local);
          } else if (action.mode == Mode::reduce || action.mode == Mode::reduce_any) {
            Cell part;
            if (action.mode == Mode::reduce_any) {
              cell->add_any(local);
            } else {
              part.ordered = part_of(action.object);
              part.add_ordered(local);
              part_of(action.object) = part.ordered;
            }
          } else {
            if (action.mode == Mode::read || action.mode == Mode::read_write) local = cell->look(local);
            if (action.mode == Mode::write) cell->write(local);
            if (action.mode == Mode::read_write) cell->change(local);
          }
          break;
        case Action::release:
          for (auto part = parts.begin(); part != parts.end(); ++part) {
            if (part->first != action.object) continue;
            cells_[static_cast<std::size_t>(part->first)].ordered += part->second;
            parts.erase(part);
            break;
          }
          break;
        case Action::create:
          *cell = {static_cast<std::uint64_t>(action.object), 0.0, 0};
          alive_[static_cast<std::size_t>(action.object)] = true;
          break;
        case Action::destroy:
          alive_[static_cast<std::size_t>(action.object)] = false;
          break;
        case Action::fail:
          throw Failed{node.id};
        default:
          break;
      }
    }
    for (const auto& [object, part] : parts) cells_[static_cast<std::size_t>(object)].ordered += part;
    return local;
  }

  const Program& program_;
  std::vector<Cell> cells_;
  std::vector<bool> alive_;
  std::vector<int> mains_;
};

}  // namespace

Result interpret(const Program& program) { return Interpreter(program).run(); }

}  // namespace random_program
