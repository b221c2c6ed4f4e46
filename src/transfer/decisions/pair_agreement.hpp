// SPDX-License-Identifier: Apache-2.0
// The agreement of two ranks about the messages between them: plain, or stripped in both directions.
//
//          offer           accept          turn            leave           turn          stop of both
//   none --------> offered ------> agreed ------> stripped ------> leaving ------> stopping ------> none
//                 (leader only)
//
// Were one direction of an exchange stripped and the other not, the two would travel one after the other. So
// both ranks change at the same message. Each counts the messages that have left for its partner or come from
// it; at corresponding places of their loops both counts are equal. The rank that proposes a change names the
// count, the *turn*, from which on messages go the other way: far enough ahead for the letters to be read
// before, since ranks read letters only where their program waits. Each rank changes at the first beginning
// of an iteration of its own loop at which it has counted so many.
//
// Some messages are counted by one rank only, such as those that a program sends by MPI_Bsend. An offer
// therefore tells where the leader's iteration began and how many messages it has. The follower, which is
// in the same iteration or in one beside it, adopts the leader's count. Where an iteration has not as many
// for it as for the leader, both change as soon as they have read the other's letter; an iteration in between
// is slower then. A rank expects headers from its part of the agreement on until both have stopped and all
// headers have come, so that none is missed.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace lapwing::transfer {

/// With one partner. The caller sees to it that one thread calls at a time.
class PairAgreement {
 public:
  enum class State : std::uint8_t {
    none,      ///< messages are plain both ways
    offered,   ///< this rank, the leader, has asked: headers may come, none may be sent
    agreed,    ///< both want strips, from the turn on
    stripped,  ///< messages are stripped both ways
    leaving,   ///< likewise, until the turn
    stopping,  ///< plain again; this rank has said how many headers it has sent, the partner has not
    draining,  ///< both have, and headers from before are on their way
  };

  State state() const { return state_; }
  /// As traces call it.
  const char* name() const {
    static constexpr const char* names[] = {"plain",   "offered",  "agreed",  "stripped",
                                            "leaving", "stopping", "draining"};
    return names[static_cast<int>(state_)];
  }
  /// Whether a header may come.
  bool expects() const { return state_ != State::none; }
  /// Whether messages to the partner are stripped.
  bool strips() const { return state_ == State::stripped || state_ == State::leaving; }
  /// Whether it is over, or ends by itself.
  bool ending() const { return state_ == State::none || state_ >= State::stopping; }

  /// A message has left for the partner, or a plain one has come from it.
  void count_message() { ++messages_; }
  void count_header_sent() { ++headers_sent_; }
  /// A stripped message has begun to come.
  void count_header() {
    ++messages_;
    ++headers_come_;
    settle();
  }
  /// An iteration of this rank's loop has ended.
  void iteration_ended() {
    in_iteration_ = messages_ - at_iteration_;
    at_iteration_ = messages_;
    ++leaving_for_;
  }
  /// Whether the last iteration had messages to or from the partner.
  bool exchanges() const { return in_iteration_ > 0; }
  /// Whether the way is to change now. Asked at the beginning of an iteration.
  bool turn_has_come() const {
    if (state_ == State::offered) return turn_ != at_once && messages_ >= turn_;
    // Where the program has no more messages for this partner, the turn would never come.
    if (state_ == State::leaving) return messages_ >= turn_ || leaving_for_ > to_agree;
    return state_ == State::agreed && messages_ >= turn_;
  }

  /// The turn of ranks that cannot count alike: as soon as each has read the other's letter.
  static constexpr std::uint64_t at_once = 0;
  /// A place in the leader's loop.
  struct Place {
    std::uint64_t messages;      ///< when its iteration began; at_once if the follower need not wait
    std::uint64_t in_iteration;  ///< messages in the last one
  };
  Place place() const { return {at_iteration_, in_iteration_}; }

  /// The leader asks. Its letter has `place`.
  void offer(Place place) {
    assert(state_ == State::none);
    state_ = State::offered;
    turn_ = turn_of(place);
  }
  /// The partner has asked. Gives the turn, for the answer.
  std::uint64_t offered(Place place) {
    state_ = State::agreed;
    turn_ = turn_of(place);
    if (turn_ == at_once || place.in_iteration != in_iteration_) return turn_ = at_once;
    const std::uint64_t ahead = at_iteration_ - place.messages;  // modulo 2^64
    if (ahead + in_iteration_ > 2 * in_iteration_) {
      messages_ -= ahead;
      at_iteration_ -= ahead;
    }
    return messages_ < turn_ ? turn_ : turn_ = at_once;
  }
  /// The partner has accepted.
  void accepted(std::uint64_t turn) {
    if (state_ != State::offered) return;
    state_ = State::agreed;
    turn_ = turn;
  }
  /// The turn has come.
  void strip() {
    assert(state_ == State::agreed);
    state_ = State::stripped;
  }
  /// This rank wants plain messages again. Gives the turn, for its letter.
  std::uint64_t leave() {
    assert(state_ == State::stripped);
    state_ = State::leaving;
    leaving_for_ = 0;
    return turn_ = turn_ == at_once ? at_once : at_iteration_ + in_iteration_;
  }
  /// The partner does. False where this rank has not begun to strip, so that it has to stop().
  bool partner_leaves(std::uint64_t turn) {
    if (state_ == State::offered || state_ == State::agreed) return false;
    if (state_ == State::leaving) turn_ = std::min(turn_, turn);
    if (state_ == State::stripped) {
      state_ = State::leaving;
      leaving_for_ = 0;
      turn_ = turn;
    }
    return true;
  }
  /// This rank sends plain messages from here on. Gives the number of headers that it has ever sent.
  std::uint64_t stop() {
    assert(!ending());
    state_ = State::stopping;
    return headers_sent_;
  }
  /// The partner does, and has sent so many headers. This rank has stopped, too.
  void partner_stopped(std::uint64_t headers) {
    headers_due_ = headers;
    state_ = State::draining;
    settle();
  }

 private:
  static std::uint64_t turn_of(Place place) {
    return place.messages == at_once ? at_once : place.messages + to_agree * place.in_iteration;
  }

  /// Iterations from an offer to its turn: one in which the follower reads it, one in which the leader reads
  /// the answer, and one more, since ranks are not always in the same iteration.
  static constexpr std::uint64_t to_agree = 3;

  void settle() {
    if (state_ == State::draining && headers_come_ >= headers_due_) state_ = State::none;
  }

  State state_ = State::none;
  std::uint64_t messages_ = 0;                        // both ways
  std::uint64_t at_iteration_ = 0;                    // of them, when this rank's iteration began
  std::uint64_t in_iteration_ = 0;                    // in the last one
  std::uint64_t turn_ = 0;                            // of messages: where the way changes
  std::uint64_t leaving_for_ = 0;                     // iterations since this rank began to leave
  std::uint64_t headers_sent_ = 0;                    // to the partner
  std::uint64_t headers_come_ = 0, headers_due_ = 0;  // from it: so far; when it stopped
};

}  // namespace lapwing::transfer
