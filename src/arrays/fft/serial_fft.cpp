// SPDX-License-Identifier: Apache-2.0
#include "arrays/fft/serial_fft.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>
#include <utility>

namespace lapwing::arrays {
namespace {

constexpr unsigned estimate = 1u << 6;  // FFTW_ESTIMATE: no trials, and the same plan in every run

// FFTW's functions of one precision.
struct Library {
  using Make = void*(int, const SerialFft::Dimension*, int, const SerialFft::Dimension*, void*, void*, int,
                     unsigned);
  using Use = void(void*);
  Make* make = nullptr;
  Use *run = nullptr, *destroy = nullptr;
  std::string why;

  Library(const char* file, const char* prefix, const char* package) {
    const auto find = [&](void* where, const char* name) {
      return dlsym(where, fmt::format("{}_{}", prefix, name).c_str());
    };
    void* where = RTLD_DEFAULT;
    if (!find(where, "plan_guru64_dft")) where = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!where) {
      why = fmt::format(
          "FFTW 3 makes the transforms, and its library {} is not on this machine: install it (Debian: {}), "
          "or "
          "link the program with it",
          file, package);
      return;
    }
    make = reinterpret_cast<Make*>(find(where, "plan_guru64_dft"));
    run = reinterpret_cast<Use*>(find(where, "execute"));
    destroy = reinterpret_cast<Use*>(find(where, "destroy_plan"));
    if (!make || !run || !destroy)
      why = fmt::format("{} lacks {}_plan_guru64_dft, which FFTW 3 has", file, prefix);
  }
};

const Library& library(ElementType type) {
  if (type == ElementType::complex64) {
    static const Library single("libfftw3f.so.3", "fftwf", "libfftw3-single3");
    return single;
  }
  static const Library twice("libfftw3.so.3", "fftw", "libfftw3-double3");
  return twice;
}

// FFTW's planner is for one thread at a time.
std::mutex& planner() {
  static std::mutex lock;
  return lock;
}

}  // namespace

std::string SerialFft::why_not(ElementType type) {
  if (type != ElementType::complex64 && type != ElementType::complex128)
    return fmt::format("transforms are of complex64 and complex128, not of {}", name_of(type));
  return library(type).why;
}

SerialFft::SerialFft(ElementType type, const std::vector<Dimension>& transformed,
                     const std::vector<Dimension>& others, void* memory, bool forward)
    : type_(type) {
  const std::lock_guard guard(planner());
  plan_ = library(type).make(static_cast<int>(transformed.size()), transformed.data(),
                             static_cast<int>(others.size()), others.data(), memory, memory, forward ? -1 : 1,
                             estimate);
}

SerialFft::~SerialFft() {
  if (!plan_) return;
  const std::lock_guard guard(planner());
  library(type_).destroy(plan_);
}

SerialFft::SerialFft(SerialFft&& other) noexcept
    : type_(other.type_), plan_(std::exchange(other.plan_, nullptr)) {}

SerialFft& SerialFft::operator=(SerialFft&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(plan_, other.plan_);
  return *this;
}

void SerialFft::run() const { library(type_).run(plan_); }

}  // namespace lapwing::arrays
