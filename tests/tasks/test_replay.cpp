// SPDX-License-Identifier: Apache-2.0
// Recordings, and what becomes of them on simulated processors.
#include <gtest/gtest.h>
#include <unistd.h>
#include <lapwing/tasks.hpp>
#include <lapwing/tasks/abi.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "tasks/replay/simulation.hpp"

namespace {

using namespace lapwing::tasks;
using namespace lapwing::tasks::replay;
using lapwing::tasks::detail::reads;
using lapwing::tasks::detail::writes;
constexpr std::uint8_t both = reads | writes;

class File {
 public:
  explicit File(const std::string& name) : path(testing::TempDir() + std::to_string(getpid()) + name) {}
  ~File() { std::remove(path.c_str()); }
  const std::string path;
};

// A program written down: `objects` of so many bytes, tasks between two finish().
struct Made {
  explicit Made(int objects, double bytes = 1000) {
    for (int i = 0; i < objects; ++i) program.objects.push_back({bytes, "x " + std::to_string(i), i});
    finish();
  }
  void task(std::vector<Use> uses, double seconds, std::vector<Step> steps = {}) {
    program.events.push_back({Event::task, 0, static_cast<int>(program.tasks.size()), 0});
    program.tasks.push_back({std::move(uses), std::move(steps), seconds, false});
  }
  void main_uses(int object, std::uint8_t rights) {
    program.events.push_back({Event::use, 0, object, rights});
  }
  void finish() { program.events.push_back({Event::finish, 0, 0, 0}); }
  Program program;
};

Rules on(int processors) {
  Rules rules;
  rules.processors = processors;
  return rules;
}

Machine free_machine(bool messages) {
  Machine machine;
  machine.messages = messages;
  return machine;
}

Outcome simulate(const Program& program, const Machine& machine, const Rules& rules) {
  return machine.messages ? on_message_passing(program, machine, rules)
                          : on_shared_memory(program, machine, rules);
}

class Both : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Machines, Both, testing::Bool());

TEST_P(Both, IndependentTasksShareTheProcessors) {
  Made made(8);
  for (int i = 0; i < 8; ++i) made.task({{i, both, 0}}, 1);
  made.finish();
  for (const int p : {1, 2, 4, 8}) {
    const Outcome is = simulate(made.program, free_machine(GetParam()), on(p));
    EXPECT_DOUBLE_EQ(is.seconds, 8.0 / p) << p;
    EXPECT_EQ(is.tasks, 8);
    EXPECT_DOUBLE_EQ(is.task_seconds, 8);
  }
}

TEST_P(Both, ConflictsKeepTheirOrder) {
  Made made(1);
  for (int i = 0; i < 5; ++i) made.task({{0, both, 0}}, 1);
  made.finish();
  EXPECT_DOUBLE_EQ(simulate(made.program, free_machine(GetParam()), on(4)).seconds, 5);
}

TEST_P(Both, ReadersAreSideBySideOnlyWithReplication) {
  Made made(5);
  for (int i = 0; i < 4; ++i) made.task({{i, both, 0}, {4, reads, 0}}, 1);
  made.finish();
  Rules rules = on(4);
  EXPECT_DOUBLE_EQ(simulate(made.program, free_machine(GetParam()), rules).seconds, 1);
  rules.replicate = false;
  EXPECT_DOUBLE_EQ(simulate(made.program, free_machine(GetParam()), rules).seconds, 4);
}

TEST_P(Both, EarlyReleaseLetsTheNextTaskBegin) {
  Made made(2);
  made.task({{0, both, 0}, {1, both, 0}}, 3, {{1, 1, 0, both}});
  made.task({{1, both, 0}}, 3);
  made.finish();
  EXPECT_DOUBLE_EQ(simulate(made.program, free_machine(GetParam()), on(2)).seconds, 4);
}

TEST_P(Both, DeferredAccessesWaitWhereTheyAreAcquired) {
  Made made(3);
  made.task({{0, both, 0}}, 2);
  made.task({{1, both, 0}, {0, both, both}}, 1, {{1.5, 0, both, 0}});
  made.finish();
  // Begins at once, waits from 1.5 to 2, ends at 3; alone on one processor it need not wait.
  EXPECT_DOUBLE_EQ(simulate(made.program, free_machine(GetParam()), on(2)).seconds, 3);
  EXPECT_DOUBLE_EQ(simulate(made.program, free_machine(GetParam()), on(1)).seconds, 4.5);
}

