// SPDX-License-Identifier: Apache-2.0
#include "arrays/error.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace lapwing::arrays {
namespace {

thread_local std::string last = "no error";

}  // namespace

int report(const char* routine, const Error& error) {
  if (!error) return 0;
  last = fmt::format("{}: {}", routine, error.text);
  if (!errors_return) {
    fmt::print(stderr, "lapwing: {}.\n", last);
    std::fflush(stderr);
    int initialised = 0, finalised = 0;
    PMPI_Initialized(&initialised);
    PMPI_Finalized(&finalised);
    if (initialised && !finalised) PMPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }
  return static_cast<int>(error.code);
}

const char* last_error() { return last.c_str(); }

}  // namespace lapwing::arrays
