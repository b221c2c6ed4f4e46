// SPDX-License-Identifier: Apache-2.0
// Bytes that are appended, mostly a few at a time: where there is room that is a
// store, which a vector's insert() is far from.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace lapwing::tasks::detail {

class Bytes {
 public:
  Bytes() = default;
  Bytes(Bytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Bytes& operator=(Bytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Bytes() { std::free(data_); }

  void append(const void* bytes, std::size_t size) {
    if (size > capacity_ - size_) grow(size);
    if (size > 0) std::memcpy(data_ + size_, bytes, size);
    size_ += size;
  }
  /// Keeps the memory.
  void clear() { size_ = 0; }

  char* data() { return data_; }
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const char* begin() const { return data_; }
  const char* end() const { return data_ + size_; }

 private:
  static constexpr std::size_t least = 512;

  __attribute__((noinline)) void grow(std::size_t more) {
    const std::size_t wanted = size_ + more;
    std::size_t capacity = capacity_ == 0 ? least : 2 * capacity_;
    if (capacity < wanted) capacity = wanted;
    auto* const grown = static_cast<char*>(std::realloc(data_, capacity));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = grown;
    capacity_ = capacity;
  }

  char* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace lapwing::tasks::detail
