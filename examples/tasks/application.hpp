// SPDX-License-Identifier: Apache-2.0
// What the four applications share and is about tasks: the main program, the
// clock, and adding up replicated arrays.
#pragma once

#include <lapwing/tasks.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "report.hpp"

namespace example {

namespace tasks = lapwing::tasks;

class Application : public Report {
 public:
  using Report::Report;

  /// Reads the options, then runs `program` as the main program. The exit status
  /// is 1 if a check has failed.
  int main(int argc, char** argv, const std::function<void(Application&)>& program) {
    if (const int status = parse(argc, argv); status >= 0) return status;
    try {
      tasks::Options options;
      options.workers = workers();
      tasks::run(options, [&] {
        program(*this);
        print();
      });
    } catch (const std::exception& error) {
      complain(error.what());
      return 1;
    }
    return verified() ? 0 : 1;
  }

  /// The part of the program between these is what is measured.
  void begin() {
    tasks::finish();
    before_ = counts();
    start_ = now();
  }
  void end() {
    tasks::finish();
    const double seconds = now() - start_;
    const Counts after = counts();
    say("workers", tasks::workers());
    say("seconds", seconds);
    say("tasks", after.tasks - before_.tasks);
    say("targeted", after.targeted - before_.targeted);
    say("on_target", after.on_target - before_.on_target);
    say("stolen", after.stolen - before_.stolen);
    if (after.messages == 0) return;
    say("messages", after.messages - before_.messages);  // on ranks
    say("most_messages", after.most_messages - before_.most_messages);
    say("bytes", after.bytes - before_.bytes);
    say("objects_moved", after.moved - before_.moved);
    double cpu = 0, most_cpu = 0;  // of all ranks, and of the busiest
    for (std::size_t i = 0; i < after.cpu.size(); ++i) {
      const double its = after.cpu[i] - before_.cpu[i];
      cpu += its;
      most_cpu = std::max(most_cpu, its);
    }
    say("cpu_seconds", cpu);
    say("most_cpu_seconds", most_cpu);
  }

 private:
  struct Counts {
    std::uint64_t tasks = 0, targeted = 0, on_target = 0, stolen = 0;
    std::uint64_t messages = 0, most_messages = 0, bytes = 0, moved = 0;
    std::vector<double> cpu = {};
  };
  static Counts counts() {
#ifdef LAPWING_SERIAL
    return {};
#else
    const auto all = tasks::statistics();
    return {all.tasks,         all.targeted, all.on_target, all.stolen,     all.messages,
            all.most_messages, all.bytes,    all.moved,     all.cpu_seconds};
#endif
  }
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  double start_ = 0;
  Counts before_;
};

using Replicas = std::vector<tasks::shared<std::vector<double>>>;

/// The replicas that the task of one of them adds to its own: a tree with the first as its root.
struct Children {
  Children(const Replicas& replica, std::size_t own) {
    for (std::size_t stride = 1; own % (2 * stride) == 0 && own + stride < replica.size(); stride *= 2)
      of[count++] = replica[own + stride];
  }
  void declare(tasks::Access& access) const {
    for (std::size_t i = 0; i < count; ++i) access.df_rd(of[i]);
  }
  /// Waits for each behind the task's own computation. The tasks of the children are created before.
  void add_to(std::vector<double>& own) const {
    for (std::size_t i = 0; i < count; ++i) {
      tasks::with_cont([&](tasks::Continue& c) { c.rd(of[i]); });
      const std::vector<double>& from = *tasks::read(of[i]);
      for (std::size_t k = 0; k < from.size(); ++k) own[k] += from[k];
    }
  }

  std::array<tasks::shared<std::vector<double>>, 12> of;
  std::size_t count = 0;
};

/// A parallel phase whose tasks add the replicas up by themselves: the task of each computes into its own and
/// then adds those of its children. `declare(access, part)` says what else a task reads, `computation(part)`
/// is what it does: a function of its own replica.
template <class Declare, class Computation>
void phase_that_adds_up(const char* name, const Replicas& replica, const Declare& declare,
                        const Computation& computation) {
  for (int p = static_cast<int>(replica.size()) - 1; p >= 0; --p) {
    const auto own = replica[static_cast<std::size_t>(p)];
    const Children children(replica, static_cast<std::size_t>(p));
    tasks::withonly(
        [&](tasks::Access& a) {
          a.wr(own);
          declare(a, p);
          children.declare(a);
          a.name(name, p);
        },
        [own, children, compute = computation(p)] {
          std::vector<double>& sum = *tasks::write(own);
          compute(sum);
          children.add_to(sum);
        });
  }
}

/// Adds replicated arrays up into the first of them, as a tree of tasks.
inline void reduce_replicas(const Replicas& replica) {
  for (std::size_t stride = 1; stride < replica.size(); stride *= 2) {
    for (std::size_t i = 0; i + stride < replica.size(); i += 2 * stride) {
      tasks::spawn(
          [](std::vector<double>& into, const std::vector<double>& from) {
            for (std::size_t k = 0; k < from.size(); ++k) into[k] += from[k];
          },
          tasks::read_write(replica[i]), tasks::read(replica[i + stride]),
          tasks::named("add", static_cast<std::int64_t>(i)));
    }
  }
}

}  // namespace example
