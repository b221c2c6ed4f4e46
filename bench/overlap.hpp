// SPDX-License-Identifier: Apache-2.0
// The overlap benchmark: rank 1 sends, rank 0 receives and computes at once.
// What both ranks must agree on.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "lapwing/lapwing.h"
#include "support/kernel.hpp"

namespace lapwing::bench {

enum class Variant : std::int32_t { plain, hand, lapwing };

/// What the receiver does with the data.
enum class Case : std::int32_t {
  scan_up,           ///< scans them, ascending
  scan_down,         ///< scans them, descending
  copy,              ///< memcpy
  independent,       ///< computes something else first, then scans them quickly
  independent_copy,  ///< computes something else first, then memcpy
};

inline bool is_independent(Case c) { return c == Case::independent || c == Case::independent_copy; }
inline bool is_copy(Case c) { return c == Case::copy || c == Case::independent_copy; }

/// How the hand-written version cuts a transfer.
struct HandPlan {
  std::size_t strip = 0;    ///< bytes per strip, a multiple of kernel_block
  std::int32_t window = 1;  ///< strips in flight at either side
  std::size_t poll = 0;     ///< the receiver calls MPI_Test after this many bytes of computation; 0: never
};

/// What the receiver orders from the sender: one transfer, or the end.
struct Command {
  enum Kind : std::int32_t { transfer, finish };
  Kind kind = finish;
  Variant variant = Variant::plain;
  std::int32_t descending = 0;
  std::int32_t window = 1;
  std::uint64_t bytes = 0;
  std::uint64_t strip = 0;
};

inline constexpr int receiver_rank = 0, sender_rank = 1;
enum Tag : int { tag_command = 1, tag_ready, tag_go, tag_data };

/// Lapwing's run-time switch, where this process runs under Lapwing.
class LapwingSwitch {
 public:
  /// To be made after MPI_Init.
  LapwingSwitch()
      : set_defer_(reinterpret_cast<decltype(set_defer_)>(dlsym(RTLD_DEFAULT, "lapwing_set_defer"))),
        get_stats_(reinterpret_cast<decltype(get_stats_)>(dlsym(RTLD_DEFAULT, "lapwing_get_stats"))) {
    if (set_defer_ != nullptr && (get_stats_ == nullptr || set_defer_(LAPWING_DEFER_OFF) < 0))
      set_defer_ = nullptr;
  }
  bool present() const { return set_defer_ != nullptr; }
  void set(int mode) const {
    if (present()) set_defer_(mode);
  }
  lapwing_stats stats() const {
    lapwing_stats out{};
    if (present()) get_stats_(&out);
    return out;
  }

 private:
  int (*set_defer_)(int);
  void (*get_stats_)(lapwing_stats*);
};

/// The sender's whole life: obeys commands until told to finish.
void run_sender(std::size_t max_bytes, const LapwingSwitch& lapwing, int defer_mode);

// The hand-written rival, overlap_hand.cpp.

/// Sends `bytes` bytes strip by strip, from the end where descending.
void hand_send(const std::uint64_t* data, std::size_t bytes, bool descending, const HandPlan& plan);

/// One case's computation, cut into pieces for the hand-written version.
struct HandWork {
  Case kind = Case::scan_up;
  Work work;                          ///< of the scan
  std::size_t independent_bytes = 0;  ///< to compute before the data are used
  Work independent_work;
  const std::uint64_t* scratch = nullptr;  ///< what the independent computation reads, scratch_bytes long
  std::uint64_t* copy = nullptr;           ///< where a copy goes
};
inline constexpr std::size_t scratch_bytes = 32 * 1024;

/// Receives into `data` and computes meanwhile; returns the checksum.
std::uint64_t hand_receive(std::uint64_t* data, std::size_t bytes, const HandPlan& plan,
                           const HandWork& work);

/// Bytes [from, to) of an independent computation that reads the scratch over and over.
std::uint64_t independent_part(const HandWork& work, std::size_t from, std::size_t to, std::uint64_t acc);

}  // namespace lapwing::bench
