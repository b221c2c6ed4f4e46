// SPDX-License-Identifier: Apache-2.0
// Why a line of the report waits, in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "transfer/accounts/record_lines.hpp"

namespace lapwing::transfer {

struct Reason {
  const char* word = "";  ///< for programs that read the report: "late-partner"
  std::string why;        ///< for its reader; empty where there is nothing to explain
};

/// The facts that concern all lines of a job.
struct JobFacts {
  double seconds = 0;  ///< of all ranks together
  double rate = 0;     ///< best bytes a second of large transfers; 0 if unknown
  std::size_t guard_threshold = 0;
  bool one_node = false;
  bool defers = true;  ///< neither off nor without an engine
  std::string aside;   ///< why the engine stands aside; or empty
};

JobFacts facts_of(const Lines& lines);

/// The one place that says why. `lines` are all of the job.
Reason reason_of(const Line& line, const Lines& lines, const JobFacts& job);

}  // namespace lapwing::transfer
