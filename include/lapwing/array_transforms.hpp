// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the way between distributions for C++; lapwing/arrays.hpp includes it.
//
//   lapwing::transform(LAPWING_OP_TRANSPOSE, 1.0, a, 1.0, c, tasks);  // c += a^T
#pragma once

#include <complex>

#include "lapwing/array_transfers.hpp"

namespace lapwing {

namespace detail {

/// The real and the imaginary part.
struct Scalar {
  double parts[2];
  template <typename T>
  explicit Scalar(T value) : parts{static_cast<double>(value), 0} {}
  template <typename T>
  explicit Scalar(std::complex<T> value) : parts{value.real(), value.imag()} {}
};

}  // namespace detail

/// C = alpha op(A) + beta C (lapwing_array_transform). Collective over the task, as its two siblings are.
template <typename T>
void transform(int op, T alpha, const DistributedArray<T>& a, T beta, DistributedArray<T>& c,
               const Tasks& tasks) {
  detail::check_array(lapwing_array_transform(
      op, detail::Scalar(alpha).parts, a.local().data(), a.allocated(), a.distribution().get(),
      detail::Scalar(beta).parts, c.local().data(), c.allocated(), c.distribution().get(), tasks.get()));
}

template <typename T>
ArrayRequest itransform(int op, T alpha, const DistributedArray<T>& a, T beta, DistributedArray<T>& c,
                        const Tasks& tasks) {
  lapwing_array_request* request = nullptr;
  detail::check_array(lapwing_array_itransform(op, detail::Scalar(alpha).parts, a.local().data(),
                                               a.allocated(), a.distribution().get(),
                                               detail::Scalar(beta).parts, c.local().data(), c.allocated(),
                                               c.distribution().get(), tasks.get(), &request));
  return ArrayRequest(request);
}

template <typename T>
ArrayRequest transform_init(int op, T alpha, const DistributedArray<T>& a, T beta, DistributedArray<T>& c,
                            const Tasks& tasks) {
  lapwing_array_request* request = nullptr;
  detail::check_array(
      lapwing_array_transform_init(op, detail::Scalar(alpha).parts, a.local().data(), a.allocated(),
                                   a.distribution().get(), detail::Scalar(beta).parts, c.local().data(),
                                   c.allocated(), c.distribution().get(), tasks.get(), &request));
  return ArrayRequest(request);
}

}  // namespace lapwing
