// SPDX-License-Identifier: Apache-2.0
// A recorded run of a program with tasks on simulated processors: one JSON line
// for each number of processors.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>

#include "tasks/replay/simulation.hpp"

namespace {

using namespace lapwing::tasks::replay;

Outcome simulate(const Program& program, const Machine& machine, const Rules& rules) {
  return machine.messages ? on_message_passing(program, machine, rules)
                          : on_shared_memory(program, machine, rules);
}

std::string line(const Machine& machine, const Rules& rules, const Outcome& is, double free_seconds) {
  const auto ratio = [](double a, double b) {
    return b > 0 ? fmt::format("{:.6g}", a / b) : std::string("null");
  };
  return fmt::format(
      R"({{"machine":"{}","processors":{},"seconds":{:.6g},"tasks":{},"locality_percent":{},"task_seconds":{:.6g},)"
      R"("messages":{},"object_messages":{},"object_mbytes":{:.6g},"mbytes_per_task_second":{},"broadcasts":{},)"
      R"("management_percent":{},"object_latency":{:.6g},"task_latency":{:.6g},"object_over_task_latency":{},"object_latency_over_task_time":{}}})",
      machine.name, rules.processors, is.seconds, is.tasks,
      is.targeted > 0 ? fmt::format("{:.6g}", 100.0 * static_cast<double>(is.on_target) /
                                                  static_cast<double>(is.targeted))
                      : "null",
      is.task_seconds, is.messages, is.object_messages, 1e-6 * is.object_bytes,
      ratio(1e-6 * is.object_bytes, is.task_seconds), is.broadcasts, ratio(100 * free_seconds, is.seconds),
      is.object_latency, is.task_latency, ratio(is.object_latency, is.task_latency),
      ratio(is.object_latency / std::max(1.0, static_cast<double>(is.object_messages)),
            is.task_seconds / std::max(1.0, static_cast<double>(is.tasks))));
}

int run(int argc, char** argv) {
  CLI::App app("Replays a recording of tasks (LAPWING_TASKS_TRACE=name.replay) on simulated processors",
               "replay_tasks");
  std::string file, machine_name = "threads";
  std::vector<int> processors{1, 2, 4, 8, 16, 32};
  std::vector<double> costs;
  double serial_seconds = 0, communication = 1;
  Rules rules;
  bool no_locality = false, no_replication = false, no_broadcast = false, no_concurrent = false;
  app.add_option("RECORDING", file)->required()->check(CLI::ExistingFile);
  app.add_option("--machine", machine_name)
      ->check(CLI::IsMember({"dash", "ipsc", "threads", "ranks"}))
      ->capture_default_str();
  app.add_option("--processors", processors)->delimiter(',')->check(CLI::Range(1, 4096));
  app.add_option("--serial-seconds", serial_seconds, "The serial time of the measured part; else as recorded")
      ->check(CLI::PositiveNumber);
  app.add_option("--target", rules.target, "Tasks that a processor is given at a time")
      ->check(CLI::Range(1, 1000));
  app.add_option("--patience", rules.patience, "Seconds before the only task of another processor is taken")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--costs", costs, "Microseconds to create, run, assign, accept and complete a task")
      ->delimiter(',')
      ->expected(5)
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--eager", rules.eager,
               "Idle processors take what an end lets run before the ending one is free");
  app.add_option("--communication", communication, "The costs of moving data are multiplied by this")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--place", rules.place, "Tasks run where their locality object is at home");
  app.add_flag("--omit-main", rules.omit_main, "No object is at home on the main processor");
  app.add_flag("--moving-owner", rules.moving_owner, "The owner in one memory is who wrote last");
  app.add_flag("--no-locality", no_locality);
  app.add_flag("--no-replication", no_replication);
  app.add_flag("--no-broadcast", no_broadcast);
  app.add_flag("--no-concurrent-fetches", no_concurrent);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const Program program = read_program(file);
    Machine machine = machine_name == "dash"    ? dash()
                      : machine_name == "ipsc"  ? ipsc()
                      : machine_name == "ranks" ? ranks()
                                                : threads();
    if (!costs.empty()) {
      double* const set[] = {&machine.create, &machine.run, &machine.assign, &machine.accept,
                             &machine.completion};
      for (std::size_t i = 0; i < costs.size(); ++i) *set[i] = 1e-6 * costs[i];
    }
    for (double* const cost : {&machine.near, &machine.far, &machine.far_dirty, &machine.per_byte})
      *cost *= communication;
    rules.locality = !no_locality;
    rules.replicate = !no_replication;
    rules.broadcast = !no_broadcast;
    rules.concurrent = !no_concurrent;
    if (serial_seconds > 0) rules.scale = serial_seconds / program.measured_seconds();
    for (const int p : processors) {
      rules.processors = p;
      Rules free = rules;
      free.work_free = true;
      const double free_seconds = simulate(program, machine, free).seconds;
      std::cout << line(machine, rules, simulate(program, machine, rules), free_seconds) << std::endl;
    }
  } catch (const std::exception& error) {
    std::cerr << "replay_tasks: " << error.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
