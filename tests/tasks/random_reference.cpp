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
    cells_.assign(static_cast<std::size_t>(program.objects), Cells(width));
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
        for (const Cell& cell : cells_[static_cast<std::size_t>(i)]) result.cells.push_back(cell);
    }
    return result;
  }

 private:
  std::uint64_t task(const TaskNode& node) {
    std::uint64_t local = mix(static_cast<std::uint64_t>(node.id), 5);
    std::vector<std::pair<int, Cells>> parts;
    const auto part_of = [&](int object) -> Cells& {
      for (auto& [each, part] : parts) {
        if (each == object) return part;
      }
      return parts.emplace_back(object, Cells(width)).second;
    };
    for (const Action& action : node.actions) {
      const bool free = std::count(node.free_order.begin(), node.free_order.end(), action.object) > 0;
      Cells* const cells = action.object < 0 ? nullptr : &cells_[static_cast<std::size_t>(action.object)];
      switch (action.kind) {
        case Action::spawn:
          task(*action.child);
          break;
        case Action::touch:
          if (!free && (action.mode == Mode::reduce || action.mode == Mode::reduce_any)) {
            const bool ordered = action.mode == Mode::reduce;
            add_to_cells(ordered ? part_of(action.object) : *cells, ordered, local);
          } else {
            change_cells(action.part.size(), action.mode, free, local,
                         [&](int i) -> Cell& { return (*cells)[action.part.cell(i)]; });
          }
          break;
        case Action::release:
          for (auto part = parts.begin(); part != parts.end(); ++part) {
            if (part->first != action.object) continue;
            add(part->first, part->second);
            parts.erase(part);
            break;
          }
          break;
        case Action::create:
          *cells = made(action.object);
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
    for (const auto& [object, part] : parts) add(object, part);
    return local;
  }

  void add(int object, const Cells& part) {
    Cells& into = cells_[static_cast<std::size_t>(object)];
    for (std::size_t i = 0; i < part.size(); ++i) into[i].ordered += part[i].ordered;
  }

  const Program& program_;
  std::vector<Cells> cells_;
  std::vector<bool> alive_;
  std::vector<int> mains_;
};

}  // namespace

Result interpret(const Program& program) { return Interpreter(program).run(); }

}  // namespace random_program
