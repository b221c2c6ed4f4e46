// SPDX-License-Identifier: Apache-2.0
// The machine that a process runs on, as far as its costs depend on it.
#pragma once

#include <string>

namespace lapwing::machine {

struct Machine {
  std::string host;    ///< its name
  std::string cpu;     ///< the name of its processor
  std::string kernel;  ///< the release of its kernel
  long cores = 0;      ///< those that are on line
};

Machine this_machine();

/// The part of a host's name that the nodes of a cluster share: without the domain and the number at its end.
std::string kind_of_host(const std::string& name);

/// How a machine on which something was measured differs from the one at hand, as "on a machine with another
/// processor (X; here: Y)"; empty where what was measured holds.
std::string difference(const Machine& measured, const Machine& here);

}  // namespace lapwing::machine
