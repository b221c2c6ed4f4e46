// SPDX-License-Identifier: Apache-2.0
#include "arrays/fft/fft_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string>

#include "arrays/agreement.hpp"
#include "arrays/schedules/fft_stages.hpp"
#include "arrays/schedules/local.hpp"

namespace lapwing::arrays {
namespace {

std::vector<std::int64_t> shape_of(const View& view) {
  std::vector<std::int64_t> shape;
  for (const Dimension& d : view.distribution.dimensions) shape.push_back(d.extent);
  return shape;
}

std::string shown(const std::vector<std::int64_t>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

// Why these arrays and dimensions have no transform.
Error check(const View* source, const View* destination, const std::vector<int>& axes) {
  if (!source || !destination) return {Code::argument, "a distribution is null"};
  for (const View* view : {source, destination})
    if (!(filled(view->section, view->distribution) == filled({}, view->distribution)))
      return {Code::argument, fmt::format("a section of {} is given; transforms are of whole arrays",
                                          describe(view->distribution))};
  const ElementType type = source->distribution.type;
  if (const std::string why = SerialFft::why_not(type); !why.empty())
    return {type == ElementType::complex64 || type == ElementType::complex128 ? Code::state : Code::type,
            why};
  if (destination->distribution.type != type)
    return {Code::type, fmt::format("the array is {}, its transform {}", name_of(type),
                                    name_of(destination->distribution.type))};
  const std::vector<std::int64_t> shape = shape_of(*source), other = shape_of(*destination);
  if (shape != other)
    return {Code::shape, fmt::format("the array is {}, its transform {}", shown(shape), shown(other))};
  if (shape.empty()) return {Code::shape, "an array without dimensions has no transform"};
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return {Code::shape, fmt::format("an array of {} has no elements to transform", shown(shape))};
  std::set<int> different(axes.begin(), axes.end());
  if (different.size() != axes.size() || *different.begin() < 0 ||
      *different.rbegin() >= static_cast<int>(shape.size()))
    return {Code::argument,
            fmt::format("the dimensions ({}) are not different ones of an array of {} dimensions",
                        fmt::join(axes, ", "), shape.size())};
  return {};
}

template <typename Part>
void multiply(std::vector<char>& memory, std::int64_t elements, double by) {
  auto* const parts = reinterpret_cast<Part*>(memory.data());
  for (std::int64_t i = 0; i < 2 * elements; ++i) parts[i] *= static_cast<Part>(by);
}

}  // namespace

Error FftPlan::make(const std::shared_ptr<TaskComm>& comm, std::shared_ptr<const View> source,
                    std::shared_ptr<const View> destination, std::vector<int> axes,
                    std::unique_ptr<FftPlan>* out) {
  if (axes.empty() && source) {
    axes.resize(source->distribution.dimensions.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::unique_ptr<FftPlan> plan(new FftPlan);
  plan->comm_ = comm;
  plan->source_ = std::move(source);
  plan->destination_ = std::move(destination);
  Error mine = check(plan->source_.get(), plan->destination_.get(), axes);
  std::size_t call = 0;
  if (!mine) {
    const std::string bytes = Descriptor::of({plan->source_, plan->destination_})->bytes;
    call = std::hash<std::string>{}(fmt::format("{} ", fmt::join(axes, ",")) + bytes);
    mine = plan->set_up(std::move(axes));
  }
  if (mine) mine.text = fmt::format("task {}, rank {}: {}", comm->task(), comm->rank(), mine.text);
  Error error = agree_within(*comm, mine, call, "arrays or dimensions");
  if (!error) *out = std::move(plan);
  return error;
}

Error FftPlan::set_up(std::vector<int> axes) {
  const std::vector<std::int64_t> shape = shape_of(*source_);
  for (const int d : axes) transformed_ *= static_cast<double>(shape[static_cast<std::size_t>(d)]);
  for (const FftStage& stage : fft_stages(shape, axes, comm_->processes()))
    if (Error error = add(stage)) return error;
  return {};
}

Error FftPlan::add(const FftStage& wanted) {
  const ElementType type = source_->distribution.type;
  std::vector<int> grid(wanted.divided.size());
  if (!grid.empty()) PMPI_Dims_create(comm_->processes(), static_cast<int>(grid.size()), grid.data());
  Stage stage;
  stage.view =
      std::make_shared<const View>(View{fft_array(wanted, shape_of(*source_), type, grid), {}, false});
  const LocalPart part = local_part(stage.view->distribution, comm_->rank());
  stage.elements = part.elements;
  stage.memory.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, part.elements * size_of(type))));
  if (part.elements > 0) {
    std::vector<SerialFft::Dimension> transformed, others;
    for (std::size_t d = 0; d < part.extents.size(); ++d) {
      const SerialFft::Dimension dimension{static_cast<std::ptrdiff_t>(part.extents[d]),
                                           static_cast<std::ptrdiff_t>(part.strides[d]),
                                           static_cast<std::ptrdiff_t>(part.strides[d])};
      const bool now = std::find(wanted.transformed.begin(), wanted.transformed.end(), static_cast<int>(d)) !=
                       wanted.transformed.end();
      (now ? transformed : others).push_back(dimension);
    }
    stage.forward = SerialFft(type, transformed, others, stage.memory.data(), true);
    stage.backward = SerialFft(type, transformed, others, stage.memory.data(), false);
    if (!stage.forward.made() || !stage.backward.made())
      return {Code::state,
              fmt::format("FFTW could not plan the transforms of {}", describe(stage.view->distribution))};
  }
  stages_.push_back(std::move(stage));
  return {};
}

void FftPlan::scale(Stage& stage) const {
  if (source_->distribution.type == ElementType::complex64)
    multiply<float>(stage.memory, stage.elements, 1 / transformed_);
  else
    multiply<double>(stage.memory, stage.elements, 1 / transformed_);
}

Error FftPlan::run(bool forward, const void* local, std::int64_t elements, void* out,
                   std::int64_t out_elements) {
  const std::size_t count = stages_.size();
  const auto stage = [&](std::size_t step) -> Stage& { return stages_[forward ? step : count - 1 - step]; };
  const Operand from{local, elements, forward ? source_ : destination_};
  const Operand to{out, out_elements, forward ? destination_ : source_};
  if (Status moved = wait(begin_within(comm_, from, stage(0).operand(), false)); moved.error)
    return moved.error;
  for (std::size_t step = 0; step < count; ++step) {
    Stage& now = stage(step);
    const SerialFft& fft = forward ? now.forward : now.backward;
    if (fft.made()) fft.run();
    if (step + 1 == count) break;
    Handle& request = forward ? now.to_next : now.to_previous;
    if (!request) request = begin_within(comm_, now.operand(), stage(step + 1).operand(), true);
    if (Error error = start(request)) return error;
    if (Status moved = wait(request); moved.error) return moved.error;
  }
  if (!forward) scale(stage(count - 1));
  return wait(begin_within(comm_, stage(count - 1).operand(), to, false)).error;
}

}  // namespace lapwing::arrays
