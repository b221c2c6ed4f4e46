// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <random>

#include "random_program.hpp"

namespace random_program {

namespace {

struct Right {
  Mode mode;
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
    std::map<int, Right> rights;
    for (int i = 0; i < objects; ++i) rights[i] = {Mode::read_write};
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

  void fill(TaskNode& task, std::map<int, Right> rights, std::vector<int> free_order, int depth, int length) {
    task.free_order = free_order;
    const int actions = depth == 0 ? length : 1 + below(6);
    for (int i = 0; i < actions; ++i) {
      Action action;
      const int what = below(100);
      std::vector<int> usable;
      for (const auto& [object, right] : rights) {
        if (!right.gone) usable.push_back(object);
      }
      const int object =
          usable.empty() ? -1 : usable[static_cast<std::size_t>(below(static_cast<int>(usable.size())))];
      const int spawns = depth == 0 ? 80 : 40;
      if (what < spawns && depth <= deepest_ && program_.tasks < most_) {
        action.kind = Action::spawn;
        action.child = child(rights, free_order, depth);
      } else if (what < 88 && object >= 0) {
        Right& right = rights[object];
        if (right.deferred) {
          action.kind = Action::acquire;
          action.object = object;
          action.mode = right.mode;
          right.deferred = false;
        } else if (depth > 0 && chance(25)) {
          action.object = object;
          if (right.mode == Mode::read_write && chance(50) && !in(free_order, object)) {
            action.kind = Action::release_write;
            right.mode = Mode::read;
          } else {
            action.kind = Action::release;
            right.gone = true;
          }
        } else {
          action.kind = Action::touch;
          action.object = object;
          action.mode = right.mode == Mode::read_write && chance(40) ? Mode::read : right.mode;
          if (right.mode == Mode::read_write && chance(10)) action.mode = Mode::write;
        }
      } else if (what < 92) {
        action.kind = Action::create;
        action.object = program_.objects++;
        rights[action.object] = {Mode::read_write};
      } else if (what < 97 && object >= 0 && rights[object].mode == Mode::read_write &&
                 !rights[object].deferred && (depth == 0 || owned(object, task)) && !in(free_order, object)) {
        action.kind = Action::destroy;
        action.object = object;
        rights[object].gone = true;
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

  std::unique_ptr<TaskNode> child(const std::map<int, Right>& rights, std::vector<int> free_order,
                                  int depth) {
    auto made = std::make_unique<TaskNode>();
    made->id = ++program_.tasks;
    made->placed = chance(15) ? below(64) : -1;
    made->section = true;
    std::map<int, Right> own;
    const int wanted = below(4);
    std::vector<int> candidates;
    for (const auto& [object, right] : rights) {
      if (!right.gone) candidates.push_back(object);
    }
    std::shuffle(candidates.begin(), candidates.end(), random_);
    const bool may_defer = chance(30);
    for (const int object : candidates) {
      if (static_cast<int>(own.size()) > wanted) break;
      Right right{Mode::read};
      if (!child_mode(rights.at(object).mode, right.mode)) continue;
      if (in(free_order, object) && right.mode != Mode::commute && right.mode != Mode::read_write) {
        right.mode = Mode::read_write;
      }
      right.deferred = may_defer && chance(60) && right.mode <= Mode::read_write;
      own[object] = right;
      made->uses.push_back({object, right.mode, right.deferred});
      if (right.mode == Mode::commute && !in(free_order, object)) free_order.push_back(object);
    }
    // An update that commutes must leave nothing behind that tells its turn:
    // other objects that it changes get sums only if they are read before.
    fill(*made, own, free_order, depth + 1, 0);
    return made;
  }

  std::mt19937_64 random_;
  Program program_;
  int most_ = 0, deepest_ = 0;
  std::map<const TaskNode*, std::vector<int>> task_objects_;
};

}  // namespace

Program generate(std::uint64_t seed) { return Generator(seed * 7919 + 13).make(); }

}  // namespace random_program
