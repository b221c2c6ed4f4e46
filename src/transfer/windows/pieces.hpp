// SPDX-License-Identifier: Apache-2.0
// A get or a put that is cut into pieces, each of which has a request of its own (HUNT 5.3 and 5.4).
//
// The whole pages of the origin's buffer are closed from the start: those of a get entirely, those of a put
// to writes. The parts of pages at the buffer's ends travel as the edges; the pages between travel as strips,
// in the order in which the program uses them, and open as they have landed, or left.
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

/// Whether the origin reads the target's memory or writes to it.
enum class Access : std::uint8_t { get, put };

/// Calls under the engine's lock.
class Pieces {
 public:
  /// Where the bytes lie at the target: `offset` bytes behind a displacement in units of `unit` bytes.
  struct Place {
    MPI_Win win;
    int target;
    MPI_Aint displacement;
    std::size_t unit, offset;
  };

  /// Whether an access to or from `bytes` at `here` can be cut: displacements must be whole units.
  static bool can_be_cut(char* here, std::size_t bytes, std::size_t unit);
  /// Closes the pages and starts all pieces. Null where the memory cannot be guarded; nothing has happened
  /// then.
  static std::unique_ptr<Pieces> begin(Access access, char* here, std::size_t bytes, const Place& there,
                                       StripSizes sizes);

  /// Tests, opens. True if anything has moved.
  bool advance();
  bool edges_ended() const { return edges_.empty(); }
  /// A get has landed; all bytes of a put have left, so that its buffer is free.
  bool ended() const { return edges_.empty() && strips_.empty(); }
  /// MPI's error where a piece could not be started: the access is to be made once more, by MPI, after what
  /// had been started has ended.
  int error() const { return error_; }

  const guard::Region* region() const { return region_.get(); }
  std::size_t strips() const { return strip_count_; }
  /// Of its pages, all of which are open: how long threads have waited for them, and how often.
  std::uint64_t waited() const { return waited_; }
  std::uint32_t faults() const { return faults_; }

 private:
  struct Piece {
    MPI_Request request;
    char *begin, *end;  ///< of the program's memory
  };

  Pieces(Access access, std::unique_ptr<guard::Region> region)
      : access_(access), region_(std::move(region)) {}
  void start(std::deque<Piece>& pieces, char* here, char* end, char* base, const Place& there);
  void start_strips(char* base, const Place& there, StripSizes sizes);
  void open(char* begin, char* end);

  Access access_;
  std::size_t strip_count_ = 0;
  std::unique_ptr<guard::Region> region_;
  std::deque<Piece> edges_, strips_;
  int error_ = MPI_SUCCESS;
  std::uint64_t waited_ = 0;
  std::uint32_t faults_ = 0;
};

}  // namespace lapwing::transfer
