// SPDX-License-Identifier: Apache-2.0
// Where the files of a process keep the addresses of functions of other files that they call.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace lapwing::tasks::outside {

struct Reference {
  void** at;       // the word in the file's table
  int call;        // the number of the function
  bool unbound;    // the loader has not looked for the function yet
  bool read_only;  // the loader has closed the table
};

/// All references to functions for which `number` gives one, but for those in Lapwing's own libraries.
std::vector<Reference> references(const std::function<int(const char* name)>& number);

/// Writes another address there; false if that cannot be.
bool redirect(const Reference& reference, void* to);

}  // namespace lapwing::tasks::outside
