// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of what one process holds, by FFTW 3, which is found when the first plan is made: in the
// program, or as the system's libfftw3.so.3 and libfftw3f.so.3. Lapwing is built without it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "arrays/schedules/element.hpp"

namespace lapwing::arrays {

class SerialFft {
 public:
  /// A dimension of the memory: FFTW's iodim64.
  struct Dimension {
    std::ptrdiff_t extent, stride_in, stride_out;
  };

  /// Why there are no transforms of this type; "" where there are. Finds FFTW.
  static std::string why_not(ElementType type);

  SerialFft() = default;
  /// In place, of `transformed`, for each index of `others`; why_not() is "". The memory keeps its place.
  SerialFft(ElementType type, const std::vector<Dimension>& transformed, const std::vector<Dimension>& others,
            void* memory, bool forward);
  ~SerialFft();
  SerialFft(SerialFft&& other) noexcept;
  SerialFft& operator=(SerialFft&& other) noexcept;

  /// False where FFTW could not make the plan.
  bool made() const { return plan_ != nullptr; }
  void run() const;

 private:
  ElementType type_ = ElementType::complex128;
  void* plan_ = nullptr;
};

}  // namespace lapwing::arrays
