// SPDX-License-Identifier: Apache-2.0
// HUNT's own protection of boundary pages (its section 5.3), for comparison.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "guard/guard.hpp"
#include "transfer/settings.hpp"
#include "transfer/wire/plan.hpp"

namespace lapwing::transfer {

/// Strips land in the program's own pages, and only one page of each stops it:
/// of a strip in flight the page that a sequential program touches first
/// (`first`), or the last page of what has landed (`last`). A program that goes
/// through its data in any other order reads bytes too early, so this is a
/// switch of the benchmark and never a default. Calls under the engine's lock.
class Boundary {
 public:
  using Note = std::function<void(const guard::Region&)>;

  Boundary(Protect mode, char* payload, const StripPlan& plan)
      : mode_(mode), payload_(payload), plan_(plan) {}

  /// Posts the receive of a strip, the next in order; closes its first page and
  /// that of the strip after it.
  MPI_Request post(std::size_t index, int source, int tag, MPI_Comm comm);
  /// The first `count` strips have landed: opens what they kept closed, of which
  /// `note` is told first.
  void land(std::size_t count, const Note& note);
  /// Something stops the program before what has not landed.
  bool closed() const { return !pages_.empty() && pages_.front() != nullptr; }

 private:
  char* first_page(std::size_t index) const;
  void close_first_page(std::size_t index);
  char* last_landed_page(std::size_t count) const;
  void open_front(const Note& note);

  Protect mode_;
  char* payload_;
  StripPlan plan_;
  std::size_t landed_ = 0;
  /// Where `first`, one for each strip in flight and for the next, null where a
  /// page could not be closed; at most one where `last`.
  std::deque<std::unique_ptr<guard::Region>> pages_;
};

}  // namespace lapwing::transfer
