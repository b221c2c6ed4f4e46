// SPDX-License-Identifier: Apache-2.0
// Priorities: a forecast, each state of which follows from the one before, and a statistic of each state. All
// that is still to come waits for the next step of the forecast, and nothing for a statistic; so steps have
// the higher priority, and statistics fill what they leave idle.
//   forecast [STATES [CELLS]]            on threads
//   mpiexec -n 2 forecast [STATES ...]   on ranks
// With LAPWING_TASKS_TRACE=run.svg the timeline of the run, and its graph of tasks, are a picture.
#include <lapwing/tasks.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace lapwing::tasks;

namespace {

using State = std::vector<double>;

struct Statistic {
  double mean = 0, deviation = 0;
  bool operator==(const Statistic&) const = default;
};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void follow(const State& now, State& next) {
  const std::size_t n = now.size();
  next.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    next[i] = 0.5 * now[i] + 0.25 * (now[(i + n - 1) % n] + now[(i + 1) % n]) + 0.01 * std::sin(now[i]);
}

Statistic look(const State& state) {
  Statistic seen;
  const auto n = static_cast<double>(state.size());
  for (const double x : state) seen.mean += x / n;
  for (const double x : state) seen.deviation += (x - seen.mean) * (x - seen.mean) / n;
  return seen;
}

State first_state(int cells) {
  State state(static_cast<std::size_t>(cells));
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = static_cast<double>(i * i % 101);
  return state;
}

// The same without tasks.
std::vector<Statistic> serial(int states, int cells) {
  std::vector<Statistic> all;
  State now = first_state(cells), next;
  for (int i = 0; i < states; ++i) {
    follow(now, next);
    now.swap(next);
    all.push_back(look(now));
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const int states = argc > 1 ? std::atoi(argv[1]) : 20, cells = argc > 2 ? std::atoi(argv[2]) : 20000;
  if (argc > 3 || states < 1 || cells < 1) {
    std::fputs("usage: forecast [STATES [CELLS]], at least one of each\n", stderr);
    return 2;
  }
  bool same = true;
  run([&] {
    std::vector<shared<State>> state{create<State>(first_state(cells))};
    std::vector<shared<Statistic>> statistic;
    std::vector<shared<double>> began, looked;  // when
    for (int i = 0; i < states; ++i) {
      state.push_back(create<State>());
      statistic.push_back(create<Statistic>());
      began.push_back(create<double>());
      looked.push_back(create<double>());
      spawn(
          [](State& next, const State& now, double& when) {
            when = seconds();
            follow(now, next);
          },
          write(state.back()), read(state[state.size() - 2]), write(began.back()), priority(1),
          named("step", i));
      spawn(
          [](const State& of, Statistic& seen, double& when) {
            when = seconds();
            seen = look(of);
          },
          read(state.back()), write(statistic.back()), write(looked.back()), named("statistic", i));
    }
    const std::vector<Statistic> expected = serial(states, cells);
    int early = 0;
    for (std::size_t i = 0; i < statistic.size(); ++i) {
      same = same && *read(statistic[i]) == expected[i];
      early += *read(looked[i]) < *read(began.back());
    }
    std::printf("forecast: %d states on %d workers, %d statistics before the last step: %s\n", states,
                workers(), early, same ? "as the serial program" : "NOT AS THE SERIAL PROGRAM");
  });
  return same ? 0 : 1;
}
