// SPDX-License-Identifier: Apache-2.0
// Collectives in which tasks have parts of arrays, along dimension 0.
#include <fmt/format.h>

#include "arrays/collectives/collectives.hpp"
#include "arrays/transfers/progress.hpp"

namespace lapwing::arrays {
namespace {

// Waits for all; the first error.
Error settle_parts(std::vector<Handle>* handles) {
  Error first_error;
  for (const Handle& handle : *handles)
    if (Status status = wait(handle); status.error && !first_error) first_error = status.error;
  handles->clear();
  return first_error;
}

std::int64_t rows_of(const Operand& array) {
  const Section section = filled(array.view->section, array.view->distribution);
  return section.dimensions.empty() ? 0 : section.dimensions[0].count;
}

// Rows [from, from + count) of what the operand describes. Where it has not as many, none of it: the tasks'
// own sizes then make the sentence.
Operand rows_from(const Operand& whole, std::int64_t from, std::int64_t count) {
  const Section all = filled(whole.view->section, whole.view->distribution);
  View part = *whole.view;
  part.section = all;
  part.section.permutation.clear();
  if (all.dimensions.empty() || from + count > all.dimensions[0].count) {
    part.section.dimensions.assign(all.dimensions.size(), {0, 0, 1});
  } else {
    part.section.dimensions[0].first += from * all.dimensions[0].stride;
    part.section.dimensions[0].count = count;
  }
  Operand operand = whole;
  operand.view = std::make_shared<View>(std::move(part));
  return operand;
}

// One part for each task, one after the other.
std::vector<Operand> parts_of(const Operand& whole, const std::vector<std::int64_t>& counts) {
  std::vector<Operand> parts;
  std::int64_t first = 0;
  for (const std::int64_t count : counts) {
    parts.push_back(rows_from(whole, first, count));
    first += count;
  }
  return parts;
}

}  // namespace

Error gather(TaskComm& comm, const Operand& array, const Operand& whole, int root, bool back) {
  if (!array.view) return {Code::argument, "the distribution is null"};
  const std::int64_t rows = rows_of(array);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.tasks()));
  plain_gather(comm, &rows, counts.data(), 1, MPI_INT64_T, root);
  const std::shared_ptr<TaskComm> wire = inner(comm).shared_from_this();
  auto transfer = [&](const Operand& there, int task, bool sends) {
    return sends ? begin_send(wire, {&there, 1}, task, 0, false)
                 : begin_receive(wire, {&there, 1}, task, 0, false);
  };
  std::vector<Handle> handles;
  if (comm.task() != root) {
    handles.push_back(transfer(array, root, !back));
    return settle_parts(&handles);
  }
  if (!whole.view) return {Code::argument, "the whole array is null at the root"};
  const std::vector<Operand> parts = parts_of(whole, counts);
  for (int t = 0; t < comm.tasks(); ++t) {
    const Operand& part = parts[static_cast<std::size_t>(t)];
    if (t != root)
      handles.push_back(transfer(part, t, back));
    else
      handles.push_back(back ? begin_within(wire, part, array, false)
                             : begin_within(wire, array, part, false));
  }
  return settle_parts(&handles);
}

Error allgather(TaskComm& comm, const Operand& array, const Operand& whole) {
  const std::int64_t rows = rows_of(array);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.tasks()));
  plain_allgather(comm, &rows, counts.data(), 1, MPI_INT64_T);
  const std::shared_ptr<TaskComm> wire = inner(comm).shared_from_this();
  const std::vector<Operand> parts = parts_of(whole, counts);
  std::vector<Handle> handles;
  // Each task begins with the one behind it.
  for (int k = 1; k < comm.tasks(); ++k) {
    const int from = (comm.task() + comm.tasks() - k) % comm.tasks();
    handles.push_back(begin_receive(wire, {&parts[static_cast<std::size_t>(from)], 1}, from, 0, false));
    handles.push_back(begin_send(wire, {&array, 1}, (comm.task() + k) % comm.tasks(), 0, false));
  }
  handles.push_back(begin_within(wire, array, parts[static_cast<std::size_t>(comm.task())], false));
  return settle_parts(&handles);
}

Error divisible(const TaskComm& comm, const Operand& array) {
  const std::int64_t rows = rows_of(array);
  if (rows % comm.tasks() == 0) return {};
  return {Code::shape,
          fmt::format("task {}, rank {}: dimension 0 has {} elements, which are no {} equal parts, one for "
                      "each task",
                      comm.task(), comm.rank(), rows, comm.tasks())};
}

Error alltoall(TaskComm& comm, const Operand& send, const Operand& receive) {
  const std::shared_ptr<TaskComm> wire = inner(comm).shared_from_this();
  const std::vector<std::int64_t> out(static_cast<std::size_t>(comm.tasks()), rows_of(send) / comm.tasks());
  const std::vector<std::int64_t> in(out.size(), rows_of(receive) / comm.tasks());
  const std::vector<Operand> sent = parts_of(send, out), received = parts_of(receive, in);
  std::vector<Handle> handles;
  for (int k = 1; k < comm.tasks(); ++k) {
    const int from = (comm.task() + comm.tasks() - k) % comm.tasks(), to = (comm.task() + k) % comm.tasks();
    handles.push_back(begin_receive(wire, {&received[static_cast<std::size_t>(from)], 1}, from, 0, false));
    handles.push_back(begin_send(wire, {&sent[static_cast<std::size_t>(to)], 1}, to, 0, false));
  }
  const auto here = static_cast<std::size_t>(comm.task());
  handles.push_back(begin_within(wire, sent[here], received[here], false));
  return settle_parts(&handles);
}

}  // namespace lapwing::arrays
