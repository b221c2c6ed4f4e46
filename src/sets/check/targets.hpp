// SPDX-License-Identifier: Apache-2.0
// Functions that may be called through pointers, from all files of the program
// that were compiled with --sets. Knows no MPI.
//
// A call through a pointer parts processes only where some function that could be
// meant may come to a group's call: the answer is the same in all processes of one
// program.
#pragma once

#include <cstdint>

#include "lapwing/compiled_sets.h"

namespace lapwing::sets {

class Targets {
 public:
  static void add(const lapwing_target* targets, int count);
  static bool may_split(lapwing_pointer_site& site) {
    if (site.looked_up != version_) [[unlikely]]
      look_up(site);
    return site.may_split != 0;
  }
  /// Of a function: the same number in all processes that run this program, with
  /// thirty bits, which two functions of one module never share.
  static int number(const void* function);
  /// The one with this number that number() was asked about; null if there is none.
  static const void* function(int number);

 private:
  static void look_up(lapwing_pointer_site& site);
  static inline unsigned version_ = 1;
};

}  // namespace lapwing::sets
