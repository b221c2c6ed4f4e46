// SPDX-License-Identifier: Apache-2.0
#include "arrays/error.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "mpi/ending.hpp"

namespace lapwing::arrays {
namespace {

thread_local std::string last = "no error";

}  // namespace

int report(const char* routine, const Error& error) {
  if (!error) return 0;
  last = fmt::format("{}: {}", routine, error.text);
  if (!errors_return) {
    fmt::print(stderr, "lapwing: {}.\n", last);
    mpi::end_job(1);
  }
  return static_cast<int>(error.code);
}

const char* last_error() { return last.c_str(); }

}  // namespace lapwing::arrays
