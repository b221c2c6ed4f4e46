// SPDX-License-Identifier: Apache-2.0
// The ways in which a program touches its bytes: in loops of every order, through libc, from
// another thread, in a fork's child, and by system calls.
#pragma once

#include "script.hpp"

namespace lapwing::fuzz {

class Toucher {
 public:
  explicit Toucher(const std::string& directory);
  ~Toucher();
  Toucher(const Toucher&) = delete;
  Toucher& operator=(const Toucher&) = delete;

  // Touches the bytes and returns a digest of what was seen, system calls' results included.
  uint64_t touch(Touch how, char* at, size_t bytes, uint64_t key);

 private:
  uint64_t by_system_call(Touch how, char* at, size_t bytes, uint64_t key);
  int file_;
};

}  // namespace lapwing::fuzz
