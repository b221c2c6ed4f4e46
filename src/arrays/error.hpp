// SPDX-License-Identifier: Apache-2.0
// What a call that cannot be carried out comes to.
#pragma once

#include <string>
#include <utility>

namespace lapwing::arrays {

/// The values of enum lapwing_array_error.
enum class Code : int {
  ok = 0,
  shape = 1,
  type = 2,
  grid = 3,
  task = 4,
  buffer = 5,
  differs = 6,
  argument = 7,
  state = 8,
  mpi = 9,
  file = 10
};

/// A code and its sentence; false where there is none.
struct Error {
  Code code = Code::ok;
  std::string text;
  explicit operator bool() const { return code != Code::ok; }
};

/// Whether errors are returned; else they end the job.
inline bool errors_return = false;

/// The last error of this thread becomes `error`, for lapwing_array_error_string().
/// Ends the job where errors do. Returns the code.
int report(const char* routine, const Error& error);
const char* last_error();

}  // namespace lapwing::arrays
