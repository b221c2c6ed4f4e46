// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?"
#pragma once

#include <string>
#include <vector>

namespace lapwing::cli {

/// The candidate with the fewest edits (insert, delete, replace, swap) from
/// `word`; empty if none is near enough to be what was meant.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "; did you mean X?" or nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace lapwing::cli
