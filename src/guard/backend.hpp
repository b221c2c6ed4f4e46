// SPDX-License-Identifier: Apache-2.0
// What the two back ends offer to the room; guard.cpp chooses between them.
#pragma once

#include <memory>
#include <string>

#include "guard/guard.hpp"

namespace lapwing::guard {

/// Pages missing or write-protected for userfaultfd; the kernel waits as well.
namespace uffd {
struct Ability {
  bool usable = false;  ///< kernel faults are delivered, so system calls wait
  bool move = false;
  bool write_protect = false;
  std::string reason;
};
Ability probe();
bool start();
void stop();
/// A child of fork: the descriptor speaks of the parent's memory.
void abandon();
int descriptor();
void serve();
std::unique_ptr<Region> close_incoming(char* begin, char* end);
std::unique_ptr<Region> close_outgoing(char* begin, char* end);
std::unique_ptr<Region> close_landed(char* begin, char* end);
/// Tests only: never use MOVE, never move pages to an alias.
void limit(bool no_move, bool no_alias);
}  // namespace uffd

/// PROT_NONE or PROT_READ pages and a signal handler; needs no privilege.
namespace signals {
struct Ability {
  bool usable = false;
  bool syscall_dispatch = false;
  std::string reason;
};
Ability probe();
/// `looks_at_calls`: system calls on closed pages wait, too.
bool start(bool looks_at_calls);
void stop();
void abandon();
std::unique_ptr<Region> close_incoming(char* begin, char* end);
std::unique_ptr<Region> close_outgoing(char* begin, char* end);
std::unique_ptr<Region> close_in_place(char* begin, char* end);
}  // namespace signals

}  // namespace lapwing::guard
