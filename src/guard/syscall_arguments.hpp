// SPDX-License-Identifier: Apache-2.0
// Which memory a system call may touch, told from its number and arguments.
#pragma once

namespace lapwing::guard::dispatch {

/// Waits until no page that the call may touch is closed. Async-signal-safe.
void await_arguments(long number, const long (&arguments)[6]);

/// vfork and clones on this memory: parent and child return separately.
bool shares_memory(long number, const long (&arguments)[6]);

}  // namespace lapwing::guard::dispatch
