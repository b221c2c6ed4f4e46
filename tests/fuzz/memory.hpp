// SPDX-License-Identifier: Apache-2.0
// The memory of one rank: slots of every kind that a program may receive into, and temporary
// regions that are given back in every way that a program may give memory back.
#pragma once

#include <string>
#include <vector>

#include "script.hpp"

namespace lapwing::fuzz {

struct Temporary {
  char* base = nullptr;
  size_t bytes = 0;
  Home home = Home::temp_heap;
};

Temporary allocate(const Region& region, uint64_t key);

// Gives it back and returns a digest of what the program saw while doing so; `hold` is the caller's.
uint64_t release(Temporary& temporary, Release how);

// An open file without a name in the directory.
int nameless_file(const std::string& directory);

class Memory {
 public:
  // Fresh slots, filled from the key.
  void begin(uint64_t key, const std::string& directory);
  char* slot(Home home) const { return slots_[static_cast<int>(home)]; }
  uint64_t digest_of(Home home) const;
  void end();

 private:
  char* slots_[kSlots] = {};
};

}  // namespace lapwing::fuzz
