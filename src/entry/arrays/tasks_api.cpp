// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 2: tasks.
#include <fmt/format.h>

#include <numeric>

#include "arrays/transfers/progress.hpp"
#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using arrays::Code;
using arrays::Progress;
using arrays::TaskComm;
using lapwing::entry::refused;

arrays::Error lapwing::entry::mpi_is_there() {
  int initialised = 0, finalised = 0;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  if (initialised && !finalised) return {};
  return {Code::state, "it is called before MPI_Init or after MPI_Finalize"};
}

namespace {

int make(const char* routine, MPI_Comm comm, int task, lapwing_tasks** out) {
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(routine, error);
  if (!out) return refused(routine, Code::argument, "there is no place for the result");
  if (comm == MPI_COMM_NULL) return refused(routine, Code::argument, "the communicator is MPI_COMM_NULL");
  std::shared_ptr<TaskComm> made;
  if (arrays::Error error = TaskComm::create(comm, task, &made)) return arrays::report(routine, error);
  const std::lock_guard guard(Progress::lock());
  Progress::open(made);
  *out = new lapwing_tasks{std::move(made)};
  return LAPWING_ARRAY_OK;
}

}  // namespace

LAPWING_ENTRY int lapwing_tasks_create(MPI_Comm comm, int task, lapwing_tasks** out) {
  return make("lapwing_tasks_create", comm, task, out);
}

LAPWING_ENTRY int lapwing_tasks_of_sizes(MPI_Comm comm, int tasks, const int* sizes, lapwing_tasks** out) {
  constexpr const char* name = "lapwing_tasks_of_sizes";
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(name, error);
  if (comm == MPI_COMM_NULL) return refused(name, Code::argument, "the communicator is MPI_COMM_NULL");
  int size = 0, rank = 0;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_rank(comm, &rank);
  if (tasks < 1 || !sizes) return refused(name, Code::argument, fmt::format("{} tasks", tasks));
  const int sum = std::accumulate(sizes, sizes + tasks, 0);
  int task = 0;
  for (int t = 0, end = 0; t < tasks; ++t) {
    if (sizes[t] < 1)
      return refused(name, Code::task,
                     fmt::format("task {} is to have {} processes; each needs one", t, sizes[t]));
    end += sizes[t];
    if (rank >= end) task = t + 1;
  }
  if (sum != size)
    return refused(
        name, Code::task,
        fmt::format("the {} tasks have {} processes together, the communicator has {}", tasks, sum, size));
  return make(name, comm, task, out);
}

LAPWING_ENTRY int lapwing_tasks_of_programs(lapwing_tasks** out) {
  constexpr const char* name = "lapwing_tasks_of_programs";
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(name, error);
  void* number = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
  return make(name, MPI_COMM_WORLD, found ? *static_cast<int*>(number) : 0, out);
}

LAPWING_ENTRY int lapwing_tasks_dup(lapwing_tasks* tasks, lapwing_tasks** out) {
  if (!tasks) return refused("lapwing_tasks_dup", Code::argument, "the tasks are null");
  const int rc = make("lapwing_tasks_dup", tasks->comm->all(), tasks->comm->task(), out);
  if (rc == LAPWING_ARRAY_OK) (*out)->comm->strategy = tasks->comm->strategy;
  return rc;
}

namespace {

// Until no process needs this one for its transfers any more.
void complete_together(TaskComm& comm) {
  Progress::wait([&] { return !Progress::pending(comm) && !comm.control().sending(); });
  MPI_Request barrier;
  {
    const std::lock_guard guard(Progress::lock());
    PMPI_Ibarrier(comm.all(), &barrier);
  }
  Progress::wait([&] {
    int done = 0;
    PMPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

}  // namespace

LAPWING_ENTRY int lapwing_tasks_free(lapwing_tasks** tasks) {
  if (!tasks || !*tasks) return LAPWING_ARRAY_OK;
  const std::shared_ptr<TaskComm> comm = (*tasks)->comm;
  // Destructors of what main() holds run behind MPI_Finalize: only memory is left to free then.
  if (!lapwing::entry::mpi_is_there()) complete_together(*comm);
  const std::lock_guard guard(Progress::lock());
  comm->kept_updates().clear();
  if (comm->collective) {
    Progress::close(comm->collective);
    comm->collective->release();
  }
  Progress::close(comm);
  comm->release();
  delete *tasks;
  *tasks = nullptr;
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_rank(const lapwing_tasks* tasks) { return tasks ? tasks->comm->task() : -1; }
LAPWING_ENTRY int lapwing_tasks_size(const lapwing_tasks* tasks) { return tasks ? tasks->comm->tasks() : -1; }

LAPWING_ENTRY int lapwing_tasks_process_rank(const lapwing_tasks* tasks) {
  return tasks ? tasks->comm->rank() : -1;
}

LAPWING_ENTRY int lapwing_tasks_processes(const lapwing_tasks* tasks, int task) {
  return tasks && tasks->comm->has(task) ? tasks->comm->processes(task) : -1;
}

LAPWING_ENTRY MPI_Comm lapwing_tasks_comm(const lapwing_tasks* tasks) {
  return tasks ? tasks->comm->program() : MPI_COMM_NULL;
}

LAPWING_ENTRY int lapwing_tasks_strategy(lapwing_tasks* tasks, int strategy) {
  constexpr const char* name = "lapwing_tasks_strategy";
  if (!tasks) return refused(name, Code::argument, "the tasks are null");
  if (strategy < LAPWING_STRATEGY_AUTOMATIC || strategy > LAPWING_STRATEGY_CENTRALIZED)
    return refused(name, Code::argument, fmt::format("there is no strategy {}", strategy));
  tasks->comm->strategy = strategy;
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_time_steps(lapwing_tasks* tasks, int on) {
  if (!tasks) return refused("lapwing_tasks_time_steps", Code::argument, "the tasks are null");
  const std::lock_guard guard(Progress::lock());
  tasks->comm->steps = {};
  tasks->comm->steps.on = on != 0;
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_tasks_steps(const lapwing_tasks* tasks, struct lapwing_array_steps* out) {
  if (!tasks || !out) return refused("lapwing_tasks_steps", Code::argument, "an argument is null");
  const std::lock_guard guard(Progress::lock());
  const arrays::StepTimes& now = tasks->comm->steps;
  *out = {now.transfers, now.inquiry,      now.call,     now.exchange, now.schedule,
          now.packing,   now.transmission, now.messages, now.bytes};
  return LAPWING_ARRAY_OK;
}
