// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 7: arithmetic on the way.
#include <fmt/format.h>

#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using arrays::Code;
using arrays::View;
using lapwing::entry::refused;
using lapwing::entry::view_of;

namespace {

struct TransformArguments {
  int op;
  const double *alpha, *beta;
  const void* from_local;
  std::int64_t from_elements;
  const lapwing_distribution* from;
  void* to_local;
  std::int64_t to_elements;
  const lapwing_distribution* to;
  lapwing_tasks* tasks;
};

bool transposes(int op) { return op == LAPWING_OP_TRANSPOSE || op == LAPWING_OP_CONJUGATE_TRANSPOSE; }

// The same view for the same array, so that what is known of it is found again.
std::shared_ptr<const View> transposed(const std::shared_ptr<const View>& view) {
  thread_local std::pair<std::shared_ptr<const View>, std::shared_ptr<const View>> last;
  if (last.first != view) {
    View made = *view;
    made.section = filled(view->section, view->distribution);
    made.section.permutation = {1, 0};
    last = {view, std::make_shared<const View>(std::move(made))};
  }
  return last.second;
}

arrays::Error check_transform(const TransformArguments& given) {
  const arrays::TaskComm& comm = *given.tasks->comm;
  const auto found = [&](Code code, const std::string& why) {
    return arrays::Error{code, fmt::format("task {}, rank {}: {}", comm.task(), comm.rank(), why)};
  };
  if (given.op < LAPWING_OP_NONE || given.op > LAPWING_OP_CONJUGATE)
    return found(Code::argument, fmt::format("op {} is unknown; see enum lapwing_array_op", given.op));
  if (!given.from || !given.to) return {};
  const View &from = *given.from->view, &to = *given.to->view;
  for (const View* view : {&from, &to})
    if (!arrays::transformable(view->distribution.type))
      return found(Code::type, fmt::format("{} has elements of another type than float32, float64, complex64 "
                                           "and complex128, of which there is arithmetic",
                                           arrays::describe(view->distribution)));
  if (from.distribution.type != to.distribution.type)
    return found(Code::type,
                 fmt::format("A is {}, C is {}; their types must be equal",
                             arrays::describe(from.distribution), arrays::describe(to.distribution)));
  if (!arrays::is_complex(to.distribution.type)) {
    const double* const scalars[] = {given.alpha, given.beta};
    for (int i = 0; i < 2; ++i)
      if (scalars[i] && scalars[i][1] != 0)
        return found(Code::argument, fmt::format("{} has the imaginary part {}, and the arrays are real",
                                                 i == 0 ? "alpha" : "beta", scalars[i][1]));
  }
  if (!transposes(given.op)) return {};
  for (const View* view : {&from, &to})
    if (view->distribution.dimensions.size() != 2)
      return found(Code::shape,
                   fmt::format("{} has {} dimensions; a transposition takes two",
                               arrays::describe(view->distribution), view->distribution.dimensions.size()));
  if (!to.section.permutation.empty())
    return found(Code::argument,
                 "the section of C has a permutation already; give that or an op that transposes");
  return {};
}

/// Calls `use(comm, from, to, transform, found)` with what is given.
template <typename Use>
int with_transform(const char* routine, const TransformArguments& given, Use use) {
  if (!given.tasks) return refused(routine, Code::argument, "the tasks are null");
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(routine, error);
  const arrays::Error found = check_transform(given);
  arrays::Transform transform;
  if (given.alpha) transform.alpha = {given.alpha[0], given.alpha[1]};
  if (given.beta) transform.beta = {given.beta[0], given.beta[1]};
  transform.conjugate = given.op == LAPWING_OP_CONJUGATE || given.op == LAPWING_OP_CONJUGATE_TRANSPOSE;
  std::shared_ptr<const View> to = view_of(given.to);
  if (!found && to && transposes(given.op)) to = transposed(to);
  return use(given.tasks->comm, arrays::Operand{given.from_local, given.from_elements, view_of(given.from)},
             arrays::Operand{given.to_local, given.to_elements, to}, transform, found);
}

int hand_out_transform(const char* routine, const TransformArguments& given, bool persistent,
                       lapwing_array_request** request) {
  if (!request) return refused(routine, Code::argument, "the request is null");
  *request = nullptr;
  return with_transform(
      routine, given,
      [&](const auto& comm, const auto& from, const auto& to, const auto& how, const auto& found) {
        auto handle = arrays::begin_transform(comm, from, to, how, persistent, found);
        return lapwing::entry::hand_out(std::move(handle), given.to, persistent, request);
      });
}

}  // namespace

LAPWING_ENTRY int lapwing_array_transform(int op, const double alpha[2], const void* from_local,
                                          int64_t from_elements, const lapwing_distribution* from,
                                          const double beta[2], void* to_local, int64_t to_elements,
                                          const lapwing_distribution* to, lapwing_tasks* tasks) {
  const TransformArguments given{op,   alpha,    beta,        from_local, from_elements,
                                 from, to_local, to_elements, to,         tasks};
  return with_transform(
      __func__, given,
      [&](const auto& comm, const auto& a, const auto& c, const auto& how, const auto& found) {
        const auto handle = arrays::begin_transform(comm, a, c, how, false, found);
        return lapwing::entry::completed("lapwing_array_transform", arrays::wait(handle), nullptr);
      });
}

LAPWING_ENTRY int lapwing_array_itransform(int op, const double alpha[2], const void* from_local,
                                           int64_t from_elements, const lapwing_distribution* from,
                                           const double beta[2], void* to_local, int64_t to_elements,
                                           const lapwing_distribution* to, lapwing_tasks* tasks,
                                           lapwing_array_request** request) {
  return hand_out_transform(
      __func__, {op, alpha, beta, from_local, from_elements, from, to_local, to_elements, to, tasks}, false,
      request);
}

LAPWING_ENTRY int lapwing_array_transform_init(int op, const double alpha[2], const void* from_local,
                                               int64_t from_elements, const lapwing_distribution* from,
                                               const double beta[2], void* to_local, int64_t to_elements,
                                               const lapwing_distribution* to, lapwing_tasks* tasks,
                                               lapwing_array_request** request) {
  return hand_out_transform(
      __func__, {op, alpha, beta, from_local, from_elements, from, to_local, to_elements, to, tasks}, true,
      request);
}
