// SPDX-License-Identifier: Apache-2.0
// The status of a job that this room ends.
#pragma once

namespace lapwing::sets {

constexpr int error_status = 86;

}  // namespace lapwing::sets
