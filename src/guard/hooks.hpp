// SPDX-License-Identifier: Apache-2.0
// The guard's side of the preloaded libc hooks.
#pragma once

namespace lapwing::guard {

/// Fills in the hooks of the preloaded library, if there is one.
void attach_hooks(bool signals_taken);
void detach_hooks();

}  // namespace lapwing::guard
