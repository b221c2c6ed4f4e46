// SPDX-License-Identifier: Apache-2.0
// A call of Lapwing's own API that cannot be carried out ends the job.
#pragma once

#include <string>

namespace lapwing::entry {

/// "lapwing: ROUTINE at FILE:LINE: WHY." on stderr, and the end.
[[noreturn]] void refuse(const char* routine, const void* returns_to, const std::string& why);

}  // namespace lapwing::entry
