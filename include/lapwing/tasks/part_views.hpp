// SPDX-License-Identifier: Apache-2.0
// How a task's body sees elements of an array that do not follow each other.
#pragma once

#include <cstddef>
#include <span>

namespace lapwing::tasks {

/// size() elements, each a stride after the one before.
template <class E>
class strided {
 public:
  strided(E* first, std::size_t count, std::size_t stride) : first_(first), count_(count), stride_(stride) {}
  std::size_t size() const { return count_; }
  E& operator[](std::size_t i) const { return first_[i * stride_]; }

  class iterator {
   public:
    iterator(const strided& all, std::size_t at) : all_(all), at_(at) {}
    E& operator*() const { return all_[at_]; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const iterator& other) const { return at_ == other.at_; }

   private:
    strided all_;
    std::size_t at_;
  };
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, count_}; }

 private:
  E* first_;
  std::size_t count_, stride_;
};

/// size() rows: a block of a matrix.
template <class E>
class rows {
 public:
  rows(E* first, std::size_t width, std::size_t count, std::size_t stride)
      : first_(first), width_(width), count_(count), stride_(stride) {}
  std::size_t size() const { return count_; }
  std::span<E> operator[](std::size_t i) const { return {first_ + i * stride_, width_}; }

 private:
  E* first_;
  std::size_t width_, count_, stride_;
};

}  // namespace lapwing::tasks
