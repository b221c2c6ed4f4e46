// SPDX-License-Identifier: Apache-2.0
// The command that is run: the compiler, the user's arguments as they are, and
// what is added around them.
#pragma once

#include <string>

#include "arguments.hpp"
#include "mpi.hpp"
#include "options.hpp"
#include "pieces.hpp"
#include "words.hpp"

namespace lapwing::wrapper {

struct Plan {
  Words compiler;
  Words compile_before, link_before;
  Words user;
  Words compile_after, link_after;
  std::string pass;  ///< LAPWING_PASS; empty: the plugin is not loaded

  Words command() const;
};

/// Says, where it matters, what is missing or cannot be combined; the command
/// is then one without it.
Plan make_plan(Language language, const Options& options, const Asked& asked, const Words& compiler,
               const Added& added, const Pieces& pieces);

}  // namespace lapwing::wrapper
