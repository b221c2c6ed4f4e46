// SPDX-License-Identifier: Apache-2.0
// Records of a profile for people and for programs.
#pragma once

#include <string>

#include "machine/profile.hpp"

namespace lapwing::cli {

/// One line of JSON: the record, "thresholds" that follow from it for each guard ("never", or bytes), and
/// "holds_here": whether it is of this kind of machine.
std::string shown_as_json(const machine::Measured& record);

/// A row for each parameter, a column for each record.
std::string shown_as_table(const machine::Profile& profile);

}  // namespace lapwing::cli
