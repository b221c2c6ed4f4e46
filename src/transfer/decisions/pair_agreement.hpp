// SPDX-License-Identifier: Apache-2.0
// What two ranks have agreed about the messages between them: plain, or stripped in both directions.
//
//          offer           accept          turn            leave           turn          stop of both
//   none --------> offered ------> agreed ------> stripped ------> leaving ------> stopping ------> none
//                 (leader only)
//
// Were one direction of an exchange stripped and the other not, the two would travel one after the other. So
// both ranks change at the same message. Each counts the messages of weight that have left for its partner or
// come from it; at corresponding places of their loops both counts are equal. The rank that proposes a change
// names the count, the *turn*, from which on messages go the other way: far enough ahead for the letters to
// be read before, since ranks read letters only where their program waits. Each rank changes at the first
// beginning of an iteration of its own loop at which it has counted so many.
//
// Counts may differ, as where a program sends by calls that are not counted. Then one rank changes an
// iteration earlier than the other. That costs time and nothing else: a rank expects headers from its part of
// the agreement on until both have stopped and all headers have come.
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

  /// A message of weight has left for the partner, or a plain one has come from it.
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
  }
  /// Whether the last iteration had messages to or from the partner.
  bool exchanges() const { return in_iteration_ > 0; }
  /// Whether the way is to change now. Asked at the beginning of an iteration.
  bool turn_has_come() const {
    if (state_ == State::offered) return turn_ != at_once && messages_ >= turn_;
    return (state_ == State::agreed || state_ == State::leaving) && messages_ >= turn_;
  }

  /// A turn that comes when an offer can have been answered.
  std::uint64_t next_turn() const { return at_iteration_ + to_agree * in_iteration_; }
  /// For tests that change ways at any message.
  static constexpr std::uint64_t at_once = 0;

  /// The leader asks. Gives the turn, for its letter.
  std::uint64_t offer(std::uint64_t turn) {
    assert(state_ == State::none);
    state_ = State::offered;
    return turn_ = turn;
  }
  /// The partner has asked. False where its turn has passed, so that this rank has to stop().
  bool offered(std::uint64_t turn) {
    state_ = State::agreed;
    turn_ = turn;
    return messages_ < turn || turn == at_once;
  }
  /// The partner has accepted.
  void accepted() {
    if (state_ == State::offered) state_ = State::agreed;
  }
  /// The turn has come.
  void strip() {
    assert(state_ == State::agreed);
    state_ = State::stripped;
  }
  /// This rank wants plain messages again, and gets the turn that its letter names.
  std::uint64_t leave() {
    assert(state_ == State::stripped);
    state_ = State::leaving;
    return turn_ = at_iteration_ + in_iteration_;
  }
  /// The partner does. False where this rank has not begun to strip, so that it has to stop().
  bool partner_leaves(std::uint64_t turn) {
    if (state_ == State::offered || state_ == State::agreed) return false;
    if (state_ == State::leaving) turn_ = std::min(turn_, turn);
    if (state_ == State::stripped) {
      state_ = State::leaving;
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
  /// Iterations from an offer to its turn: one in which the follower reads it, one in which the leader reads
  /// the answer, and one more, since ranks are not always in the same iteration.
  static constexpr std::uint64_t to_agree = 3;

  void settle() {
    if (state_ == State::draining && headers_come_ >= headers_due_) state_ = State::none;
  }

  State state_ = State::none;
  std::uint64_t messages_ = 0;                        // of weight, both ways
  std::uint64_t at_iteration_ = 0;                    // of them, when this rank's iteration began
  std::uint64_t in_iteration_ = 0;                    // in the last one
  std::uint64_t turn_ = 0;                            // of messages: where the way changes
  std::uint64_t headers_sent_ = 0;                    // to the partner
  std::uint64_t headers_come_ = 0, headers_due_ = 0;  // from it: so far; when it stopped
};

}  // namespace lapwing::transfer
