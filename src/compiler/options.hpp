// SPDX-License-Identifier: Apache-2.0
// What the wrappers tell the plugin, in the environment variable LAPWING_PASS.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace lapwing::compiler {

enum class Mode { conservative, aggressive, demand, verify, report };

/// Process sets: what is inserted for them.
enum class Sets { off, check, run };

struct Options {
  Mode mode = Mode::aggressive;
  Sets sets = Sets::off;
  /// Whether branches with point-to-point communication alone are splits of run mode, too.
  bool messages = false;
  /// Whether check mode warns of collective calls that only some processes come to.
  bool warns = true;
  /// Whether uses and defines of declared variables are inserted.
  bool declared = false;
  /// Whether waits are moved at all; off where only sets are wanted.
  bool sinks = true;
  /// Full LTO: this is not yet the whole program, nothing is done.
  bool before_link = false;
  /// Full LTO, at link time: calls that are not seen here are in libraries only.
  bool whole_program = false;
  /// The linker runs the pass, and shows its remarks.
  bool at_link = false;
  /// A report of `lapwing run`: only sites where waiting was measured are changed.
  std::string profile;

  /// Whether loops are divided, so that what needs no message runs while it travels.
  bool interior = true;
  /// Whether what cannot pay is left alone; off shows every placement.
  bool cost_gate = true;
  std::vector<std::string> complaints;

  bool changes() const { return mode != Mode::report; }
};

/// "mode=aggressive,profile=FILE,prelink". Never fails: what is not understood
/// becomes a complaint.
Options parse_options(llvm::StringRef text);
/// From the environment, once per process.
const Options& options();

/// "off", "check", "run".
bool parse_sets(llvm::StringRef name, Sets* sets);

/// The name of a mode; false if there is none such.
bool parse_mode(llvm::StringRef name, Mode* mode);

}  // namespace lapwing::compiler
