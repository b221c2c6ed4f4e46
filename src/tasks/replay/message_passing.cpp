// SPDX-License-Identifier: Apache-2.0
// Processors that exchange messages: the central scheduler of Jade 3.4 and its
// communicator. Which processor gets a task, where an object is and when it is
// broadcast is decided by the classes that ranks use (tasks/ranks).
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "tasks/ranks/balance.hpp"
#include "tasks/ranks/broadcast.hpp"
#include "tasks/replay/simulation.hpp"

namespace lapwing::tasks::replay {

namespace {

constexpr double small_message = 64;  // bytes

class MessagePassing : public Simulation {
 public:
  MessagePassing(const Program& of, const Machine& on, const Rules& by)
      : Simulation(of, on, by),
        central_(by.processors, by.target, by.locality),
        broadcast_(of.objects.size()),
        transit_(of.objects.size()),
        runnable_(static_cast<std::size_t>(by.processors)) {}

 private:
  // A copy on its way to a processor, and who waits for it.
  struct Transit {
    bool here = true;
    std::uint64_t serial = 0;
    std::vector<Clock::Action> waiting;
  };

  double sending(double size) const { return machine.overhead + size * machine.per_byte; }
  Transit& transit(int object, int p) { return transit_[static_cast<std::size_t>(object)][p]; }

  void message(int from, int to, double size, double at_receiver, Clock::Action effect) {
    ++now.messages;
    cpu(from).interrupt(sending(size), [this, to, at_receiver, effect = std::move(effect)]() mutable {
      clock.at(clock.now() + machine.latency, [this, to, at_receiver, effect = std::move(effect)]() mutable {
        cpu(to).interrupt(at_receiver, std::move(effect));
      });
    });
  }

  // --- scheduling, on the main processor ---
  void schedule(int task) override {
    Running& state = running(task);
    if (state.started) {  // it has waited inside, and its processor has had others
      central_.keep(state.at);
      return resume(task);
    }
    const int object = locality(recorded(task));
    const bool fixed = placed(task) && object >= 0;
    if (object >= 0) state.target = copies(object).owner();
    const int wish = fixed ? home(object) : rules.locality ? state.target : -1;
    const int at = central_.enabled(static_cast<std::uint64_t>(task), wish, fixed);
    if (at >= 0) assign(task, at);
  }

  void assign(int task, int p) {
    Running& state = running(task);
    state.started = true;
    state.at = p;
    if (state.target >= 0) {
      ++now.targeted;
      if (state.target == p) ++now.on_target;
    }
    if (p == 0) return fetch_for(task);
    cpu(0).interrupt(machine.assign, [this, task, p] {
      message(0, p, small_message, machine.accept, [this, task] { fetch_for(task); });
    });
  }

  void finished(int task) override {
    const int p = running(task).at;
    for (const Use& use : recorded(task).uses) {
      if ((use.rights & detail::writes) != 0) produced(use.object, p);
    }
    if (p == 0) {
      after(task, p);
    } else {
      message(p, 0, small_message, machine.completion, [this, task, p] { after(task, p); });
    }
    serve(p);
  }

  void after(int task, int p) {
    // The pool is looked at when the end has let others run, so the processor still counts as busy for them;
    // or before, and they may be for this processor.
    if (!rules.eager) next_for(p);
    ended(task);
    if (rules.eager) next_for(p);
  }

  void next_for(int p) {
    if (const auto next = central_.ended(p)) assign(static_cast<int>(next->task), p);
  }

  // --- objects ---
  // Calls `then` when processor p has the object; true if it is asked for.
  bool get(int object, std::uint8_t rights, int p, Clock::Action then) {
    const ranks::CopyRules how{rules.replicate, 0};
    ranks::Copies& where = copies(object);
    Transit& way = transit(object, p);
    if (rights == detail::writes) {  // no task looks at the old value
      where.replace(p);
      way = Transit{};
      then();
      return false;
    }
    broadcast_[static_cast<std::size_t>(object)].accessed(p, rules.broadcast ? rules.processors : 1);
    const auto move = (rights & detail::writes) != 0 ? where.write(p, how) : where.read(p, how);
    if (!move) {
      if (way.here) {
        then();
      } else {
        way.waiting.push_back(std::move(then));
      }
      return false;
    }
    way.here = false;
    way.waiting.clear();
    const std::uint64_t serial = ++way.serial;
    const double asked = clock.now();
    message(p, move->from, small_message, machine.overhead,
            [this, object, p, serial, asked, from = move->from, then = std::move(then)]() mutable {
              ++now.object_messages;
              now.object_bytes += bytes(object);
              message(from, p, bytes(object), machine.overhead,
                      [this, object, p, serial, asked, then = std::move(then)] {
                        now.object_latency += clock.now() - asked;
                        arrived(object, p, serial);
                        then();
                      });
            });
    return true;
  }

  void arrived(int object, int p, std::uint64_t serial) {
    Transit& way = transit(object, p);
    if (way.serial != serial) return;
    way.here = true;
    for (auto& waiting : std::exchange(way.waiting, {})) waiting();
  }

