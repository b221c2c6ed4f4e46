// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace lapwing::guard::signals {

/// Writes to pages of this process that it may not touch itself.
bool write_closed(const char* target, const char* source, std::size_t length);

/// Before a thread of the program meets guards: alternate stack, dispatch.
void prepare_thread();

}  // namespace lapwing::guard::signals
