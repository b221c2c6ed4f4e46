// SPDX-License-Identifier: Apache-2.0
#include "arrays/task_comm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "progress/cores.hpp"
#include "transfer/decisions/sizes.hpp"
#include "transfer/settings.hpp"

namespace lapwing::arrays {
namespace {

/// The rank in `node` of each rank of `comm`; -1: none.
std::vector<int> places_in(MPI_Comm node, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), places(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group from, to;
  PMPI_Comm_group(comm, &from);
  PMPI_Comm_group(node, &to);
  PMPI_Group_translate_ranks(from, size, ranks.data(), to, places.data());
  PMPI_Group_free(&from);
  PMPI_Group_free(&to);
  for (int& place : places)
    if (place == MPI_UNDEFINED) place = -1;
  return places;
}

}  // namespace

Error TaskComm::create(MPI_Comm comm, int task, std::shared_ptr<TaskComm>* out) {
  std::shared_ptr<TaskComm> made(new TaskComm);
  if (Error error = made->set_up(comm, task)) return error;
  *out = std::move(made);
  return {};
}

Error TaskComm::set_up(MPI_Comm comm, int task) {
  int inter = 0, size = 0, me = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter) return {Code::argument, "tasks cannot be made of an intercommunicator"};
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_rank(comm, &me);
  std::vector<int> all_tasks(static_cast<std::size_t>(size));
  PMPI_Allgather(&task, 1, MPI_INT, all_tasks.data(), 1, MPI_INT, comm);
  const int highest = *std::max_element(all_tasks.begin(), all_tasks.end());
  for (int r = 0; r < size; ++r)
    if (const int number = all_tasks[static_cast<std::size_t>(r)]; number < 0 || number >= size)
      return {Code::task,
              fmt::format("rank {} says that it belongs to task {}; tasks are numbered from 0, and "
                          "there cannot be more than the {} processes",
                          r, number, size)};
  members_.resize(static_cast<std::size_t>(highest) + 1);
  for (int r = 0; r < size; ++r)
    members_[static_cast<std::size_t>(all_tasks[static_cast<std::size_t>(r)])].push_back(r);
  for (std::size_t t = 0; t < members_.size(); ++t)
    if (members_[t].empty())
      return {Code::task, fmt::format("no process belongs to task {}, but some to task {}", t, highest)};
  task_ = task;
  const auto& mine = members_[static_cast<std::size_t>(task)];
  rank_ = static_cast<int>(std::find(mine.begin(), mine.end(), me) - mine.begin());
  PMPI_Comm_dup(comm, &all_);
  PMPI_Comm_split(all_, task, rank_, &own_);
  PMPI_Comm_dup(own_, &program_);
  PMPI_Comm_split(all_, rank_ == 0 ? 0 : MPI_UNDEFINED, task, &leaders_);
  // Errors of MPI in calls of ours end the job, whatever the program does with its own.
  for (MPI_Comm made : {all_, own_, leaders_})
    if (made != MPI_COMM_NULL) PMPI_Comm_set_errhandler(made, MPI_ERRORS_ARE_FATAL);

  void* attribute = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(all_, MPI_TAG_UB, &attribute, &found);
  const int upper = found ? *static_cast<int*>(attribute) : 32767;
  own_tags_ = static_cast<std::uint64_t>(upper - first_data_tag);
  data_tags_ = own_tags_ / 2;
  for (int persistent = 0; persistent < 2; ++persistent) {
    sends_[persistent].resize(members_.size());
    receives_[persistent] = std::make_unique<Receives>(tasks(), rank_ == 0);
  }
  control_ = std::make_unique<Control>(*this);
  find_near();
  measure();
  return {};
}

void TaskComm::find_near() {
  MPI_Comm node = transfer::Board::neighbours_of(all_);
  near_.wire = own_near_.wire = NodeWire::of(node, &near_.comm);
  if (near_.wire) {
    // Between tasks, and within one.
    near_.comm *= 2;
    own_near_.comm = near_.comm + 1;
    near_.places = places_in(node, all_);
    own_near_.places = places_in(node, own_);
    int processes = 0;
    PMPI_Comm_size(node, &processes);
    near_.spare_core = own_near_.spare_core = progress::cores_of_node() > processes;
  }
  PMPI_Comm_free(&node);
}

