// SPDX-License-Identifier: Apache-2.0
// How many random cases a test runs.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace lapwing {

/// The number of cases that a test of `all` random cases runs: all of them, but a fifth where a sanitizer of
/// addresses or of threads, which takes five to twenty times as long, watches each access. A sanitizer looks
/// for wrong accesses, and the first hundreds of cases make each access that the rest makes.
constexpr std::int64_t random_cases(std::int64_t all) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  return all < 5 ? all : all / 5;
#else
  return all;
#endif
}

/// The number that the environment variable `name` holds; `otherwise` where it is not set.
inline std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

}  // namespace lapwing
