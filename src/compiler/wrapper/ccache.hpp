// SPDX-License-Identifier: Apache-2.0
// ccache in front of the compiler (LAPWING_CC="ccache clang-19") sees neither
// the plugin's content nor its options, and would give objects of another pass.
#pragma once

#include <string>

#include "words.hpp"

namespace lapwing::wrapper {

/// If the compiler is behind ccache, makes the options and these files' content
/// count; empty names are no files.
void tell_ccache(const Words& compiler, const std::string& options, const Words& files);

}  // namespace lapwing::wrapper
