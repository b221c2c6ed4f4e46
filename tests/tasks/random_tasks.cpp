// SPDX-License-Identifier: Apache-2.0
// A random program in Lapwing's words. Compiled twice: for threads and ranks,
// and as the serial program.
#include <lapwing/tasks.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "random_program.hpp"

namespace random_program {

namespace {

using namespace lapwing::tasks;

struct SumOrdered {
  Cell identity(const Cell&) const { return {}; }
  void combine(Cell& into, const Cell& from) const { into.ordered += from.ordered; }
};
struct SumAny {
  Cell identity(const Cell&) const { return {}; }
  void combine(Cell& into, const Cell& from) const { into.any += from.any; }
};

// Every rank has the program; what travels is a task's number and its objects.
const Program* program = nullptr;
std::vector<const TaskNode*> nodes;

void number(const TaskNode& node) {
  const auto id = static_cast<std::size_t>(node.id);
  if (id >= nodes.size()) nodes.resize(id + 1);
  nodes[id] = &node;
  for (const Action& action : node.actions) {
    if (action.child != nullptr) number(*action.child);
  }
}

class Runner {
 public:
  Runner() = default;
  Runner(int id, std::vector<shared<Cell>> objects) : id_(id), objects_(std::move(objects)) {}

  Result go() {
    objects_.resize(static_cast<std::size_t>(program->objects));
    alive_.assign(objects_.size(), 0);
    for (int i = 0; i < program->first_own; ++i) {
      make(i, Cell{});
      alive_[static_cast<std::size_t>(i)] = 1;
    }
    Result result;
    result.seen = act(program->main);
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (alive_[i] != 0) result.cells.push_back(*read(objects_[i]));
    }
    return result;
  }

  // The body of a task.
  void operator()() { act(*nodes[static_cast<std::size_t>(id_)]); }
  void operator()(const Cell& given) {
    const Use& use = nodes[static_cast<std::size_t>(id_)]->uses[0];
    const auto x = object(use.object);
    const Cell* const own = use.mode == Mode::read    ? &*read(x)
                            : use.mode == Mode::write ? &*write(x)
                                                      : &*read_write(x);
    if (own != &given) throw std::runtime_error("the body got another value than the task has");
    (*this)();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive& id_& objects_;
  }

 private:
  shared<Cell> object(int i) const { return objects_[static_cast<std::size_t>(i)]; }
  void make(int i, const Cell& cell) {
    objects_[static_cast<std::size_t>(i)] = create_named<Cell>("o" + std::to_string(i), cell);
  }

  void declare(Access& a, const TaskNode& node) const {
    a.name("task", node.id);
    if (node.placed >= 0) a.on(node.placed % workers());
    for (const Use& use : node.uses) {
      const auto x = object(use.object);
      switch (use.mode) {
        case Mode::read:
          use.deferred ? a.df_rd(x) : a.rd(x);
          break;
        case Mode::write:
          use.deferred ? a.df_wr(x) : a.wr(x);
          break;
        case Mode::read_write:
          use.deferred ? a.df_rd_wr(x) : a.rd_wr(x);
          break;
        case Mode::commute:
          a.cm(x);
          break;
        case Mode::reduce:
          a.reduce(x, SumOrdered{});
          break;
        case Mode::reduce_any:
          a.reduce(x, SumAny{}, any_order);
          break;
      }
    }
  }

  // A task with one plain access and nothing but that goes the short way.
  void start(const TaskNode& node) {
    if (node.uses.size() == 1 && !node.uses[0].deferred && node.placed < 0) {
      const auto x = object(node.uses[0].object);
      Runner body(node.id, objects_);
      const Label name = named("task", node.id);
      switch (node.uses[0].mode) {
        case Mode::read:
          spawn(body, read(x), name);
          return;
        case Mode::write:
          spawn(body, write(x), name);
          return;
        case Mode::read_write:
          spawn(body, read_write(x), name);
          return;
        case Mode::commute:
          spawn(body, commute(x), name);
          return;
        default:
          break;
      }
    }
    withonly([&](Access& a) { declare(a, node); }, Runner(node.id, objects_));
  }

  std::uint64_t act(const TaskNode& node) {
    std::uint64_t local = mix(static_cast<std::uint64_t>(node.id), 5);
    for (const Action& action : node.actions) {
      const bool free = std::count(node.free_order.begin(), node.free_order.end(), action.object) > 0;
      const shared<Cell> x = action.object < 0 ? shared<Cell>{} : object(action.object);
      switch (action.kind) {
        case Action::spawn:
          start(*action.child);
          break;
        case Action::touch:
          touch(x, action.mode, free, local);
          break;
        case Action::acquire:
          with_cont([&](Continue& c) {
            if (action.mode == Mode::read) c.rd(x);
            if (action.mode == Mode::write) c.wr(x);
            if (action.mode == Mode::read_write) c.rd_wr(x);
          });
          break;
        case Action::release:
          with_cont([&](Continue& c) { c.no_more(x); });
          break;
        case Action::release_write:
          with_cont([&](Continue& c) { c.no_wr(x); });
          break;
        case Action::create:
          make(action.object, {static_cast<std::uint64_t>(action.object), 0.0, 0});
          if (&node == &program->main) alive_[static_cast<std::size_t>(action.object)] = true;
          break;
        case Action::destroy:
          destroy(x);
          if (&node == &program->main) alive_[static_cast<std::size_t>(action.object)] = false;
          break;
        case Action::work:
          for (int i = 0; i < action.amount; ++i) asm volatile("");
          break;
        case Action::wait_all:
          finish();
          break;
        case Action::fail:
          throw std::runtime_error("failed");
      }
    }
    return local;
  }

  static void touch(shared<Cell> x, Mode mode, bool free, std::uint64_t& local) {
    if (mode == Mode::reduce) {
      reduce(x, SumOrdered{})->add_ordered(local);
    } else if (mode == Mode::reduce_any) {
      reduce(x, SumAny{}, any_order)->add_any(local);
    } else if (free) {
      read_write(x)->add_any(local);
    } else {
      if (mode == Mode::read || mode == Mode::read_write) local = read(x)->look(local);
      if (mode == Mode::write) write(x)->write(local);
      if (mode == Mode::read_write) read_write(x)->change(local);
    }
  }

  int id_ = 0;
  std::vector<shared<Cell>> objects_;
  std::vector<char> alive_;  // to the main program
};

}  // namespace

Result run_tasks(const Program& its, const Options& options) {
  program = &its;
  nodes.clear();
  number(its.main);
  Result result;
  try {
    run(options, [&] { result = Runner().go(); });
  } catch (const TaskError& error) {
    result = {};
    const std::string& name = error.task();  // task 'task(12)' ...
    const auto open = name.find('(');
    if (std::getenv("SHOW") != nullptr) std::puts(error.what());
    result.failed = open == std::string::npos ? -2 : std::atoi(name.c_str() + open + 1);
  }
  return result;
}

}  // namespace random_program
