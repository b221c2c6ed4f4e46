// SPDX-License-Identifier: Apache-2.0
// Who waited where, and for which transfer. Kept only while a report is wanted.
//
// A wait is charged to what it waits for: the transfers, or collectives, whose
// requests were not complete when it began. Calls that block are charged to
// themselves. The accounts have a lock of their own and need no engine.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <vector>

#include "transfer/decisions/sites.hpp"

namespace lapwing::transfer {

enum class Kind : std::uint8_t { message, probe, collective, reduction, synchronisation, other };

/// One place that starts something, or that blocks.
struct Account {
  Caller caller{};
  Kind kind = Kind::message;
  std::uint64_t calls = 0, bytes = 0, exposed_ns = 0;
  std::uint64_t late_calls = 0, late_bytes = 0;  ///< those that were not complete when their wait began
  /// Bytes a second of large transfers, reached several times; 0 if there were none. From start to end of
  /// the wait, which means nothing for deferred ones; and of those, from match to landing.
  std::uint64_t rate = 0, landing_rate = 0;
  std::map<const void*, std::uint64_t> waited_at;  ///< exposed_ns by the place of the wait
};

class Accounts {
 public:
  /// A call has made `request`. `receives`: how many bytes, its status will tell.
  static void started(MPI_Request request, Caller caller, Kind kind, std::size_t bytes, bool receives,
                      bool persistent = false);
  static void restarted(MPI_Request request);
  /// A call that blocks has ended, in itself.
  static void called(Caller caller, Kind kind, std::size_t bytes, std::uint64_t ns);
  /// A blocking receive of the engine's or of MPI's, for the rate only.
  static void received(Caller caller, std::size_t bytes, std::uint64_t ns);

  /// A deferred receive has landed, so long after it was matched.
  static void landed(Caller caller, std::size_t bytes, std::uint64_t ns);

  static std::vector<Account> all();
};

/// One call that completes requests, from its beginning to its end.
class Completion {
 public:
  Completion(Caller caller, int count, const MPI_Request* requests, bool waits);
  /// `statuses`: one for each request, where the call has filled all in, or null.
  void end(const MPI_Request* requests, const MPI_Status* statuses);

 private:
  Caller caller_;
  bool waits_;
  std::uint64_t begun_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<char> pending_;  ///< not complete when the call began
};

}  // namespace lapwing::transfer
