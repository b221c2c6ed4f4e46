// SPDX-License-Identifier: Apache-2.0
// What the machine permits, found without changing anything.
#pragma once

#include <string>
#include <vector>

namespace lapwing::cli {

enum class Level { ok, warn, no };
const char* word_of(Level level);

/// One line of `lapwing doctor`: what was found, and what follows from it.
struct Fact {
  std::string name;
  Level level = Level::ok;
  std::string found;
  std::string follows;
};

/// Kernel, userfaultfd, dispatch of system calls, debuggers, memory.
std::vector<Fact> kernel_facts();
/// The guard that the engine would choose here.
Fact guard_fact();
/// Cores, and what they permit.
Fact core_fact();
/// Accelerators, network devices, emulated hosts.
std::vector<Fact> network_facts();
/// The parts of this installation, and the profile.
std::vector<Fact> installation_facts();

}  // namespace lapwing::cli
