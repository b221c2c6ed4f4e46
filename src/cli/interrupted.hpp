// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lapwing::cli {

/// Thrown after a job if a signal meant to end this command arrived meanwhile:
/// temporary files go, then the command ends by that signal.
struct Interrupted {
  int signal;
};

}  // namespace lapwing::cli
