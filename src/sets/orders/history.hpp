// SPDX-License-Identifier: Apache-2.0
// A record of the messages of this process, in the order of its calls, from which rank 0 learns at
// MPI_Finalize whether the program depends on an order that MPI does not promise.
//
// Only what a process has to wait for is recorded as a wait: a test that succeeds, or MPI_Waitany, could have
// come out otherwise. A record ends where its process does something that is not followed, and where it is
// full; nothing is claimed about what comes after.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "sets/votes/agreement.hpp"

namespace lapwing::sets {

struct Pending;

/// One act of a process.
struct Act {
  enum Kind : std::uint8_t {
    none,      ///< a receive that was cancelled
    send,      ///< begins; also non-blocking and persistent ones
    receive,   ///< is posted
    wait,      ///< until `subject` is complete
    together,  ///< a collective call, in which each member waits for all others
    seen,      ///< a test has found `subject` complete
    joins,     ///< begins a non-blocking collective call
    joined,    ///< knows that the call that `subject` began is complete
  };
  static constexpr int any = -1;

  Kind kind = none;
  bool standard = false;                        ///< MPI may make this send wait for its receive
  bool must_wait = false;                       ///< this send waits for its receive, whatever MPI does
  std::int32_t peer = any, tag = any;           ///< a world rank; as the program gave it
  std::int32_t source = any, source_tag = any;  ///< of a receive: the message that it took
  std::uint32_t subject = 0;                    ///< of a wait: the place of the other act in the record
  std::uint32_t call = 0;                       ///< the place in History::calls()
  std::int32_t members = 0;                     ///< of a collective call
  std::uint64_t circle = 0;                     ///< the communicator's number
  std::uint64_t number =
      0;  ///< of the collective call in its circle; of a message its bytes, or the buffer's
};

/// The record of one process.
struct Acts {
  std::vector<Act> list;
  bool whole = true;  ///< nothing is missing at its end
};

/// Used by the one thread that calls MPI.
class History {
 public:
  /// `most`: acts that are recorded. 0: nothing is.
  static void start(std::size_t most);
  static bool on() { return most_ != 0; }

  /// Begins `pending`; its place in the record is noted in it.
  static void begins(Pending* pending);
  /// A receive has taken a message of `source`, as ranks of its circle go.
  static void took(const Pending& pending, int source, int tag);
  static void cancelled(const Pending& pending);
  /// The program has waited for it.
  static void waited(const Pending& pending, const Told& told);
  /// The program has found it complete without having to wait; and a collective one in either way.
  static void seen(const Pending& pending, const Told& told);
  /// The non-blocking collective call `number` of `circle` begins; its place in the record is noted.
  static void joins(Pending* pending, const Told& told);
  /// A call at a window tells `peer`, a world rank, that it has been made; or waits until it is.
  static void signals(const Circle& circle, int peer, int tag, const Told& told);
  static void awaits(const Circle& circle, int peer, int tag, const Told& told);
  /// All members of `circle` meet in its call `number`.
  static void met(const Circle& circle, std::uint64_t number, const Told& told);
  /// From here on this process does what is not followed.
  static void ends();

  static const Acts& acts() { return acts_; }
  static std::uint32_t size() { return static_cast<std::uint32_t>(acts_.list.size()); }
  static const Told& call_of(const Act& act) { return calls_[act.call]; }

 private:
  static Act* add(Act::Kind kind, const Told& told);
  static std::uint32_t call_index(const Told& told);

  static inline std::size_t most_ = 0;
  static inline Acts& acts_ = *new Acts;
  static inline std::vector<Told>& calls_ = *new std::vector<Told>;
};

}  // namespace lapwing::sets
