// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of distributed arrays for C++; lapwing/arrays.hpp includes it.
//
//   lapwing::Fft plan(a, a_hat, tasks);  // std::complex<float> or <double>; of all dimensions
//   plan.forward(a, a_hat);
//   plan.backward(a_hat, a);
#pragma once

#include <utility>
#include <vector>

#include "lapwing/arrays.hpp"

namespace lapwing {

/// lapwing_fft_create() and its siblings. Making one and its calls are collective over the task; destroyed
/// before the tasks.
class Fft {
 public:
  template <typename T>
  Fft(const DistributedArray<T>& source, const DistributedArray<T>& destination, const Tasks& tasks,
      const std::vector<int>& axes = {}) {
    detail::check_array(lapwing_fft_create(source.distribution().get(), destination.distribution().get(),
                                           static_cast<int>(axes.size()), axes.data(), tasks.get(), &plan_));
  }
  Fft(Fft&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
  Fft& operator=(Fft&& other) noexcept {
    std::swap(plan_, other.plan_);
    return *this;
  }
  ~Fft() { lapwing_fft_free(&plan_); }

  template <typename T>
  void forward(const DistributedArray<T>& from, DistributedArray<T>& to) {
    detail::check_array(
        lapwing_fft_forward(plan_, from.local().data(), from.allocated(), to.local().data(), to.allocated()));
  }
  template <typename T>
  void backward(const DistributedArray<T>& from, DistributedArray<T>& to) {
    detail::check_array(lapwing_fft_backward(plan_, from.local().data(), from.allocated(), to.local().data(),
                                             to.allocated()));
  }

 private:
  lapwing_fft* plan_ = nullptr;
};

}  // namespace lapwing
