// SPDX-License-Identifier: Apache-2.0
#include "arrays/collectives/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "arrays/schedules/index_list.hpp"
#include "arrays/schedules/local.hpp"
#include "arrays/schedules/pack.hpp"
#include "arrays/transfers/progress.hpp"

namespace lapwing::arrays {
namespace {

// Every task's bytes, on every process, in the order of tasks. All processes of a
// task have the same.
std::vector<std::string> from_all(TaskComm& comm, const std::string& mine) {
  const auto tasks = static_cast<std::size_t>(comm.tasks());
  std::vector<int> sizes(tasks), places(tasks);
  const int size = static_cast<int>(mine.size());
  plain_gather(comm, &size, sizes.data(), 1, MPI_INT, 0);
  plain_broadcast(comm, sizes.data(), comm.tasks(), MPI_INT, 0);
  int sum = 0;
  for (std::size_t t = 0; t < tasks; ++t) {
    places[t] = sum;
    sum += sizes[t];
  }
  std::string all(static_cast<std::size_t>(sum), '\0');
  if (comm.rank() == 0)
    complete([&](MPI_Request* r) {
      PMPI_Iallgatherv(mine.data(), size, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE,
                       comm.leaders(), r);
    });
  const MPI_Comm own = inner(comm).own();
  complete([&](MPI_Request* r) { PMPI_Ibcast(all.data(), sum, MPI_BYTE, 0, own, r); });
  std::vector<std::string> found;
  for (std::size_t t = 0; t < tasks; ++t)
    found.push_back(all.substr(static_cast<std::size_t>(places[t]), static_cast<std::size_t>(sizes[t])));
  return found;
}

// The worst process' own part of sending this task's array to each other task:
// messages, bytes, and bytes that must be packed.
std::vector<std::int64_t> costs_from_here(TaskComm& comm, const View& mine,
                                          const std::vector<std::shared_ptr<const Descriptor>>& all) {
  std::vector<long long> row(all.size(), 0);
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (static_cast<int>(t) == comm.task()) continue;
    const View& theirs = *all[t]->views[0];
    if (has_lists(mine.distribution) || has_lists(theirs.distribution)) {
      // Their schedule takes messages: all of this part to as many processes as may be.
      const std::int64_t elements = local_part(mine.distribution, comm.rank()).elements;
      const double own = static_cast<double>(elements * mine.distribution.element_bytes());
      row[t] = static_cast<long long>(comm.processes(static_cast<int>(t)) * comm.message_ns +
                                      2 * own * comm.byte_ns);
      continue;
    }
    const Schedule schedule =
        Schedule::sending(mine.distribution, mine.section, comm.rank(), theirs.distribution, theirs.section);
    double cost = 0;
    for (const Piece& piece : schedule.pieces()) {
      std::int64_t offset = 0;
      const double bytes = static_cast<double>(piece.bytes());
      cost += comm.message_ns + bytes * comm.byte_ns * (contiguous(piece, offset) ? 1 : 2);
    }
    row[t] = static_cast<long long>(cost);
  }
  const MPI_Comm own = inner(comm).own();
  complete([&](MPI_Request* r) {
    PMPI_Iallreduce(MPI_IN_PLACE, row.data(), static_cast<int>(row.size()), MPI_LONG_LONG, MPI_MAX, own, r);
  });
  return {row.begin(), row.end()};
}

std::shared_ptr<const Descriptor> alone(const std::shared_ptr<const View>& view) {
  return Descriptor::of({view});
}

MPI_Datatype datatype_of(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return MPI_INT8_T;
    case ElementType::uint8:
      return MPI_UINT8_T;
    case ElementType::int16:
      return MPI_INT16_T;
    case ElementType::uint16:
      return MPI_UINT16_T;
    case ElementType::int32:
      return MPI_INT32_T;
    case ElementType::uint32:
      return MPI_UINT32_T;
    case ElementType::int64:
      return MPI_INT64_T;
    case ElementType::uint64:
      return MPI_UINT64_T;
    case ElementType::float32:
      return MPI_FLOAT;
    case ElementType::float64:
      return MPI_DOUBLE;
    case ElementType::long_double:
      return MPI_LONG_DOUBLE;
    case ElementType::complex64:
      return MPI_C_FLOAT_COMPLEX;
    case ElementType::complex128:
      return MPI_C_DOUBLE_COMPLEX;
    case ElementType::complex_long_double:
      return MPI_C_LONG_DOUBLE_COMPLEX;
    case ElementType::opaque:
      break;
  }
  return MPI_DATATYPE_NULL;
}

// Waits for all; the first error.
Error settle(std::vector<Handle>* handles) {
  Error first;
  for (const Handle& handle : *handles)
    if (Status status = wait(handle); status.error && !first) first = status.error;
  handles->clear();
  return first;
}

// A local part of the operand's size.
struct Copy {
  std::vector<char> bytes;
  Operand operand;
  Copy(const Operand& like, int rank) : operand(like) {
    const LocalPart part = local_part(like.view->distribution, rank);
    bytes.resize(static_cast<std::size_t>(part.allocated * like.view->distribution.element_bytes()) + 1);
    operand.local = bytes.data();
    operand.elements = part.allocated;
  }
};

}  // namespace

