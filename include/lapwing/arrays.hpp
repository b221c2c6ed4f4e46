// SPDX-License-Identifier: Apache-2.0
// Distributed arrays for C++: the C API of lapwing/arrays.h with owners, element
// types and views of the local part.
//
//   lapwing::Tasks tasks = lapwing::Tasks::of_programs();
//   lapwing::DistributedArray<double> a(tasks, {lapwing_block(8, 4, 0), lapwing_collapsed(8)}, {4});
//   for (auto& x : a.local()) x = 1;                    // ghosts and all
//   a.view()(0, 0) = 2;                                 // the first element owned here
//   lapwing::send(a, 1, 99, tasks);
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "lapwing/arrays.h"

namespace lapwing {

/// Thrown where errors are returned (lapwing_array_errors_return(1)).
class ArrayError : public std::runtime_error {
 public:
  explicit ArrayError(int code) : std::runtime_error(lapwing_array_error_string()), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

namespace detail {

inline void check_array(int code) {
  if (code != LAPWING_ARRAY_OK) throw ArrayError(code);
}

template <typename T>
constexpr int array_type() {
  if constexpr (std::is_same_v<T, float>) return LAPWING_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return LAPWING_FLOAT64;
  if constexpr (std::is_same_v<T, long double>) return LAPWING_LONG_DOUBLE;
  if constexpr (std::is_same_v<T, std::complex<float>>) return LAPWING_COMPLEX64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return LAPWING_COMPLEX128;
  if constexpr (std::is_same_v<T, std::complex<long double>>) return LAPWING_COMPLEX_LONG_DOUBLE;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr int base = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
    return base + (std::is_unsigned_v<T> ? 1 : 0);
  }
  static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");
  return LAPWING_OPAQUE(static_cast<int>(sizeof(T)));
}

}  // namespace detail

/// A communicator of tasks. Destroying it is collective over all its processes.
class Tasks {
 public:
  Tasks(MPI_Comm comm, int task) { detail::check_array(lapwing_tasks_create(comm, task, &tasks_)); }
  static Tasks of_sizes(MPI_Comm comm, const std::vector<int>& sizes) {
    Tasks made;
    detail::check_array(
        lapwing_tasks_of_sizes(comm, static_cast<int>(sizes.size()), sizes.data(), &made.tasks_));
    return made;
  }
  static Tasks of_programs() {
    Tasks made;
    detail::check_array(lapwing_tasks_of_programs(&made.tasks_));
    return made;
  }
  Tasks(Tasks&& other) noexcept : tasks_(std::exchange(other.tasks_, nullptr)) {}
  Tasks& operator=(Tasks&& other) noexcept {
    std::swap(tasks_, other.tasks_);
    return *this;
  }
  ~Tasks() { lapwing_tasks_free(&tasks_); }

  Tasks dup() const {
    Tasks made;
    detail::check_array(lapwing_tasks_dup(tasks_, &made.tasks_));
    return made;
  }
  int rank() const { return lapwing_tasks_rank(tasks_); }
  int size() const { return lapwing_tasks_size(tasks_); }
  int process_rank() const { return lapwing_tasks_process_rank(tasks_); }
  int processes() const { return lapwing_tasks_processes(tasks_, rank()); }
  int processes(int task) const { return lapwing_tasks_processes(tasks_, task); }
  MPI_Comm comm() const { return lapwing_tasks_comm(tasks_); }
  lapwing_tasks* get() const { return tasks_; }

 private:
  Tasks() = default;
  lapwing_tasks* tasks_ = nullptr;
};

/// The owned elements of one process, by local indices from 0: as an mdspan.
template <typename T>
class LocalView {
 public:
  LocalView(T* first, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides)
      : first_(first), extents_(std::move(extents)), strides_(std::move(strides)) {}

  std::size_t rank() const { return extents_.size(); }
  std::int64_t extent(std::size_t d) const { return extents_[d]; }
  std::int64_t stride(std::size_t d) const { return strides_[d]; }
  T* data() const { return first_; }
  /// One index for each dimension; from -ghost_below on where there are ghosts.
  template <typename... Indices>
  T& operator()(Indices... indices) const {
    std::int64_t place = 0;
    std::size_t d = 0;
    ((place += static_cast<std::int64_t>(indices) * strides_[d++]), ...);
    return first_[place];
  }

