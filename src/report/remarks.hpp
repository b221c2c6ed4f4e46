// SPDX-License-Identifier: Apache-2.0
// What the compiler said about a call site: LLVM's optimisation records
// (-fsave-optimization-record), the entries of the pass `lapwing`.
#pragma once

#include <string>
#include <vector>

namespace lapwing::report {

struct Remark {
  std::string site;  ///< "heat.c:31"
  bool moved = false;
  std::string text;
};

/// Throws BadReport if the file cannot be read or is no such record.
std::vector<Remark> read_remarks(const std::string& path);

}  // namespace lapwing::report
