// SPDX-License-Identifier: Apache-2.0
// The userfaultfd requests that regions make, and what to do when one is refused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "guard/kernel.hpp"

namespace lapwing::guard::uffd {

/// Registers whole pages for missing or write-protect faults.
bool watch(char* begin, std::size_t length, std::uint64_t mode);
void unwatch(char* begin, std::size_t length);
bool protect(char* begin, std::size_t length, bool closed);

/// Puts the bytes at `source` in place of missing pages and wakes: moves the
/// pages themselves where the kernel can, copies where it cannot. Pages that
/// `source` never had stay missing (serve() fills them with zeroes).
/// `movable`: source is private memory whose pages may be taken away.
void supply(char* target, char* source, std::size_t length, bool movable);
void wake(char* begin, std::size_t length);

bool alias_allowed();

}  // namespace lapwing::guard::uffd
