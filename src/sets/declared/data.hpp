// SPDX-License-Identifier: Apache-2.0
// The data of a declaration: where they lie, and copies of them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "sets/declared/automata.hpp"

namespace lapwing::sets::declared {

/// `count` elements of `type`, wherever. Keeps the type alive.
class Layout {
 public:
  Layout(int count, MPI_Datatype type);
  ~Layout();
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }
  std::size_t bytes() const { return bytes_; }  ///< of the data themselves
  /// The memory from the first to the last byte of a buffer.
  Range range(const void* buffer) const;
  /// How much a copy() of it takes.
  std::size_t copy_bytes() const { return dense_ ? bytes_ : packed_; }

  /// The data alone, one after the other. `bytes` has copy_bytes(); returns how
  /// many there are.
  std::size_t pack(const void* buffer, char* bytes) const;
  void unpack(const char* bytes, std::size_t size, void* buffer) const;

 private:
  friend class Block;
  int count_;
  MPI_Datatype type_;
  bool own_ = false, dense_ = false;
  std::size_t bytes_ = 0, packed_ = 0;
  MPI_Aint first_ = 0, last_ = 0;  ///< of its bytes, from the buffer's address
};

/// Memory in which data lie as in the program's own, for MPI's operations.
class Block {
 public:
  Block() = default;
  explicit Block(const Layout& layout);
  void* buffer() const { return buffer_; }
  /// The same bytes as there.
  void fill(const Layout& layout, const void* buffer);
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  std::unique_ptr<char[]> memory_;
  void* buffer_ = nullptr;
};

}  // namespace lapwing::sets::declared
