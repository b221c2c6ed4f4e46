// SPDX-License-Identifier: Apache-2.0
// LAPWING=off, for the code that runs before the engine reads its settings, or without it.
#pragma once

#include <stdlib.h>
#include <string.h>

namespace lapwing::options {

/// Each call passes through. Needs C's library alone, as the preloaded library does.
inline bool is_switched_off() {
  const char* const wanted = getenv("LAPWING");
  return wanted && (strcmp(wanted, "off") == 0 || strcmp(wanted, "0") == 0);
}

}  // namespace lapwing::options
