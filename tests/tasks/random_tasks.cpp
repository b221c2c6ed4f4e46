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
  Cells identity(const Cells& like) const { return Cells(like.size()); }
  void combine(Cells& into, const Cells& from) const {
    for (std::size_t i = 0; i < from.size(); ++i) into[i].ordered += from[i].ordered;
  }
};
struct SumAny {
  Cells identity(const Cells& like) const { return Cells(like.size()); }
  void combine(Cells& into, const Cells& from) const {
    for (std::size_t i = 0; i < from.size(); ++i) into[i].any += from[i].any;
  }
};

// Calls with the object or the part of it: parts in a row and strided ones are different types.
template <class Do>
void with_part(shared<Cells> x, const Part& p, Do act) {
  const auto first = static_cast<std::size_t>(p.first), count = static_cast<std::size_t>(p.count);
  if (p.whole()) {
    act(x);
  } else if (p.stride == 1) {
    act(part(x, first, count));
  } else {
    act(part(x, first, count, static_cast<std::size_t>(p.stride)));
  }
}

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
  Runner(int id, std::vector<shared<Cells>> objects) : id_(id), objects_(std::move(objects)) {}

  Result go() {
    objects_.resize(static_cast<std::size_t>(program->objects));
    alive_.assign(objects_.size(), 0);
    for (int i = 0; i < program->first_own; ++i) {
      make(i, Cells(width));
      alive_[static_cast<std::size_t>(i)] = 1;
    }
    Result result;
    result.seen = act(program->main);
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (alive_[i] == 0) continue;
      for (const Cell& cell : *read(objects_[i])) result.cells.push_back(cell);
    }
    return result;
  }

  // The body of a task.
  void operator()() { act(*nodes[static_cast<std::size_t>(id_)]); }
  template <class View>
  void operator()(View&& given) {
    const Use& use = nodes[static_cast<std::size_t>(id_)]->uses[0];
    with_part(object(use.object), use.part, [&](const auto& x) {
      const Cell* const own = use.mode == Mode::read    ? &(*read(x))[0]
                              : use.mode == Mode::write ? &(*write(x))[0]
                                                        : &(*read_write(x))[0];
      if (own != &given[0]) throw std::runtime_error("the body got another value than the task has");
    });
    (*this)();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive& id_& objects_;
  }

 private:
  shared<Cells> object(int i) const { return objects_[static_cast<std::size_t>(i)]; }
  void make(int i, const Cells& cells) {
    objects_[static_cast<std::size_t>(i)] = create_named<Cells>("o" + std::to_string(i), cells);
  }

  void declare(Access& a, const TaskNode& node) const {
    a.name("task", node.id);
    if (node.placed >= 0) a.on(node.placed % workers());
    for (const Use& use : node.uses) {
      const auto whole = object(use.object);
      with_part(whole, use.part, [&](const auto& x) {
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
            a.reduce(whole, SumOrdered{});
            break;
          case Mode::reduce_any:
            a.reduce(whole, SumAny{}, any_order);
            break;
        }
      });
    }
  }

  // A task with one plain access and nothing but that goes the short way.
  void start(const TaskNode& node) {
    const bool alone = node.uses.size() == 1 && !node.uses[0].deferred && node.placed < 0;
    if (alone && node.uses[0].mode <= Mode::commute) {
      const Use& use = node.uses[0];
      Runner body(node.id, objects_);
      const Label name = named("task", node.id);
      with_part(object(use.object), use.part, [&](const auto& x) {
        if (use.mode == Mode::read) spawn(body, read(x), name);
        if (use.mode == Mode::write) spawn(body, write(x), name);
        if (use.mode == Mode::read_write) spawn(body, read_write(x), name);
        if (use.mode == Mode::commute) spawn(body, commute(x), name);
      });
      return;
    }
    withonly([&](Access& a) { declare(a, node); }, Runner(node.id, objects_));
  }

  std::uint64_t act(const TaskNode& node) {
    std::uint64_t local = mix(static_cast<std::uint64_t>(node.id), 5);
    for (const Action& action : node.actions) {
      const bool free = std::count(node.free_order.begin(), node.free_order.end(), action.object) > 0;
      const shared<Cells> x = action.object < 0 ? shared<Cells>{} : object(action.object);
      switch (action.kind) {
        case Action::spawn:
          start(*action.child);
          break;
        case Action::touch:
          touch(x, action.part, action.mode, free, local);
          break;
        case Action::acquire:
          with_part(x, action.part, [&](const auto& what) {
            with_cont([&](Continue& c) {
              if (action.mode == Mode::read) c.rd(what);
              if (action.mode == Mode::write) c.wr(what);
              if (action.mode == Mode::read_write) c.rd_wr(what);
            });
          });
          break;
        case Action::release:
          with_part(x, action.part,
                    [](const auto& what) { with_cont([&](Continue& c) { c.no_more(what); }); });
          break;
        case Action::release_write:
          with_part(x, action.part, [](const auto& what) { with_cont([&](Continue& c) { c.no_wr(what); }); });
          break;
        case Action::create:
          make(action.object, made(action.object));
          if (&node == &program->main) alive_[static_cast<std::size_t>(action.object)] = true;
          break;
        case Action::destroy:
          destroy(x);
          if (&node == &program->main) alive_[static_cast<std::size_t>(action.object)] = false;
          break;
        case Action::work:
          work(action.amount);
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

  // Some of it waits outside of the library, where the worker goes to another task meanwhile.
  static void work(int amount) {
    const auto pass = [amount] {
      for (int i = 0; i < amount; ++i) asm volatile("");
    };
    if (amount % 3 == 0) {
      blocking(pass);
    } else {
      pass();
    }
  }

  static void touch(shared<Cells> whole, const Part& its, Mode mode, bool free, std::uint64_t& local) {
    if (!free && mode == Mode::reduce) return add_to_cells(*reduce(whole, SumOrdered{}), true, local);
    if (!free && mode == Mode::reduce_any) {
      return add_to_cells(*reduce(whole, SumAny{}, any_order), false, local);
    }
    with_part(whole, its, [&](const auto& x) {
      const auto at = [](int i) { return static_cast<std::size_t>(i); };
      const auto change = [&](auto&& cells, Mode how) {
        change_cells(its.size(), how, free, local, [&](int i) -> Cell& { return cells[at(i)]; });
      };
      if (free) return change(*read_write(x), mode);
      if (mode == Mode::read || mode == Mode::read_write) {
        const auto& cells = read(x);
        for (int i = 0; i < its.size(); ++i) local = (*cells)[at(i)].look(local);
      }
      if (mode == Mode::write) change(*write(x), mode);
      if (mode == Mode::read_write) change(*read_write(x), Mode::commute);
    });
  }

  int id_ = 0;
  std::vector<shared<Cells>> objects_;
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
