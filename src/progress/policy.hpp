// SPDX-License-Identifier: Apache-2.0
// How long a thread looks before it gives its core up, how long the helper leaves
// alone what it looks at, and when sleepers wake by themselves: all constants of
// waiting. Nanoseconds, unless a comment says otherwise.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lapwing::progress {

/// The pause between two looks of the helper: longer after each look in vain, the shortest again when
/// something has moved.
struct Pauses {
  std::int64_t shortest, longest;
  std::int64_t part;  ///< each look in vain adds 1/part

  std::int64_t after(bool moved, std::int64_t last) const {
    return moved ? shortest : std::clamp(last + last / part, shortest, longest);
  }

  /// Looks in `duration`, with pauses that grow from the shortest to the longest, or to `most` if that is
  /// less.
  double looks_within(double duration, double most) const {
    double looks = 0, pause = static_cast<double>(shortest);
    const double limit = std::clamp(most, pause, static_cast<double>(longest));
    for (; pause < limit && duration > pause; ++looks) {
      duration -= pause;
      pause = std::min(pause + pause / static_cast<double>(part), limit);
    }
    return looks + duration / pause;
  }
};

// --- Threads that wait for another thread, or for MPI ---

/// Looks in vain, after which a core is given up: a transport needs many looks a microsecond, but with fewer
/// cores than ranks the process that is waited for needs this core.
constexpr unsigned looks_before_yield = 64;
/// Looks in vain of a loop inside MPI between two yields: the fewest, while each lets another thread run, and
/// the most, once yields return sooner than that, since no other thread wants the core.
constexpr unsigned fewest_looks_before_yield = 8, most_looks_before_yield = 4096;
constexpr std::uint64_t yield_alone = 5'000;
/// Looks at memory, after which a thread sleeps between them: the thread that is waited for has lost its
/// core.
constexpr unsigned looks_before_sleep = 4096;
constexpr std::int64_t sleep_between_looks = 50'000;

// --- The helper: each wake-up takes time from the program's core ---

/// Strips on their way (transfer/decisions/strip_pauses.hpp). The kernel's socket buffers hold what arrives
/// during a pause, and a thread that waits for a page ends the pause.
constexpr Pauses for_strips{300'000, 1'200'000, 2};
/// Bytes that a look finds at most before the pauses shorten: a quarter of the window, as the sender stands
/// still once all of it is on its way.
constexpr std::uint64_t most_strips_per_look = 256 << 10;
/// The longest while strips are to be sent, too: a socket takes some 85 KB where nothing has made it larger,
/// which a gigabit link empties in 0.7 ms.
constexpr std::int64_t longest_beside_sends = 600'000;
/// Transfers of MPI's own while an engine is there: those that the compiler has split, and the program's.
constexpr Pauses for_plain_transfers{300'000, 800'000, 2};
/// Connections at which something arrived for a window of this process: short while accesses are under way;
/// longer each time that a thread of the program was faster.
constexpr Pauses for_windows{100'000, 20'000'000, 1};
/// After a program's last fence: it serves its partners itself, at the next one.
constexpr std::uint64_t after_fence = 20'000'000;
/// A shorter arrival may be a message that only wants to be noticed.
constexpr std::uint64_t bytes_of_data = 4 << 10;
/// Between two searches for new connections, at which accesses may arrive.
constexpr std::int64_t between_scans = 250'000'000;
/// Receives that are posted, with nothing matched.
constexpr Pauses for_receives{300'000, 1'000'000, 2};
/// A thread waits for a page: its core is free meanwhile, and latency is all that counts.
constexpr std::int64_t for_touched_page = 5'000;
/// Looks for strips at each wake-up: a look of MPI's takes a few KiB from a socket.
constexpr int looks_per_wake = 3;
/// At a time, on transfers that the compiler has split, beside those of the engine and alone.
constexpr std::uint64_t longest_look_beside_engine = 200'000, longest_look = 500'000;

/// Transfers that the compiler has split, where there is no engine. The first look lets the program start
/// what it starts together. A rendezvous is a few short messages, each of which waits for a look: there are
/// some soon after something has begun, and after something has moved again.
constexpr Pauses for_split_calls{100'000, 800'000, 2};
constexpr std::int64_t first_pause = 30'000, soon_pause = 40'000;
constexpr int looks_soon = 4;
constexpr std::uint64_t soon_enough = 60'000;      ///< for what may need an answer
constexpr std::int64_t late_partner = 10'000'000;  ///< the pause after so many in vain:
constexpr int pauses_until_late = 1000;
constexpr std::int64_t idle_pause =
    1'000'000;  ///< nothing in flight; after so many only a system call wakes:
constexpr int idle_pauses = 2;
/// Loops of the program's poll, and will do so again.
constexpr std::int64_t before_polls = 300'000, longest_beside_polls = 3'200'000;
/// For the helper to leave MPI, at an exit without MPI_Finalize.
constexpr std::uint64_t patience_at_exit = 100'000'000;

/// Votes and declared communication: long waits are for partners that compute, and there is no hurry.
constexpr Pauses for_sets{50'000, 1'000'000, 8};
/// Looks for processes that wait for each other for ever.
constexpr std::int64_t between_watches = 250'000'000;
/// Transfers of distributed arrays. Where a program waits for a persistent one as soon as it has started it,
/// a wake-up would only take a core from those that move it: after so many such waits in a row the helper is
/// left to its longest pause, and it keeps these up for some looks after the last transfer.
constexpr Pauses for_arrays{30'000, 1'000'000, 8};
constexpr std::uint64_t waited_for_at_once = 20'000;
constexpr int waits_at_once = 2;
constexpr int looks_after_arrays = 30;

// --- Tasks ---

/// An idle worker looks so long for a task before it sleeps; on ranks it looks for messages meanwhile: longer
/// where that has paid of late, hardly where threads outnumber cores.
constexpr std::uint64_t worker_looks = 20'000;
constexpr std::uint64_t worker_looks_least = 5'000, worker_looks_most = 200'000;
constexpr int looks_of_one_clock = 8;    ///< below a microsecond
constexpr int looks_of_one_worker = 64;  ///< some microseconds, before it lets others have the core
constexpr std::int64_t worker_sleeps = 20'000'000;       ///< then the helper looks, and wakes it
constexpr std::int64_t worker_sleeps_briefly = 200'000;  ///< where a creator may have to be let go
/// The rests of the helper of a rank. Where all others ring, the longest is but a precaution.
constexpr Pauses for_tasks{50'000, 1'000'000, 1};
constexpr Pauses for_tasks_if_rung{50'000, 20'000'000, 1};
constexpr std::int64_t rest_beside_workers = 100'000;  ///< that look themselves
constexpr std::uint64_t longest_without_strip = 200'000;
/// A batch waits so long for more: a rank that has little to do gets it soon.
constexpr std::uint64_t batch_waits_for_task = 20'000, batch_waits_most = 5'000'000;

/// A task's call of MPI's is looked at so long before its worker goes to another thread: what that costs. Of
/// those that wait then, one looks for all, and sleeps between: not at first, and not for long where no task
/// can run.
constexpr std::uint64_t looks_before_leaving = 10'000;
constexpr std::uint64_t looks_for_all = 50'000, looks_for_all_if_idle = 1'000'000;
constexpr Pauses for_outside{20'000, 200'000, 2};
constexpr std::int64_t longest_if_idle = 50'000;

}  // namespace lapwing::progress
