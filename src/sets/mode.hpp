// SPDX-License-Identifier: Apache-2.0
// Which of its modes the room is in, and who hears what compiled code says.
#pragma once

#include "lapwing/compiled_sets.h"

namespace lapwing::sets {

enum class Mode { off, check, run };

/// Set between PMPI_Init and the return of MPI_Init, equal on all ranks.
inline Mode mode = Mode::off;

/// An observer of the program's path through splits and merges: checking to
/// tell where processes parted, running to know the sets.
class Path {
 public:
  virtual ~Path() = default;
  virtual void split(const lapwing_split_site* site, int branch, int comms, const void* handles,
                     bool fortran) = 0;
  virtual void merge(const lapwing_merge_site* site) = 0;
  /// A call through a pointer: the depth for called() behind it, or 0 where it parts nobody.
  virtual unsigned call_through(const lapwing_pointer_site* site, const void* function) = 0;
  virtual void called(unsigned depth) = 0;
  virtual unsigned enter() = 0;
  virtual void leave(unsigned depth) = 0;
};

/// Null while nobody does. Set and cleared together with the mode.
inline Path* path = nullptr;

}  // namespace lapwing::sets
