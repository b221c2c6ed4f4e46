// SPDX-License-Identifier: Apache-2.0
// How a finding is put together: a sentence, the calls that belong to it, each with its ranks and its place,
// and what to do about it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sets/report/report_text.hpp"

namespace lapwing::sets {

Finding finding(const std::string& kind, const std::string& what, const std::vector<Account>& accounts,
                const std::string& head, const std::string& advice);
/// "rank 3", "ranks 0-2"
std::string ranks_text(const std::set<int>& ranks);

}  // namespace lapwing::sets
