// SPDX-License-Identifier: Apache-2.0
// Buffers of operations in flight, under guard against the program itself
// (`lapwing check --buffers`).
//
// Whole pages are closed: of what is sent against writes, of what is received against
// any access. The rest is compared when the operation is completed. MPI receives into
// memory of the checker's meanwhile, which is copied then, so that no byte of MPI's is
// taken for one of the program's.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "sets/check/areas.hpp"

namespace lapwing::sets {

class BufferWatch {
 public:
  /// `most`: bytes of copies at any time (rule 10); operations beyond are not watched.
  static void start(std::size_t most);
  static void stop();
  static bool wanted() { return most_ != 0; }

  /// Null where nothing is watched. MPI has the buffer of a send already.
  static BufferWatch* sends(const Area& area, const Told& told);
  static BufferWatch* receives(const Area& area, const Told& told);
  /// Of a collective call, whose written areas are all in one buffer.
  static BufferWatch* collective(const Areas& areas, const Told& told);
  /// Of a persistent operation, for all its starts: arm() begins each, finish() ends it, drop() comes last.
  static BufferWatch* persistent(const Areas& areas);
  static void arm(BufferWatch* watch, const Told& told);
  static void drop(BufferWatch* watch);
  /// Where MPI is to put the bytes of the program's `buffer`.
  static void* landing(const BufferWatch* watch, void* buffer);

  /// The operation is complete, with so many bytes: the buffer is the program's.
  static void finish(BufferWatch* watch, std::size_t received);
  /// The program frees the request of an active operation. True: the request stays, until its bytes have
  /// come.
  static bool abandon(BufferWatch* watch, MPI_Request request);
  static void look_at_abandoned() {
    if (some_abandoned_) finish_abandoned();
  }

 private:
  struct Inside;
  static BufferWatch* make(const Areas& areas);
  static void finish_abandoned();

  explicit BufferWatch(Inside* inside) : inside_(inside) {}
  ~BufferWatch();

  Inside* inside_;
  static inline std::size_t most_ = 0;
  static inline bool some_abandoned_ = false;
};

}  // namespace lapwing::sets
