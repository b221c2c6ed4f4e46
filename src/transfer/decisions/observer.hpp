// SPDX-License-Identifier: Apache-2.0
// Which of the messages that came plainly are observed, and those that are being observed
// (observation.hpp): for each stream, the messages of one size that one call brings, what the
// last look has shown, and what strips would have saved of each wait since (saving.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "transfer/decisions/observation.hpp"
#include "transfer/decisions/sites.hpp"

namespace lapwing::transfer {

/// Calls under the engine's lock. Times in nanoseconds.
class Observer {
 public:
  /// `restless`: each message is worth a look (Settings::restless()).
  explicit Observer(bool restless) : restless_(restless) {}

  /// A message of `stream` has come the plain way, and the program has waited for it so long. Returns what
  /// strips would have saved of that. `look`: whether this message is worth a look, see observe().
  std::uint64_t received(Stream& stream, std::uint64_t waited, bool* look);
  /// Watches when the program uses what it has received at `base`, memory that nothing else uses.
  /// `stream` is one of a site, which are kept for good; `started`: where the receive was started.
  void observe(Stream& stream, Site& started, char* base, std::size_t bytes, std::uint64_t waited);

  /// The program has spent so long in a call of MPI's that it has not yet left.
  void note_in_mpi(std::uint64_t time) { in_mpi_ += time; }
  /// The time in MPI so far.
  std::uint64_t in_mpi() const { return in_mpi_; }

  bool observing() const { return !observations_.empty(); }
  /// Answers touches of what is observed; true if there were any.
  bool advance();
  /// Opens what is observed in [from, to), as its use by a call of MPI's.
  void end(const char* from, const char* to);

 private:
  struct Observed {
    std::unique_ptr<Observation> observation;
    Stream* stream;
    Site* started;
    std::uint64_t waited;
  };

  const bool restless_;
  std::uint64_t in_mpi_ = 0;
  std::list<Observed> observations_;
};

}  // namespace lapwing::transfer
