// SPDX-License-Identifier: Apache-2.0
// A message that is passed on to others while it comes.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "transfer/wire/plan.hpp"

namespace lapwing::transfer {

class Engine;
class Incoming;
class Outgoing;
struct Site;

/// The copy of an incoming payload from which it leaves again, strip by strip, as it lands. So the
/// program's own buffer is guarded for what comes alone, and is the program's as soon as that has landed.
/// All calls under the engine's lock.
class Relay {
 public:
  /// Announces `incoming` to these ranks of `comm`, with its own plan of strips. False, and nothing has
  /// been done, where it must land first and then be sent: the cap of the engine's copies leaves no room, or
  /// a receiver takes no strips. MPI's error in `*failed`.
  static bool start(Engine& engine, Incoming& incoming, const std::vector<int>& ranks, MPI_Comm comm, int tag,
                    Site* site, int* failed);

  /// The bytes of a strip lie at `from`.
  void landed(const Strip& strip, const char* from);
  /// So many strips have landed: they may leave.
  void release(std::size_t strips);

 private:
  explicit Relay(std::shared_ptr<char[]> copy) : copy_(std::move(copy)) {}

  std::shared_ptr<char[]> copy_;
  std::vector<std::shared_ptr<Outgoing>> onward_;
};

}  // namespace lapwing::transfer
