// SPDX-License-Identifier: Apache-2.0
// The page trace of a run (LAPWING_PAGES): which receives are watched, and what is written of them.
//
// Nothing is deferred in such a run. Of each call site, peer and class of sizes the first receives are
// watched, and one in many of the later ones; a line is written when the watch of one ends.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "transfer/decisions/sites.hpp"
#include "transfer/pages/page_watch.hpp"
#include "transfer/pages/trace_file.hpp"

namespace lapwing::transfer {

/// A message that MPI has put into the program's own memory.
struct LandedMessage {
  const Site* started;    ///< of the call that started the receive
  const Site* waited_at;  ///< of the call that waited for it; the same where one call did both
  int peer;               ///< rank in MPI_COMM_WORLD
  char* base;
  std::size_t bytes;
  std::uint64_t started_ns;     ///< 0: not known
  std::uint64_t wait_began_ns;  ///< of the call that waited
  std::uint64_t waited;         ///< this message's part of that call's time
};

/// Calls under the engine's lock; times and `in_mpi` as of PageWatch.
class PageTrace {
 public:
  static constexpr std::uint64_t first_traced = 4, then_one_in = 16, most_of_stream = 64;
  static constexpr std::size_t most_streams = 1024, most_watched = 32;

  /// `origin`: the time from which those in the trace count.
  PageTrace(TraceFile& file, std::uint64_t origin) : file_(file), origin_(origin) {}

  /// Counts a message, and says whether it is worth a watch.
  bool wants(const LandedMessage& message);
  /// Watches one that is, landed at `now`.
  void watch(const LandedMessage& message, std::uint64_t now, std::uint64_t in_mpi);

  bool watching() const { return !watched_.empty(); }
  bool advance(std::uint64_t in_mpi);
  void used(const char* from, const char* to, std::uint64_t now, std::uint64_t in_mpi);
  void overwritten(const char* from, const char* to);
  void end_all(WatchEnd how);
  /// Ends all watches, and writes what has been counted.
  void finish();

 private:
  using StreamKey = std::tuple<std::uint32_t, int, unsigned>;  // site, peer, class of sizes
  struct Stream {
    const Site* site;
    std::uint64_t receives = 0, bytes = 0, traced = 0;
  };
  struct Watched {
    std::unique_ptr<PageWatch> watch;
    LandedMessage message;
    std::uint64_t landed_ns;
  };

  static StreamKey key_of(const LandedMessage& message);
  void collect();
  void write(const Watched& watched);
  const std::string& place(const void* address, std::string* function = nullptr);

  TraceFile& file_;
  const std::uint64_t origin_;
  std::map<StreamKey, Stream> streams_;
  std::list<Watched> watched_;
  std::map<const void*, std::pair<std::string, std::string>> places_;  // as read, with the function
};

}  // namespace lapwing::transfer
