// SPDX-License-Identifier: Apache-2.0
// Addresses that all ranks have: those in the program and in its libraries,
// which travel as module and offset, and those of shared objects, which are the
// same everywhere. All others mean something on one rank only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lapwing::tasks::ranks {

class Modules {
 public:
  enum Kind { nothing, own, everywhere };

  /// The modules that are loaded now, as bytes for the other ranks.
  std::vector<char> scan();
  /// Agrees on what all have. Error, the same on all, where programs differ.
  void agree(const std::vector<std::vector<char>>& of_all);
  /// Where shared objects lie on all ranks.
  void share(std::uintptr_t begin, std::uintptr_t end) {
    shared_begin_ = begin;
    shared_end_ = end;
  }

  Kind kind(std::uint64_t word) const;
  /// 0 for an address that not all ranks have, and for 0.
  std::uint64_t encode(std::uint64_t address) const;
  std::uint64_t decode(std::uint64_t code) const;
  template <class T>
  std::uint64_t encode(const T* address) const {
    return encode(reinterpret_cast<std::uint64_t>(address));
  }
  template <class T>
  const T* decode_as(std::uint64_t code) const {
    return reinterpret_cast<const T*>(decode(code));
  }
  /// The file in which an address lies, for messages.
  std::string file_of(std::uint64_t address) const;

 private:
  struct Module {
    std::uint64_t begin, end, base, identity;
    std::string name;
    int agreed = -1;
  };
  const Module* find(std::uint64_t address) const;

  std::vector<Module> loaded_;         // by address
  std::vector<std::uint64_t> agreed_;  // bases
  const Module* program_ = nullptr;
  std::uint64_t lowest_ = 0;
  std::uintptr_t shared_begin_ = 0, shared_end_ = 0;
};

Modules& modules();

}  // namespace lapwing::tasks::ranks
