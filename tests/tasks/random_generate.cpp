// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <random>

#include "random_program.hpp"

namespace random_program {

namespace {

struct Right {
  int object;
  Mode mode;
  Part part = {};
  bool deferred = false;
  bool gone = false;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Program make() {
    const int objects = 1 + below(6);
    program_.first_own = program_.objects = objects;
    most_ = 5 + below(chance(20) ? 400 : 60);
    deepest_ = 1 + below(4);
    program_.fails = chance(12);
    parts_ = chance(60) ? below(100) : 0;
    std::vector<Right> rights;
    for (int i = 0; i < objects; ++i) rights.push_back({i, Mode::read_write});
    program_.main.id = 0;
    fill(program_.main, rights, {}, 0, most_);
    return std::move(program_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return below(100) < percent; }

  // What a child may declare of what its parent has.
  bool child_mode(Mode parent, Mode& mode) {
    switch (parent) {
      case Mode::read:
      case Mode::reduce:
      case Mode::reduce_any:
        mode = parent;
        return true;
      case Mode::write:
        mode = Mode::write;
        return true;
      default:
        break;
    }
    constexpr Mode all[] = {Mode::read,       Mode::read,    Mode::write,  Mode::read_write,
                            Mode::read_write, Mode::commute, Mode::reduce, Mode::reduce_any};
    mode = all[below(8)];
    return true;
  }

  // Some of the cells of a part, now and then; reductions and updates that commute are of whole objects.
  Part some_of(const Part& of, int percent) {
    if (!chance(percent)) return of;
    const int size = of.size(), from = below(size), step = chance(25) ? 2 : 1;
    const int most = (size - from + step - 1) / step;
    Part part{static_cast<int>(of.cell(from)), 1 + below(most), of.stride * step};
    if (part.count == 1) part.stride = 1;
    return part;
  }

  void fill(TaskNode& task, std::vector<Right> rights, std::vector<int> free_order, int depth, int length) {
    task.free_order = free_order;
    const int actions = depth == 0 ? length : 1 + below(6);
    for (int i = 0; i < actions; ++i) {
      Action action;
      const int what = below(100);
      std::vector<std::size_t> usable;
      for (std::size_t r = 0; r < rights.size(); ++r) {
        if (!rights[r].gone) usable.push_back(r);
      }
      const std::size_t chosen =
          usable.empty() ? 0 : usable[static_cast<std::size_t>(below(static_cast<int>(usable.size())))];
      const int object = usable.empty() ? -1 : rights[chosen].object;
      const int spawns = depth == 0 ? 80 : 40;
      if (what < spawns && depth <= deepest_ && program_.tasks < most_) {
        action.kind = Action::spawn;
        action.child = child(rights, free_order, depth);
      } else if (what < 88 && object >= 0) {
        Right& right = rights[chosen];
        action.object = object;
        action.part = right.part;
        if (right.deferred) {
          action.kind = Action::acquire;
          action.mode = right.mode;
          right.deferred = false;
        } else if (depth > 0 && chance(25)) {
          if (right.mode == Mode::read_write && chance(50) && !in(free_order, object)) {
            action.kind = Action::release_write;
            right.mode = Mode::read;
          } else {
            action.kind = Action::release;
            right.gone = true;
          }
        } else {
          action.kind = Action::touch;
          action.mode = right.mode == Mode::read_write && chance(40) ? Mode::read : right.mode;
          if (right.mode == Mode::read_write && chance(10)) action.mode = Mode::write;
          if (right.mode <= Mode::read_write) action.part = some_of(right.part, parts_);
        }
      } else if (what < 92) {
        action.kind = Action::create;
        action.object = program_.objects++;
        rights.push_back({action.object, Mode::read_write});
      } else if (what < 97 && object >= 0 && rights[chosen].mode == Mode::read_write &&
                 rights[chosen].part.whole() && !rights[chosen].deferred &&
                 (depth == 0 || owned(object, task)) && !in(free_order, object)) {
        action.kind = Action::destroy;
        action.object = object;
        rights[chosen].gone = true;
      } else if (depth == 0 && what == 98) {
        action.kind = Action::wait_all;
      } else if (program_.fails && chance(30) && depth > 0) {
        action.kind = Action::fail;
      } else {
        action.kind = Action::work;
        action.amount = below(chance(5) ? 20000 : 300);
      }
      if (action.kind == Action::create) task_objects_[&task].push_back(action.object);
      task.actions.push_back(std::move(action));
    }
  }

  static bool in(const std::vector<int>& list, int object) {
    return std::find(list.begin(), list.end(), object) != list.end();
  }
  bool owned(int object, const TaskNode& task) { return in(task_objects_[&task], object); }

  std::unique_ptr<TaskNode> child(const std::vector<Right>& rights, std::vector<int> free_order, int depth) {
    auto made = std::make_unique<TaskNode>();
    made->id = ++program_.tasks;
    made->placed = chance(15) ? below(64) : -1;
    made->section = true;
    std::vector<Right> own;
    const int wanted = below(4);
    std::vector<Right> candidates;
    for (const Right& right : rights) {
      if (right.gone) continue;
      candidates.push_back(right);
      if (chance(parts_ / 2)) candidates.push_back(right);
    }
    std::shuffle(candidates.begin(), candidates.end(), random_);
    const bool may_defer = chance(30);
    for (const Right& parents : candidates) {
      if (static_cast<int>(own.size()) > wanted) break;
      Right right{parents.object, Mode::read};
      if (!child_mode(parents.mode, right.mode)) continue;
      right.part = some_of(parents.part, parts_);
      const bool free = in(free_order, right.object);
      if (free && right.mode != Mode::commute && right.mode != Mode::read_write)
        right.mode = Mode::read_write;
      if (right.mode > Mode::read_write) {
        if (!parents.part.whole()) right.mode = Mode::read_write;
        right.part = parents.part;
      }
      if (!fits(own, right)) continue;
      right.deferred = may_defer && chance(60) && right.mode <= Mode::read_write;
      own.push_back(right);
      made->uses.push_back({right.object, right.mode, right.deferred, right.part});
      if (right.mode == Mode::commute && !in(free_order, right.object)) free_order.push_back(right.object);
    }
    // An update that commutes must leave nothing behind that tells its turn:
    // other objects that it changes get sums only if they are read before.
    fill(*made, own, free_order, depth + 1, 0);
    return made;
  }

  // A task declares an object once, or different parts of it.
  static bool fits(const std::vector<Right>& own, const Right& more) {
    return std::none_of(own.begin(), own.end(), [&](const Right& one) {
      return one.object == more.object && (one.part.whole() || more.part.whole() || one.part == more.part);
    });
  }

  std::mt19937_64 random_;
  int parts_ = 0;  // percent
  Program program_;
  int most_ = 0, deepest_ = 0;
  std::map<const TaskNode*, std::vector<int>> task_objects_;
};

}  // namespace

Program generate(std::uint64_t seed) { return Generator(seed * 7919 + 13).make(); }

}  // namespace random_program
