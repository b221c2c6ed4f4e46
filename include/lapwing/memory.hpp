// SPDX-License-Identifier: Apache-2.0
// Memory of other processes for C++20: the calls of lapwing/memory.h with elements in place of bytes.
//
//   lapwing::Memory<double> memory(n, MPI_COMM_WORLD);          // n doubles on each process
//   std::iota(memory.mine().begin(), memory.mine().end(), 0);
//   memory.barrier();
//   std::vector<double> copy(n);
//   memory.get(copy, neighbour);                                // blocks; all of them from the first on
//   auto started = memory.start_put(std::span(copy).first(10), neighbour, 5);
//   ...
//   started.wait();                                             // or at the end of its scope
//
// Errors go to the error handler of the window, which by default ends the job; where it returns, MemoryError
// is thrown.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "lapwing/memory.h"

// Not inlined, so that the place that calls is the program's own, for Lapwing as well.
#define LAPWING_MEMORY_METHOD [[gnu::noinline]]

namespace lapwing {

class MemoryError : public std::runtime_error {
 public:
  explicit MemoryError(int code)
      : std::runtime_error("an access to the memory of another process failed with MPI's error " +
                           std::to_string(code)),
        code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

namespace detail {
inline void check_memory(int code) {
  if (code != MPI_SUCCESS) throw MemoryError(code);
}
}  // namespace detail

/// An access that has been started. Waits for it when it goes out of scope.
class MemoryAccess {
 public:
  MemoryAccess() = default;
  explicit MemoryAccess(const lapwing_memory_handle& handle) : handle_(handle) {}
  MemoryAccess(MemoryAccess&& other) noexcept : handle_(std::exchange(other.handle_, nothing())) {}
  MemoryAccess& operator=(MemoryAccess&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  LAPWING_MEMORY_METHOD ~MemoryAccess() {
    const lapwing_memory_place place = {"lapwing_memory_wait", __FILE__, __LINE__,
                                        __builtin_return_address(0)};
    lapwing_memory_complete(&place, &handle_, nullptr);
  }

  LAPWING_MEMORY_METHOD void wait(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    const lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memory_wait");
    detail::check_memory(lapwing_memory_complete(&place, &handle_, nullptr));
  }
  /// Whether it is complete. Does not wait for the transfer.
  LAPWING_MEMORY_METHOD bool done(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    const lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memory_try");
    int is_done = 0;
    detail::check_memory(lapwing_memory_complete(&place, &handle_, &is_done));
    return is_done != 0;
  }

 private:
  static lapwing_memory_handle nothing() { return LAPWING_MEMORY_HANDLE_NULL; }
  lapwing_memory_handle handle_ = nothing();
};

/// So many elements on each process of a communicator, of which any process may read and write those of any
/// other. Making and destroying it are collective. `first` counts elements of the target's.
template <typename T>
class Memory {
  static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");

 public:
  /// `elements` may differ between processes. They are not initialised.
  LAPWING_MEMORY_METHOD Memory(std::size_t elements, MPI_Comm comm, const char* file = __builtin_FILE(),
                               int line = __builtin_LINE())
      : comm_(comm) {
    const lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memory_allocate");
    T* mine = nullptr;
    detail::check_memory(lapwing_memory_make(&place, elements * sizeof(T), comm, &mine, &window_));
    mine_ = {mine, elements};
  }
  LAPWING_MEMORY_METHOD ~Memory() {
    const lapwing_memory_place place = {"lapwing_memory_free", __FILE__, __LINE__,
                                        __builtin_return_address(0)};
    lapwing_memory_end(&place, &window_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// The caller's own elements.
  std::span<T> mine() { return mine_; }
  MPI_Win window() const { return window_; }

  /// As lapwing_memget() and lapwing_memput().
  LAPWING_MEMORY_METHOD void get(std::span<T> to, int target, std::size_t first = 0,
                                 const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    const lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memget");
    detail::check_memory(
        lapwing_memory_access(&place, 0, to.data(), at(first), target, to.size_bytes(), window_));
  }
  LAPWING_MEMORY_METHOD void put(std::span<const T> from, int target, std::size_t first = 0,
                                 const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    const lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memput");
    detail::check_memory(lapwing_memory_access(&place, 1, const_cast<T*>(from.data()), at(first), target,
                                               from.size_bytes(), window_));
  }

  /// The same, started only: the memory on both sides is left alone until the access has been waited for.
  [[nodiscard]] LAPWING_MEMORY_METHOD MemoryAccess start_get(std::span<T> to, int target,
                                                             std::size_t first = 0,
                                                             const char* file = __builtin_FILE(),
                                                             int line = __builtin_LINE()) const {
    const lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memget_nb");
    lapwing_memory_handle handle;
    detail::check_memory(
        lapwing_memory_start(&place, 0, to.data(), at(first), target, to.size_bytes(), window_, &handle));
    return MemoryAccess(handle);
  }
  [[nodiscard]] LAPWING_MEMORY_METHOD MemoryAccess start_put(std::span<const T> from, int target,
                                                             std::size_t first = 0,
                                                             const char* file = __builtin_FILE(),
                                                             int line = __builtin_LINE()) const {
    const lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memput_nb");
    lapwing_memory_handle handle;
    detail::check_memory(lapwing_memory_start(&place, 1, const_cast<T*>(from.data()), at(first), target,
                                              from.size_bytes(), window_, &handle));
    return MemoryAccess(handle);
  }

  /// As lapwing_memory_barrier().
  LAPWING_MEMORY_METHOD void barrier(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    const lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memory_barrier");
    detail::check_memory(lapwing_memory_order(&place, window_, comm_));
  }

 private:
  static MPI_Aint at(std::size_t element) { return static_cast<MPI_Aint>(element * sizeof(T)); }

  MPI_Comm comm_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<T> mine_;
};

}  // namespace lapwing

#undef LAPWING_MEMORY_METHOD
