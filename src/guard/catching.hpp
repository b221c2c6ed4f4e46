// SPDX-License-Identifier: Apache-2.0
// Guards for a process that ends at the first touch of a closed page instead of
// waiting for it to open.
#pragma once

#include <memory>

#include "guard/guard.hpp"

namespace lapwing::guard {

/// As start(), by mprotect alone. System calls are not looked at: one that is given a
/// closed page fails (EFAULT).
bool start_to_catch(Demand demand, void* context);

/// Inaccessible pages whose bytes are there already: no thread may write to landing().
/// By mprotect only.
std::unique_ptr<Region> close_in_place(char* begin, char* end);

/// In a Demand: this thread touches nothing, it waits in await_all().
bool awaits_all();

}  // namespace lapwing::guard
