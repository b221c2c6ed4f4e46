// SPDX-License-Identifier: Apache-2.0
// Progress for programs that overlap by themselves: what a program has started and
// computes beside stands still in most MPIs until the program waits for it.
//
// Requests of weight are watched between their start and their wait. How long the
// program computes meanwhile, and how long it then waits, says what a helper that lets
// MPI move could hide. Where that is a share of the program's loop the helper is tried,
// and whole iterations decide (split_judge.hpp). Nothing on the wire changes, and each
// rank decides for itself.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transfer/decisions/split_judge.hpp"
#include "transfer/settings.hpp"
#include "transfer/spin.hpp"

namespace lapwing::transfer {

/// A request of the program's own between its start and its wait.
struct PendingRequest {
  std::uint64_t key = 0;
  std::uint64_t since = 0, waited_before = 0;  ///< of what has been computed
  bool receives = false;
};

/// Any thread.
class ProgressWay {
 public:
  enum class Kind : std::uint8_t { receive, send, collective };

  /// After PMPI_Init; `level`: what MPI granted. Does nothing where there can be no helper.
  static void start(const Settings& settings, int level);
  static void stop() { watches_.store(false); }
  static bool watches() { return watches_.load(std::memory_order_relaxed); }
  /// Whether the helper is being tried in the loop at hand.
  static bool tries() { return tries_.load(std::memory_order_relaxed); }

  /// The call at `site` has started `request`. Smaller ones than a few KiB are not watched.
  static void begun(MPI_Request request, const void* site, std::size_t bytes, int peer, Kind kind);

  /// Around a call that waits for requests.
  class Wait {
   public:
    Wait(int count, const MPI_Request* requests) {
      if (__builtin_expect(pending_.load(std::memory_order_relaxed) > 0, 0)) begin(count, requests);
    }
    ~Wait() {
      if (__builtin_expect(begun_ != 0, 0)) end();
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    void begin(int count, const MPI_Request* requests);
    void end() const;
    std::uint64_t begun_ = 0, computed_ = 0;
  };

 private:
  static constexpr std::size_t slots = 256;

  static PendingRequest& slot_of(std::uint64_t key);

  static inline std::atomic<bool> watches_{false}, tries_{false};
  static inline std::atomic<int> pending_{0};
  static inline Spin lock_;  // guards the rest
  static inline SplitJudge judge_;
  /// Direct-mapped: of two requests in one slot the later one is watched.
  static inline PendingRequest pendings_[slots];
  static inline std::uint64_t waited_ = 0;
};

}  // namespace lapwing::transfer
