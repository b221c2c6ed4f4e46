// SPDX-License-Identifier: Apache-2.0
// Hints by call site, from a file (LAPWING_HINTS):
//
//   # what `lapwing pages --hints` prints
//   heat.c:120  order=down
//   exchange    first=64K max=256K train=4
//
// A place is a file and line, "module+0xoffset", or a function, as reports name them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "transfer/accounts/places.hpp"
#include "transfer/hints/hints.hpp"

namespace lapwing::transfer {

class HintFile {
 public:
  struct Entry {
    std::string place;
    Hints hints;
    bool used = false;  ///< some call site is of this place
  };

  /// Reads the file; what is wrong becomes one sentence without its full stop, and the rest is kept.
  void read(const std::string& path, std::string* complaint);
  /// The hints for a call site, which are used from now on: of its line, over those of its function.
  Hints find(const Place& place);

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace lapwing::transfer
