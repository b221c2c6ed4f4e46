// SPDX-License-Identifier: Apache-2.0
// Looking at when the program uses what a plain receive has brought.
//
// The pages of the message are closed once it has landed, in eight parts. Each part
// opens as a whole at its first touch, and the time of that touch is noted. Nothing
// on the wire changes, and every byte is in its place: the cost is one short stop a
// part, for one receive in many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "guard/guard.hpp"
#include "transfer/decisions/saving.hpp"
#include "transfer/decisions/stops.hpp"

namespace lapwing::transfer {

/// Calls under the engine's lock.
class Observation {
 public:
  /// Closes the whole pages of a message of `bytes` bytes at `base`; null where this
  /// memory cannot be guarded. `in_mpi`: the time that the program has spent in MPI so far.
  static std::unique_ptr<Observation> begin(char* base, std::size_t bytes, std::uint64_t now,
                                            std::uint64_t in_mpi);
  ~Observation();

  /// Opens the parts that the program waits for; true if it opened any.
  bool advance(std::uint64_t now, std::uint64_t in_mpi);
  /// Opens all parts, of which those that meet [from, to) have been touched now.
  void end(const char* from, const char* to, std::uint64_t now, std::uint64_t in_mpi);
  bool meets(const char* from, const char* to) const {
    return region_ && region_->begin() < to && from < region_->end();
  }
  bool ended() const { return region_ == nullptr; }
  const Touches& touches() const { return touches_; }

 private:
  Observation(std::unique_ptr<guard::Region> region, std::uint64_t now, std::uint64_t in_mpi);
  char* part_begin(std::size_t part) const;
  void note(const char* from, const char* to, std::uint64_t now, std::uint64_t in_mpi);

  std::unique_ptr<guard::Region> region_;
  std::uint64_t begun_, in_mpi_;
  Touches touches_;
  std::size_t untouched_;
  Stops stops_;
};

}  // namespace lapwing::transfer