TEST_P(Both, TheMainProgramWaitsForWhatItUses) {
  Made made(2);
  made.task({{0, both, 0}}, 2);
  made.main_uses(0, reads);
  made.task({{1, both, 0}}, 2);
  made.finish();
  EXPECT_DOUBLE_EQ(simulate(made.program, free_machine(GetParam()), on(4)).seconds, 4);
}

TEST_P(Both, PlacedTasksStayAtHome) {
  Made made(6);
  for (int round = 0; round < 10; ++round)
    for (int i = 0; i < 6; ++i) made.task({{i, both, 0}}, 0.1 * (i + 1));
  made.finish();
  Rules rules = on(4);
  rules.place = rules.omit_main = true;
  const Outcome is = simulate(made.program, free_machine(GetParam()), rules);
  EXPECT_DOUBLE_EQ(is.seconds, 10 * 0.1 * (3 + 6));  // objects 2 and 5 share a processor
  EXPECT_EQ(is.targeted, 60);
  // With messages the main processor has made the objects: the first task of each moves it.
  EXPECT_EQ(is.on_target, GetParam() ? 54 : 60);
}

TEST(MessagePassing, AFetchIsTwoMessages) {
  Made made(1, 1e6);
  made.task({{0, both, 0}}, 1);
  made.finish();
  Machine machine = free_machine(true);
  machine.latency = 0.25;
  machine.per_byte = 1e-6;
  Rules rules = on(2);
  rules.place = rules.omit_main = true;
  const Outcome is = simulate(made.program, machine, rules);
  EXPECT_EQ(is.messages, 4);  // the task, the request, the object, the end
  EXPECT_EQ(is.object_messages, 1);
  EXPECT_NEAR(is.seconds, 4 * 0.25 + 1 + 1, 1e-3);
  EXPECT_NEAR(is.object_latency, 0.5 + 1, 1e-3);
  EXPECT_DOUBLE_EQ(is.object_latency, is.task_latency);
  rules.work_free = true;
  EXPECT_NEAR(simulate(made.program, machine, rules).seconds, 4 * 0.25, 1e-3);
}

// Section 5.4: a second task at a processor fetches while the first computes; a
// target of one leaves that time idle, for placed tasks as for others.
TEST(MessagePassing, TheTargetBindsPlacedTasks) {
  constexpr int count = 9;
  Made made(count, 1e6);
  for (int i = 1; i < count; ++i) made.task({{0, reads, 0}, {i, both, 0}}, 1);
  made.finish();
  Machine machine = free_machine(true);
  machine.latency = 0.25;
  Rules rules = on(3);
  rules.place = rules.omit_main = true;
  double before = 1e9;
  for (const int target : {1, 2}) {
    rules.target = target;
    const double seconds = simulate(made.program, machine, rules).seconds;
    EXPECT_LT(seconds, before - 0.5) << "with a target of " << target;
    before = seconds;
  }
}

TEST(MessagePassing, WhatAllHaveReadIsBroadcast) {
  Made made(9, 1e6);
  for (int round = 0; round < 4; ++round) {
    made.main_uses(8, writes);
    for (int i = 0; i < 8; ++i) made.task({{i, both, 0}, {8, reads, 0}}, 10);
    for (int i = 0; i < 8; ++i) made.main_uses(i, reads);
  }
  made.finish();
  Machine machine = free_machine(true);
  machine.per_byte = 1e-6;
  Rules rules = on(8);
  rules.place = true;
  const Outcome with = simulate(made.program, machine, rules);
  rules.broadcast = false;
  const Outcome without = simulate(made.program, machine, rules);
  EXPECT_GE(with.broadcasts, 3);
  EXPECT_EQ(without.broadcasts, 0);
  EXPECT_LT(with.seconds, without.seconds);
}

// A chain of tasks on one object, with an idle processor beside it: the end of each lets the next one run,
// which stays where the object is, or goes to who is idle before the ending processor is free.
TEST_P(Both, EagerProcessorsTakeWhatAnEndLetsRun) {
  Made made(2);
  for (int i = 0; i < 10; ++i) made.task({{1, both, 0}}, 1);
  made.finish();
  Machine machine = free_machine(GetParam());
  machine.run = 0.1;
  Rules rules = on(2);
  const long kept = simulate(made.program, machine, rules).on_target;
  rules.eager = true;
  EXPECT_GE(kept, 9);
  EXPECT_LE(simulate(made.program, machine, rules).on_target, kept / 2 + 1);
  rules.place = true;
  EXPECT_GE(simulate(made.program, machine, rules).on_target, 9);
}

