// SPDX-License-Identifier: Apache-2.0
// Decides whether messages between this rank and a partner are stripped, where the
// user leaves that to Lapwing (LAPWING_DEFER=auto).
//
// All messages start plain. Plain receives show what strips could hide: how long the
// program waits, and how soon it touches what it waited for (observation.hpp). Where
// the model predicts a clear gain for the program's loop, the two ranks of a pair agree
// to try strips in both directions at once; each then judges by the time of whole
// iterations (loop_judge.hpp), and the first rank that sees no gain ends it for both.
//
// Agreeing takes control messages between a *leader*, the lower rank, and a *follower*:
//
//   wish    follower to leader:  the share of its iterations that strips could hide; the
//           first one also says that it has a loop, in which it reads letters
//   offer   leader to follower:  strips from a turn on; its own share
//   accept  follower to leader:  the same, in answer
//   leave   either, to the other: no strips from a turn on
//   stop    either, to the other: no strips any more; how many messages had any, and
//           whether this rank would try again
//
// Both change at the same message, the turn: see pair_agreement.hpp.
//
// A rank strips only for a partner that has said that it expects strips, so a rank that
// expects none may wait inside MPI, and needs no thread that looks for headers. A rank
// that expects some pays for it, so agreements that no trial follows end
// (agreement_pace.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "transfer/decisions/agreement_pace.hpp"
#include "transfer/decisions/loop_judge.hpp"
#include "transfer/decisions/observer.hpp"
#include "transfer/decisions/pair_agreement.hpp"
#include "transfer/decisions/send_waits.hpp"
#include "transfer/decisions/sites.hpp"
#include "transfer/wire/control.hpp"

namespace lapwing::transfer {

class Engine;

/// The state of the loop at hand, for reports.
enum class Verdict : std::uint8_t { watches, tries, hides, stands_aside };

/// Calls under the engine's lock. Times in nanoseconds.
class Governor {
 public:
  /// `always`: LAPWING_DEFER=on, every pair strips from the beginning.
  Governor(Engine& engine, bool always);

  /// A large message to or from `peer` begins at `site`.
  void arrive(const Site& site, int peer, std::size_t bytes, bool sends);
  /// A large message has come the plain way, and the program has waited for it. Whether
  /// this one is worth a look at when it is used: see observe().
  bool received(Site& site, int peer, std::size_t bytes, std::uint64_t waited);
  /// As received(), of a collective: the time that strips would have saved.
  std::uint64_t brought(Site& site, std::uint64_t waited, bool* look);
  /// Watches when the program uses what it has received at `base`, memory that nothing else uses.
  /// `started`: where the receive was started.
  void observe(Site& site, Site& started, char* base, std::size_t bytes, std::uint64_t waited);
  void observe_collective(Site& site, char* base, std::size_t bytes, std::uint64_t waited);
  /// Posts this rank's letters and reads its partners'. Only where the program waits in MPI anyway: a call
  /// of MPI's between a program's receive and its send would answer the partner too early, and
  /// the two directions would travel one after the other. A rank that sends large messages and
  /// receives small ones reads them too (Engine::read_due_letters()).
  void attend();
  /// It has spent so long in a plain blocking send of a large message, which strips could hide.
  void note_send(int peer, std::uint64_t began, std::uint64_t took);
  /// The time in a send that the wait of a receive includes: see send_waits.hpp.
  std::uint64_t claim_send(int peer, std::uint64_t posted);
  /// The messages that are being observed.
  Observer& observer() { return observer_; }
  const Observer& observer() const { return observer_; }

  /// Whether messages to `peer` may be stripped now.
  bool strips(int peer) const;
  /// Whether a header may come from any rank.
  bool expects() const { return always_ || expected_ > 0; }
  /// Whether messages to some partner are in strips.
  bool in_strips() const { return always_ || stripping_ > 0; }
  void note_sent(int peer) { partner(peer).agreement.count_header_sent(); }
  void note_header(int peer);
  /// A plain message of more than header_bytes has come from `peer`.
  void note_plain(int peer) { partner(peer).agreement.count_message(); }

  /// Before MPI_Finalize: nothing is agreed any more.
  void close();
  Verdict verdict() const;

 private:
  static constexpr double untold = -1, would_not_try = -1;

  struct Letter {
    double share;
    std::uint64_t number;  // of an offer, messages; of an answer or a leave, the turn; of a stop, headers
    std::uint64_t in_iteration;  // of an offer: see PairAgreement::Place
  };
  struct Unposted {
    int rank, kind;
    Letter letter;
  };
  struct Partner {
    PairAgreement agreement;
    AgreementPace pace;
    std::uint64_t saved = 0;        // in this iteration, by the model
    bool watched = false;           // plain receives of this iteration have been looked at
    double share = 0;               // of an iteration, smoothed: what strips could hide here
    double wished = would_not_try;  // what the partner has told of its own; until it writes it has no loop
    double told = untold;           // what it has been told
  };

  Partner& partner(int rank) { return partners_[rank]; }
  bool leads(int rank) const;
  void stir(int peer, bool sends);
  void iteration_ended(bool trial_ended);
  void say() const;
  bool ready(const Partner& partner) const;
  void offer(int rank, Partner& partner, PairAgreement::Place place);
  void seek_agreement(int rank, Partner& partner);
  void answer(int rank, Partner& partner, PairAgreement::Place place);
  void take_turn(int rank, Partner& partner);
  bool begin_trial();
  void leave_all();
  void release_if_alone();
  bool would_try_again() const;
  void stop(int rank, Partner& partner, bool tries_again);
  void stop_all(bool tries_again);
  void agreements_changed();
  void tell(int rank, int kind, double share, std::uint64_t number = 0, std::uint64_t in_iteration = 0);
  void post_letters();
  void on_letter(int kind, int source, const char* data, std::size_t size);

  Engine& engine_;
  const bool always_;
  const bool restless_;  // for tests: see Settings::restless()
  Observer observer_;
  LoopJudge judge_;
  std::map<int, Partner> partners_;
  int expected_ = 0;    // partners of which headers may come
  int stripping_ = 0;   // partners whose agreement strips
  bool tries_ = false;  // the loop's trial is in strips
  bool closed_ = false;
  bool weighs_ = false;  // this iteration has had a message that strips may carry
  std::uint64_t iterations_ = 0, arrivals_ = 0;
  SendWaits sends_;
  std::vector<Unposted> to_post_;
};

}  // namespace lapwing::transfer
