// SPDX-License-Identifier: Apache-2.0
// Whether there is anything for Lapwing to gain in this job.
#pragma once

#include "transfer/settings.hpp"

namespace lapwing::entry {

/// By default there is not where all ranks share a node and keep all its cores busy. Every rank finds the
/// same: it is one node with one number of cores. Communicates with none of them.
bool nothing_to_gain(const transfer::Settings& settings);

}  // namespace lapwing::entry
