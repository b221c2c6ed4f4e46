// SPDX-License-Identifier: Apache-2.0
// A communicator of tasks: who belongs to which, and the books of what was sent
// and is to be received.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <vector>

#include "arrays/collectives/planner.hpp"
#include "arrays/kept_updates.hpp"
#include "arrays/plan_cache.hpp"
#include "arrays/transfers/control.hpp"
#include "arrays/transfers/matching.hpp"
#include "arrays/transfers/met.hpp"
#include "arrays/transfers/node_wire.hpp"
#include "arrays/transfers/parcels.hpp"
#include "arrays/transfers/steps.hpp"

namespace lapwing::arrays {

class TaskComm : public std::enable_shared_from_this<TaskComm> {
 public:
  /// Collective over `comm`; the same error on every process.
  static Error create(MPI_Comm comm, int task, std::shared_ptr<TaskComm>* out);
  ~TaskComm();
  /// Collective: frees what MPI has made. Nothing is pending.
  void release();
  TaskComm(const TaskComm&) = delete;
  TaskComm& operator=(const TaskComm&) = delete;

  int task() const { return task_; }
  int tasks() const { return static_cast<int>(members_.size()); }
  int rank() const { return rank_; }
  int processes(int task) const { return static_cast<int>(members_[static_cast<std::size_t>(task)].size()); }
  int processes() const { return processes(task_); }
  Party party(int task) const { return {task, processes(task)}; }
  bool has(int task) const { return task >= 0 && task < tasks(); }
  Error no_task(int task) const;
  /// In all(), of a task's process.
  int member(int task, int rank) const {
    return members_[static_cast<std::size_t>(task)][static_cast<std::size_t>(rank)];
  }

  MPI_Comm all() const { return all_; }
  MPI_Comm own() const { return own_; }          ///< Lapwing's, of this task
  MPI_Comm program() const { return program_; }  ///< the program's, of this task
  MPI_Comm leaders() const { return leaders_; }  ///< null but on the tasks' first processes

  /// Processes that share memory with this one, by ranks of all() and of own().
  const Near& near() const { return near_; }
  const Near& own_near() const { return own_near_; }

  /// Tags of data: by the number of the send on its channel, or, within the task,
  /// of the call.
  int data_tag(std::uint64_t number, bool persistent) const;
  int own_tag(std::uint64_t call) const { return first_data_tag + static_cast<int>(call % own_tags_); }
  /// Of all blocking ghost updates, which never overtake each other.
  int updates_tag() const { return first_data_tag + static_cast<int>(own_tags_); }
  std::uint64_t next_call() { return calls_++; }

  Sends& sends(int task, bool persistent) { return sends_[persistent][static_cast<std::size_t>(task)]; }
  Receives& receives(bool persistent) { return *receives_[persistent]; }
  Control& control() { return *control_; }

  PlanCache& plans() { return plans_; }
  KeptUpdates& kept_updates() { return kept_updates_; }

  /// Something was posted or has arrived since matches were looked for.
  bool news = false;
  /// Requests whose processes have not agreed yet, in the order of their calls.
  std::deque<Request*> checking;
  /// How many requests wait for a message of the other side.
  int unmatched = 0;
  /// Parcels that have come and were not taken yet, and exchanges of them that go on.
  std::map<ParcelKey, std::vector<Parcel>> parcels;
  int exchanges = 0;
  MetCache met_within, met_between;
  int strategy = 0;
  /// The same tasks once more, for what collectives send; and the plans of those.
  std::shared_ptr<TaskComm> collective;
  std::map<std::string, std::vector<Step>> step_plans;
  StepTimes steps;
  /// Measured when the communicator was made, equal on all processes.
  double message_ns = 2000, byte_ns = 0.2;
  double packed_byte_ns = 0.1;  ///< a byte's way into a message and out of it, in short runs
  double direct_byte_ns = 0.5;  ///< a byte in short runs from place to place, by MPI's datatypes
  bool all_near = false;        ///< all processes share a wire
  int at_once = 1;              ///< processes that have a core

  static constexpr int control_tag = 0, first_data_tag = 1;

 private:
  TaskComm() = default;
  Error set_up(MPI_Comm comm, int task);
  void measure();
  void find_near();
  void count_cores();

  MPI_Comm all_ = MPI_COMM_NULL, own_ = MPI_COMM_NULL, program_ = MPI_COMM_NULL, leaders_ = MPI_COMM_NULL;
  int task_ = 0, rank_ = 0;
  std::vector<std::vector<int>> members_;
  std::uint64_t calls_ = 0, own_tags_ = 1, data_tags_ = 1;
  std::vector<Sends> sends_[2];
  std::unique_ptr<Receives> receives_[2];
  std::unique_ptr<Control> control_;
  PlanCache plans_;
  KeptUpdates kept_updates_;
  Near near_, own_near_;
};

}  // namespace lapwing::arrays