 private:
  T* first_;
  std::vector<std::int64_t> extents_, strides_;
};

/// A distribution, or a section of one; free to copy.
class ArrayDistribution {
 public:
  ArrayDistribution(int type, const std::vector<lapwing_dimension>& dimensions, const std::vector<int>& grid,
                    int order = LAPWING_ROW_MAJOR, const std::vector<int>& ranks = {},
                    const std::vector<std::int64_t>& leading = {}) {
    const lapwing_grid over{static_cast<int>(grid.size()), grid.data(), LAPWING_ROW_MAJOR,
                            ranks.empty() ? nullptr : ranks.data()};
    detail::check_array(
        lapwing_distribution_create(type, static_cast<int>(dimensions.size()), dimensions.data(), &over,
                                    order, leading.empty() ? nullptr : leading.data(), &distribution_));
  }
  ArrayDistribution(ArrayDistribution&& other) noexcept
      : distribution_(std::exchange(other.distribution_, nullptr)) {}
  ArrayDistribution& operator=(ArrayDistribution&& other) noexcept {
    std::swap(distribution_, other.distribution_);
    return *this;
  }
  ~ArrayDistribution() { lapwing_distribution_free(&distribution_); }

  ArrayDistribution section(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count,
                            const std::vector<std::int64_t>& stride = {},
                            const std::vector<int>& permutation = {}) const {
    ArrayDistribution made;
    detail::check_array(lapwing_distribution_section(
        distribution_, first.data(), count.data(), stride.empty() ? nullptr : stride.data(),
        permutation.empty() ? nullptr : permutation.data(), &made.distribution_));
    return made;
  }
  ArrayDistribution converting() const {
    ArrayDistribution made;
    detail::check_array(lapwing_distribution_converting(distribution_, &made.distribution_));
    return made;
  }
  const lapwing_distribution* get() const { return distribution_; }

 private:
  ArrayDistribution() = default;
  lapwing_distribution* distribution_ = nullptr;
};

/// An array and the calling process' local memory of it.
template <typename T>
class DistributedArray {
 public:
  DistributedArray(const Tasks& tasks, const std::vector<lapwing_dimension>& dimensions,
                   const std::vector<int>& grid, int order = LAPWING_ROW_MAJOR)
      : distribution_(detail::array_type<T>(), dimensions, grid, order), rank_(tasks.process_rank()) {
    const std::size_t n = dimensions.size();
    extents_.resize(n);
    strides_.resize(n);
    lapwing_distribution_local(distribution_.get(), rank_, &part_, extents_.data(), nullptr, strides_.data());
    local_.resize(static_cast<std::size_t>(part_.allocated));
  }

  std::vector<T>& local() { return local_; }
  const std::vector<T>& local() const { return local_; }
  std::int64_t allocated() const { return part_.allocated; }
  LocalView<T> view() { return {local_.data() + part_.offset, extents_, strides_}; }
  const ArrayDistribution& distribution() const { return distribution_; }
  /// Calls visit(index, element) for every owned element, with its global index.
  template <typename Visit>
  void each(Visit visit) {
    std::vector<std::int64_t> index(extents_.size());
    for (std::int64_t p = 0; p < part_.allocated; ++p)
      if (lapwing_distribution_index(distribution_.get(), rank_, p, index.data()) == LAPWING_ARRAY_OK)
        visit(index, local_[static_cast<std::size_t>(p)]);
  }

 private:
  ArrayDistribution distribution_;
  int rank_;
  lapwing_local_part part_{};
  std::vector<std::int64_t> extents_, strides_;
  std::vector<T> local_;
};

}  // namespace lapwing

#include "lapwing/array_fft.hpp"
#include "lapwing/array_files.hpp"
#include "lapwing/array_index_lists.hpp"
#include "lapwing/array_transfers.hpp"
#include "lapwing/array_transforms.hpp"
