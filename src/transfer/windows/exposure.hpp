// SPDX-License-Identifier: Apache-2.0
// Windows of one-sided communication that other processes may access while this
// one computes (HUNT 5.5: the target of a get must look at the network).
//
// Over TCP an MPI carries out a get, a put or an accumulate at its target only
// while the target is inside MPI: the origin waits for as long as the target
// computes. While a window exists, the helper thread sleeps until something
// arrives at a connection of this process, and calls MPI where no thread of the
// program has taken it. It costs nothing while nothing arrives. Where a thread of
// the program is faster, the helper's pauses grow to milliseconds. It leaves
// processes alone that synchronise with their partners by MPI_Win_fence and the
// like: there each process is inside MPI when its partners need it.
//
// States, each the helper's alone: *asleep* (nothing waits; a look now and then
// finds new connections), *watching* (something waits, for so short a time that a
// thread of the program may yet take it: only if none has, the helper calls MPI),
// *resting* (a thread of the program took it, or has just passed a fence).
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "progress/helper.hpp"
#include "transfer/settings.hpp"
#include "transfer/windows/connections.hpp"

namespace lapwing::transfer {

class Exposure final : public progress::Polled {
 public:
  /// After PMPI_Init, where MPI may be called by the helper (`threads`).
  static void allow(const Settings& settings, bool threads);
  /// Whether calls that make and free windows are to be reported to made() and freed().
  static bool allowed() { return allowed_; }

  /// The program has made a window. Does not communicate.
  static void made();
  /// The program has freed one.
  static void freed();
  /// A thread of the program enters or leaves a call that synchronises an active target
  /// (MPI 4.0, 12.5.1, 12.5.2).
  static void fenced();
  /// Before PMPI_Finalize.
  static void stop_all();
  static bool any() { return windows_.load(std::memory_order_relaxed) > 0; }

  ~Exposure();

 private:
  enum class State : std::uint8_t { asleep, watching, resting };

  Exposure();
  void begin() override;
  std::int64_t look(bool woken) override;
  void serve() override { connections_.silence(); }
  void serve_partners();
  std::int64_t watch();
  std::int64_t rest();
  bool served_an_access();
  void call_mpi();
  std::int64_t sleep_until_something_arrives();

  static inline bool allowed_ = false;
  static inline std::atomic<int> windows_{0};
  static inline std::atomic<std::uint64_t> fenced_until_{0};  ///< a moment of progress::now_ns()
  static Exposure* instance_;                                 ///< under the lock of made() and freed()

  State state_ = State::asleep;
  MPI_Comm self_ = MPI_COMM_NULL;           ///< a duplicate, on which nothing is ever sent
  MPI_Request pending_ = MPI_REQUEST_NULL;  ///< a receive there
  char nothing_ = 0;
  Connections connections_;
  Connections::Traffic before_;  ///< when watching began
  std::uint64_t scanned_ = 0;    ///< when new connections were last looked for
  std::int64_t pause_ = 0;
};

}  // namespace lapwing::transfer