// All processors, which is one, have accessed every version (Jade 5.3).
TEST(MessagePassing, OneProcessorBroadcastsToItself) {
  Made made(1, 1e6);
  for (int i = 0; i < 10; ++i) made.task({{0, both, 0}}, 1);
  made.finish();
  Machine machine = free_machine(true);
  machine.copy = 1e-7;
  Rules rules = on(1);
  EXPECT_NEAR(simulate(made.program, machine, rules).seconds, 10 + 10 * 0.1, 0.11);
  rules.broadcast = false;
  EXPECT_NEAR(simulate(made.program, machine, rules).seconds, 10, 1e-9);
}

TEST(SharedMemory, LinesComeFromNearAndFar) {
  Made made(2, 1600);
  made.task({{1, both, 0}}, 1);
  made.task({{0, both, 0}, {1, reads, 0}}, 1);
  made.finish();
  Machine machine = free_machine(false);
  machine.line = 16;
  machine.near = 0.001;
  machine.far = machine.far_dirty = 0.01;
  machine.cluster = 2;
  Rules rules = on(2);
  rules.place = true;
  EXPECT_NEAR(simulate(made.program, machine, rules).task_seconds, 2.1, 0.01);
  machine.cluster = 1;
  EXPECT_NEAR(simulate(made.program, machine, rules).task_seconds, 3, 0.02);
}

TEST(Recording, IsReadBackAsItWas) {
  const File file("recording.replay");
  lapwing::tasks::Options options;
  options.workers = 1;
  options.trace = file.path;
  lapwing::tasks::run(options, [] {
    const auto a = create_named<std::vector<double>>("a 7", 100),
               b = create_named<std::vector<double>>("b", 1);
    finish();
    spawn([](std::vector<double>& x) { x[0] = 1; }, lapwing::tasks::write(a));
    withonly(
        [&](Access& access) {
          access.df_rd(a);
          access.wr(b);
        },
        [=] {
          with_cont([&](Continue& c) { c.rd(a); });
          (*lapwing::tasks::write(b))[0] = (*lapwing::tasks::read(a))[0];
          with_cont([&](Continue& c) { c.no_wr(b); });
        });
    EXPECT_EQ((*lapwing::tasks::read(b))[0], 1);
    finish();
  });
  const Program program = read_program(file.path);
  ASSERT_EQ(program.objects.size(), 2U);
  EXPECT_EQ(program.objects[0].index, 7);
  EXPECT_GE(program.objects[0].bytes, 800);
  EXPECT_LT(program.objects[0].bytes, 900);
  ASSERT_EQ(program.events.size(), 5U);
  EXPECT_EQ(program.events[0].kind, Event::finish);
  EXPECT_EQ(program.events[3].kind, Event::use);
  EXPECT_EQ(program.events[3].rights, reads);
  ASSERT_EQ(program.tasks.size(), 2U);
  EXPECT_EQ(program.tasks[0].uses[0].rights, writes);
  ASSERT_EQ(program.tasks[1].steps.size(), 2U);
  EXPECT_EQ(program.tasks[1].steps[0].acquired, reads);
  EXPECT_EQ(program.tasks[1].steps[1].released, writes);
  EXPECT_EQ(program.tasks[1].uses[0].deferred, reads);
  EXPECT_GT(program.measured_seconds(), 0);
  EXPECT_EQ(simulate(program, free_machine(true), on(2)).tasks, 2);
}

TEST(Recording, WhatCannotBeReplayedIsNamed) {
  const File file("wrong.replay");
  std::ofstream(file.path) << "lapwing-recording 1\nobject 0 8 a\ntask 1 0 4 0 0 1.0 commutes\n";
  try {
    read_program(file.path);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("line 3 has a commuting update"), std::string::npos)
        << error.what();
  }
  std::ofstream(file.path) << "lapwing-recording 1\nuse 3 1\n";
  EXPECT_THROW(read_program(file.path), std::runtime_error);
  std::ofstream(file.path) << "place\ttask\n";
  EXPECT_THROW(read_program(file.path), std::runtime_error);
}

}  // namespace
