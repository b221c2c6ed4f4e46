// SPDX-License-Identifier: Apache-2.0
// A Fourier transform of a distributed array: redistributions, and serial transforms where a dimension is
// whole.
#pragma once

#include <memory>
#include <vector>

#include "arrays/calls.hpp"
#include "arrays/fft/serial_fft.hpp"

namespace lapwing::arrays {

class FftPlan {
 public:
  /// Of arrays that lie as `source` does into such as `destination`; no `axes`: of all dimensions. Collective
  /// over the task; the same error on every process, which then has no plan.
  static Error make(const std::shared_ptr<TaskComm>& comm, std::shared_ptr<const View> source,
                    std::shared_ptr<const View> destination, std::vector<int> axes,
                    std::unique_ptr<FftPlan>* out);

  /// From the source to the destination, or the inverse, which divides by the number of elements of a
  /// transform. Collective over the task. `local` stays, unless it is `out`.
  Error run(bool forward, const void* local, std::int64_t elements, void* out, std::int64_t out_elements);

 private:
  struct Stage {
    std::shared_ptr<const View> view;
    std::vector<char> memory;
    std::int64_t elements = 0;
    SerialFft forward, backward;
    Handle to_next, to_previous;
    Operand operand() { return {memory.data(), elements, view}; }
  };

  FftPlan() = default;
  Error set_up(std::vector<int> axes);
  Error add(const struct FftStage& stage);
  void scale(Stage& stage) const;

  std::shared_ptr<TaskComm> comm_;
  std::shared_ptr<const View> source_, destination_;
  std::vector<Stage> stages_;
  double transformed_ = 1;  // elements of one transform
};

}  // namespace lapwing::arrays
