// SPDX-License-Identifier: Apache-2.0
// What of a group call must agree with the calls of the other members.
#pragma once

#include "sets/group_call.hpp"
#include "sets/votes/agreement.hpp"

namespace lapwing::sets {

/// Only arguments that are significant at this process are looked at.
Signature call_signature(const GroupCall& call, const Circle& circle);
/// For calls with a count for each process: who sends how much to whom.
Blocks call_blocks(const GroupCall& call, const Circle& circle);
/// Without arguments.
Told told_of_call(const GroupCall& call);
Told call_told(const GroupCall& call, const Circle& circle);

}  // namespace lapwing::sets
