// SPDX-License-Identifier: Apache-2.0
// Which pages of a message that has landed the program touches first, in which order, and when (HUNT, section
// 7).
//
// The whole pages of the message are closed once it has landed. Each, or each of a few parts, opens at its
// first touch, and the time of that touch is noted. Every byte is in its place, nothing on the wire changes;
// the cost is one stop a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "guard/guard.hpp"
#include "transfer/decisions/stops.hpp"

namespace lapwing::transfer {

/// How a watch ended.
enum class WatchEnd : std::uint8_t {
  touched,      ///< every page has been touched
  overwritten,  ///< the rest was received into, or written by MPI, before it was used
  freed,        ///< the memory was given back
  unknown,      ///< a call of MPI's might have used it: one whose memory is not known, or a synchronisation
  threads,      ///< several threads stopped at once: which page the others touched is not known
  room,         ///< as many others were watched as there may be
  finalized,    ///< the program has called MPI_Finalize
};
const char* name_of(WatchEnd end);

/// A part is a page, or several that open together.
struct FirstTouch {
  std::uint32_t part;
  bool by_call;         ///< by a call of MPI's that reads it
  std::uint64_t after;  ///< nanoseconds since the pages were closed, right after the landing
  std::uint64_t own;    ///< likewise, without the stops at these pages and the waits for receives
};

/// Calls under the engine's lock. `now` is the clock's; `in_mpi`: what the program has waited for
/// receives so far.
class PageWatch {
 public:
  static constexpr std::size_t least_pages = 4;
  /// So fine that the order of pages shows, or so coarse that the stops take no time worth mention.
  static constexpr std::size_t fine = 1024, coarse = 8;

  /// Closes the whole pages of the message, in at most so many parts; null where there are too few pages, or
  /// where their memory cannot be guarded.
  static std::unique_ptr<PageWatch> begin(char* base, std::size_t bytes, std::size_t most_parts,
                                          std::uint64_t in_mpi);
  ~PageWatch();

  /// Opens what the program waits for; true if it opened anything.
  bool advance(std::uint64_t in_mpi);
  /// A call of MPI's reads [from, to) now, which opens.
  void used(const char* from, const char* to, std::uint64_t now, std::uint64_t in_mpi);
  /// [from, to) is about to be written by MPI, and opens: what is untouched there has not been needed.
  void overwritten(const char* from, const char* to);
  /// Opens all.
  void end(WatchEnd how);

  bool meets(const char* from, const char* to) const {
    return region_ && region_->begin() < to && from < region_->end();
  }
  bool ended() const { return region_ == nullptr; }
  WatchEnd how() const { return how_; }
  /// When the pages were closed, by the clock.
  std::uint64_t begun_ns() const { return begun_; }
  std::size_t parts() const { return parts_; }
  bool is_coarse() const { return coarse_; }
  std::size_t part_bytes() const { return part_bytes_; }
  /// From the start of the message to its first whole page.
  std::size_t offset() const { return offset_; }
  const std::vector<FirstTouch>& touches() const { return touches_; }
  /// The instruction that touched first, or 0.
  std::uintptr_t first_place() const { return first_place_; }

 private:
  PageWatch(std::unique_ptr<guard::Region> region, std::size_t offset, std::size_t most_parts,
            std::uint64_t in_mpi);
  /// Opens the parts that meet [from, to); calls f(part) for each that was closed.
  template <class F>
  void open(const char* from, const char* to, F f);
  void note(const char* from, const char* to, bool by_call, std::uint64_t now, std::uint64_t in_mpi);

  std::unique_ptr<guard::Region> region_;
  std::size_t offset_, part_bytes_, parts_, left_;
  const bool coarse_;
  std::uint64_t begun_, in_mpi_;
  std::vector<bool> open_;
  std::vector<FirstTouch> touches_;
  Stops stops_;
  std::uintptr_t first_place_ = 0;
  WatchEnd how_ = WatchEnd::touched;
};

}  // namespace lapwing::transfer
