// SPDX-License-Identifier: Apache-2.0
// A get that is cut into pieces, each of which has a request of its own (HUNT 5.3 and 5.4).
//
// The whole pages of the origin's buffer are closed from the start. The parts of pages at its ends come as
// the edges; the pages between come as strips, in the order in which the program uses them, and open as they
// land.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "guard/guard.hpp"
#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {

/// Sizes of strips, and which end comes first.
struct StripSizes {
  std::size_t first, largest;
  Direction direction;
};

/// Calls under the engine's lock.
class Fetch {
 public:
  /// Where the bytes lie at the target: `offset` bytes behind a displacement in units of `unit` bytes.
  struct Source {
    MPI_Win win;
    int target;
    MPI_Aint displacement;
    std::size_t unit, offset;
  };

  /// Whether a get of so many bytes to `to` can be cut: displacements must be whole units.
  static bool can_be_cut(char* to, std::size_t bytes, std::size_t unit);
  /// Closes the pages and starts all pieces. Null where the memory cannot be guarded; nothing has happened
  /// then.
  static std::unique_ptr<Fetch> begin(char* to, std::size_t bytes, const Source& from, StripSizes sizes);

  /// Tests, opens. True if anything has moved.
  bool advance();
  bool edges_landed() const { return edges_.empty(); }
  bool landed() const { return edges_.empty() && strips_.empty(); }
  /// MPI's error where a piece could not be started: the get is to be made once more, by MPI, after what had
  /// been started has landed.
  int error() const { return error_; }

  const guard::Region* region() const { return region_.get(); }
  std::size_t bytes() const { return bytes_; }
  std::size_t strips() const { return strip_count_; }
  /// Of its pages, all of which are open: how long threads have waited for them, and how often.
  std::uint64_t waited() const { return waited_; }
  std::uint32_t faults() const { return faults_; }

 private:
  struct Piece {
    MPI_Request request;
    char *begin, *end;  ///< of the program's memory
  };

  Fetch(std::size_t bytes, std::unique_ptr<guard::Region> region)
      : bytes_(bytes), region_(std::move(region)) {}
  void start(std::deque<Piece>& pieces, char* to, char* end, char* base, const Source& from);
  void start_strips(char* base, const Source& from, StripSizes sizes);
  void open(char* begin, char* end);

  std::size_t bytes_, strip_count_ = 0;
  std::unique_ptr<guard::Region> region_;
  std::deque<Piece> edges_, strips_;
  int error_ = MPI_SUCCESS;
  std::uint64_t waited_ = 0;
  std::uint32_t faults_ = 0;
};

}  // namespace lapwing::transfer