Error plan_steps(TaskComm& comm, const std::shared_ptr<const View>& view, Shape shape, int root,
                 std::vector<Step>* steps) {
  if (!view) return {Code::argument, "the distribution is null"};
  const std::vector<std::string> bytes = from_all(comm, alone(view)->bytes);
  std::string key = fmt::format("{} {} ", static_cast<int>(shape), root);
  for (const std::string& each : bytes) key += each;
  if (const auto known = comm.step_plans.find(key); known != comm.step_plans.end()) {
    *steps = known->second;
    return {};
  }
  std::vector<std::shared_ptr<const Descriptor>> all;
  for (const std::string& each : bytes) {
    std::string problem;
    all.push_back(Descriptor::read(each, &problem));
    if (!all.back()) return {Code::argument, problem};
  }
  // All processes see the same error, whichever tasks differ.
  for (std::size_t t = 1; t < all.size(); ++t)
    if (Error error = compare(*all[0], comm.party(0), *all[t], comm.party(static_cast<int>(t)), 0))
      return error;
  const std::vector<std::int64_t> row = costs_from_here(comm, *view, all);
  const auto rows = from_all(
      comm, std::string(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(std::int64_t)));
  Costs costs(rows.size(), row);
  for (std::size_t t = 0; t < rows.size(); ++t) std::memcpy(costs[t].data(), rows[t].data(), rows[t].size());
  if (shape == Shape::reduction) *steps = plan_reduction(costs, root);
  if (shape == Shape::broadcast) *steps = plan_broadcast(costs, root);
  if (shape == Shape::allreduce) *steps = plan_allreduce(costs);
  if (comm.step_plans.size() > 32) comm.step_plans.clear();
  comm.step_plans[key] = *steps;
  return {};
}

Error broadcast(TaskComm& comm, const Operand& array, int root) {
  std::vector<Step> steps;
  if (Error error = plan_steps(comm, array.view, Shape::broadcast, root, &steps)) return error;
  const std::shared_ptr<TaskComm> wire = inner(comm).shared_from_this();
  Error first;
  std::vector<Handle> sends;
  for (const Step& step : steps) {
    if (step.to == comm.task()) {
      if (Status status = wait(begin_receive(wire, {&array, 1}, step.from, 0, false)); status.error && !first)
        first = status.error;
    } else if (step.from == comm.task()) {
      sends.push_back(begin_send(wire, {&array, 1}, step.to, 0, false));
    }
  }
  Error last = settle(&sends);
  return first ? first : last;
}

Error reduce(TaskComm& comm, const Operand& array, void* result, MPI_Op op, int root) {
  if (!array.view) return {Code::argument, "the distribution is null"};
  const MPI_Datatype type = datatype_of(array.view->distribution.type);
  if (type == MPI_DATATYPE_NULL)
    return {Code::type, "elements that only the program understands cannot be reduced"};
  std::vector<Step> steps;
  if (Error error =
          plan_steps(comm, array.view, root == any ? Shape::allreduce : Shape::reduction, root, &steps))
    return error;
  const std::shared_ptr<TaskComm> wire = inner(comm).shared_from_this();
  Operand partial = array;
  std::optional<Copy> sum, came;
  Error first;
  auto keep = [&](Error error) {
    if (error && !first) first = std::move(error);
  };
  bool final = false;  // what comes is the result, no more a part of it
  for (const Step& step : steps) {
    if (step.from == comm.task()) {
      // After it has sent its part a task that is not the last one waits for the result.
      keep(wait(begin_send(wire, {&partial, 1}, step.to, 0, false)).error);
      final = true;
    } else if (step.to == comm.task()) {
      if (!came) came.emplace(array, comm.rank());
      keep(wait(begin_receive(wire, {&came->operand, 1}, step.from, 0, false)).error);
      if (final) {
        partial = came->operand;
        continue;
      }
      if (!sum) {
        sum.emplace(array, comm.rank());
        if (sum->operand.elements > 0) std::memcpy(sum->bytes.data(), array.local, sum->bytes.size() - 1);
        partial = sum->operand;
      }
      const std::int64_t count = sum->operand.elements;
      const std::int64_t each = array.view->distribution.element_bytes();
      for (std::int64_t done = 0; done < count; done += 1 << 28)
        PMPI_Reduce_local(came->bytes.data() + done * each, sum->bytes.data() + done * each,
                          static_cast<int>(std::min<std::int64_t>(count - done, 1 << 28)), type, op);
    }
  }
  if (root != any && root != comm.task()) return first;
  Operand to = array;
  to.local = result;
  if (result != partial.local) {
    // A permutation is the receiver's; here both sides are one array.
    View straight = *array.view;
    straight.section.permutation.clear();
    partial.view = to.view = std::make_shared<View>(std::move(straight));
    keep(wait(begin_within(wire, partial, to, false)).error);
  }
  return first;
}

}  // namespace lapwing::arrays
