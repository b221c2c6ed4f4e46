// SPDX-License-Identifier: Apache-2.0
#include "entry/refuse.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "mpi/ending.hpp"
#include "transfer/accounts/places.hpp"

namespace lapwing::entry {

void refuse(const char* routine, const void* returns_to, const std::string& why) {
  fmt::print(stderr, "lapwing: {} at {}: {}.\n", routine, transfer::place_of(returns_to).site, why);
  mpi::end_job(1);
}

}  // namespace lapwing::entry