// A message and a byte between two of the processes, and what it costs to gather
// and scatter bytes, by hand and by MPI, for the choice of a strategy; what one
// measures, or reads from the machine's profile, is what all reckon with.
void TaskComm::measure() {
  int size = 0, me = 0;
  PMPI_Comm_size(all_, &size);
  PMPI_Comm_rank(all_, &me);
  double measured[4] = {message_ns, byte_ns, packed_byte_ns, direct_byte_ns};
  if (size > 1 && (me == 0 || me == 1)) {
    constexpr int run = 64, runs = 512, bytes = run * runs;
    std::vector<char> memory(2 * bytes, 1), wire(bytes);
    const auto best_of = [](int rounds, auto perform) {
      double best = 1e9;
      for (int i = 0; i < rounds; ++i) {
        const double begin = PMPI_Wtime();
        perform();
        best = std::min(best, (PMPI_Wtime() - begin) * 1e9);
      }
      return best;
    };
    const auto there_and_back = [&](int rounds, void* data, int count, MPI_Datatype type) {
      return best_of(rounds,
                     [&] {
                       for (int turn = 0; turn < 2; ++turn) {
                         if (turn == me)
                           PMPI_Send(data, count, type, 1 - me, control_tag, all_);
                         else
                           PMPI_Recv(data, count, type, 1 - me, control_tag, all_, MPI_STATUS_IGNORE);
                       }
                     }) /
             2;
    };
    MPI_Datatype strided;
    PMPI_Type_vector(runs, run, 2 * run, MPI_BYTE, &strided);
    PMPI_Type_commit(&strided);
    there_and_back(1, wire.data(), bytes, MPI_BYTE);
    measured[0] = there_and_back(4, wire.data(), 8, MPI_BYTE);
    const auto each = [&](double time) { return std::max(time - measured[0], 1.0) / bytes; };
    measured[1] = each(there_and_back(3, wire.data(), bytes, MPI_BYTE));
    measured[2] = best_of(3,
                          [&] {
                            for (int r = 0; r < runs; ++r)
                              std::memcpy(&wire[static_cast<std::size_t>(r * run)],
                                          &memory[static_cast<std::size_t>(2 * r * run)], run);
                            for (int r = 0; r < runs; ++r)
                              std::memcpy(&memory[static_cast<std::size_t>(2 * r * run)],
                                          &wire[static_cast<std::size_t>(r * run)], run);
                          }) /
                  bytes;
    measured[3] = each(there_and_back(3, memory.data(), 1, strided));
    PMPI_Type_free(&strided);
    const bool near = near_.wire && near_.places.size() > 1 && near_.places[0] >= 0 && near_.places[1] >= 0;
    const transfer::KnownCosts links =
        me == 0 ? transfer::known_costs(transfer::read_settings()) : transfer::KnownCosts{};
    if (const auto& costs = near ? links.node : links.network) {
      const double known[2] = {costs->round_trip_us * 500, costs->gap_ns_per_byte};
      for (int i = 0; i < 2; ++i)
        if (known[i] > 0) measured[i] = known[i];
    }
  }
  PMPI_Bcast(measured, 4, MPI_DOUBLE, 0, all_);
  message_ns = measured[0];
  byte_ns = measured[1];
  packed_byte_ns = measured[2];
  direct_byte_ns = measured[3];
  count_cores();
}

// How many processes run at the same time: cores of all nodes.
void TaskComm::count_cores() {
  int size = 0;
  PMPI_Comm_size(all_, &size);
  MPI_Comm node;
  PMPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int node_rank = 0;
  PMPI_Comm_rank(node, &node_rank);
  PMPI_Comm_free(&node);
  const bool near =
      near_.wire && std::find(near_.places.begin(), near_.places.end(), -1) == near_.places.end();
  int counts[2] = {node_rank == 0 ? progress::cores_of_node() : 0, near ? 0 : 1};
  PMPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_SUM, all_);
  at_once = std::clamp(counts[0], 1, size);
  all_near = counts[1] == 0;
}

TaskComm::~TaskComm() { release(); }

void TaskComm::release() {
  control_.reset();
  int finalised = 0;
  PMPI_Finalized(&finalised);
  if (finalised) return;
  for (MPI_Comm* made : {&leaders_, &program_, &own_, &all_})
    if (*made != MPI_COMM_NULL) PMPI_Comm_free(made);
}

Error TaskComm::no_task(int task) const {
  return {Code::task,
          fmt::format("task {}, rank {}: there is no task {}; this communicator has tasks 0 to {}", task_,
                      rank_, task, tasks() - 1)};
}

int TaskComm::data_tag(std::uint64_t number, bool persistent) const {
  return first_data_tag + static_cast<int>(number % data_tags_ + (persistent ? data_tags_ : 0));
}

}  // namespace lapwing::arrays
