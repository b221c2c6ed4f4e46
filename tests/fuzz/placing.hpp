// SPDX-License-Identifier: Apache-2.0
// Where a step's bytes lie, and in which sizes and shapes: choices that all kinds of step share.
#pragma once

#include <map>
#include <utility>

#include "script.hpp"

namespace lapwing::fuzz {

size_t choose_bytes(Random& random);

// Gives each part of one step a place of its own in its rank's memory, often right beside
// another one, so that two transfers meet in a page.
class Placer {
 public:
  explicit Placer(bool stack_allowed) : stack_allowed_(stack_allowed) {}
  Region place(Random& random, int world, size_t bytes, size_t align, bool temporary = false);

 private:
  struct Range {
    size_t begin, end;
  };
  bool fits(int world, Home home, size_t begin, size_t end) const;

  bool stack_allowed_;
  std::map<std::pair<int, Home>, std::vector<Range>> used_;
};

Layout choose_layout(Random& random, size_t elements);
std::vector<Touch> choose_touches(Random& random, bool received);
Release choose_release(Random& random, Home home);
SendCall choose_send(Random& random, size_t bytes, bool blocking_only, bool ready, bool buffered);
RecvCall choose_recv(Random& random, bool posted);

}  // namespace lapwing::fuzz