  // A new version is there: perhaps all want it.
  void produced(int object, int p) {
    if (!rules.broadcast) return;
    if (rules.processors == 1) {
      // All processors, which is one, have seen each version: Jade 5.3's degenerate case.
      if (machine.copy > 0) cpu(0).interrupt(machine.overhead + bytes(object) * machine.copy, [] {});
      return;
    }
    if (!broadcast_[static_cast<std::size_t>(object)].new_version(rules.processors)) return;
    ++now.broadcasts;
    const double rounds = std::ceil(std::log2(rules.processors));
    const ranks::CopyRules how{true, 0};
    for (int other = 0; other < rules.processors; ++other) {
      if (!copies(object).read(other, how)) continue;
      Transit& way = transit(object, other);
      way.here = false;
      const std::uint64_t serial = ++way.serial;
      ++now.messages;
      ++now.object_messages;
      now.object_bytes += bytes(object);
      clock.at(clock.now() + rounds * (sending(bytes(object)) + machine.latency),
               [this, object, other, serial] {
                 cpu(other).interrupt(machine.overhead,
                                      [this, object, other, serial] { arrived(object, other, serial); });
               });
    }
    cpu(p).interrupt(rounds * sending(bytes(object)), [] {});
  }

  void fetch_for(int task) {
    std::vector<Use> wanted;
    for (const Use& use : recorded(task).uses) {
      if (use.deferred == 0) wanted.push_back(use);
    }
    collect(task, wanted);
  }

  // The task may run, or go on, when its processor has all of these.
  void collect(int task, const std::vector<Use>& wanted) {
    const int p = running(task).at;
    const double asked = clock.now();
    if (!rules.concurrent) return one_by_one(task, wanted, 0, asked);
    struct Collected {
      int left;
      bool asked = false;  // for at least one of them
    };
    const auto all = std::make_shared<Collected>(Collected{static_cast<int>(wanted.size()) + 1});
    const auto here = [this, task, asked, all] {
      if (--all->left > 0) return;
      if (all->asked) now.task_latency += clock.now() - asked;
      runnable(task);
    };
    for (const Use& use : wanted) {
      if (get(use.object, use.rights, p, here)) all->asked = true;
    }
    here();
  }

  void one_by_one(int task, const std::vector<Use>& wanted, std::size_t next, double asked) {
    if (next == wanted.size()) {
      now.task_latency += clock.now() - asked;
      return runnable(task);
    }
    get(wanted[next].object, wanted[next].rights, running(task).at,
        [this, task, wanted, next, asked] { one_by_one(task, wanted, next + 1, asked); });
  }

  void runnable(int task) {
    const int p = running(task).at;
    runnable_[static_cast<std::size_t>(p)].push_back(task);
    serve(p);
  }

  void serve(int p) override {
    if (busy(p) || (p == 0 && resume_main())) return;
    auto& queue = runnable_[static_cast<std::size_t>(p)];
    if (queue.empty()) return;
    const int task = queue.front();
    queue.pop_front();
    proceed(task, machine.run);
  }

  // --- inside of tasks ---
  bool change(int task, const Step& step) override {
    const int p = running(task).at;
    const auto release = [this, task, step] {
      ReadyList ready;
      graph.release(task, step, ready);
      handle(ready);
    };
    if (step.released != 0) {
      produced(step.object, p);
      if (p == 0) {
        release();
      } else {
        message(p, 0, small_message, machine.completion, release);
      }
    }
    if (step.acquired == 0) return true;
    const auto acquire = [this, task, step, p] {
      if (graph.acquire(task, step)) {
        resume(task);
      } else {
        next_for(p);
      }
    };
    if (p == 0) {
      acquire();
    } else {
      message(p, 0, small_message, machine.completion, acquire);
    }
    return false;
  }

  // The main processor says that a task may go on.
  void resume(int task) {
    const int p = running(task).at;
    const Step& step = recorded(task).steps[running(task).step];
    const auto go_on = [this, task, use = Use{step.object, step.acquired, 0}] { collect(task, {use}); };
    if (p == 0) {
      clock.at(clock.now(), go_on);  // not before it has been marked as waiting
    } else {
      message(0, p, small_message, machine.overhead, go_on);
    }
  }

  void main_gets(int object, std::uint8_t rights, Clock::Action then) override {
    get(object, rights, 0, [this, object, rights, then = std::move(then)] {
      // Objects that the main program writes are produced before it does anything else.
      if ((rights & detail::writes) != 0) produced(object, 0);
      cpu(0).work(0, then);
    });
  }

  ranks::Central central_;
  std::vector<ranks::Broadcast> broadcast_;
  std::vector<std::map<int, Transit>> transit_;
  std::vector<std::deque<int>> runnable_;
};

}  // namespace

Outcome on_message_passing(const Program& program, const Machine& machine, const Rules& rules) {
  return MessagePassing(program, machine, rules).run();
}

}  // namespace lapwing::tasks::replay
