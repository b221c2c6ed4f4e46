// SPDX-License-Identifier: Apache-2.0
// Two ranks change between plain and stripped messages at the same iteration, however late letters are read.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <vector>

#include "transfer/decisions/pair_agreement.hpp"

namespace {

using lapwing::transfer::PairAgreement;
using State = PairAgreement::State;

enum class Kind { offer, accept, leave, stop };
struct Letter {
  Kind kind;
  std::uint64_t number;
  int iteration;  // in which it was written
};

// A rank whose iterations have `sends` messages to the partner and as many from it, and which reads a letter
// `delay` iterations after it was written.
class Rank {
 public:
  Rank(bool leads, int sends, int delay) : leads_(leads), sends_(sends), delay_(delay) {}

  // The beginning of an iteration. Whether its messages are stripped.
  bool begin(int iteration, bool wants, bool has_enough) {
    if (iteration > 0) agreement.iteration_ended();
    if (has_enough && agreement.state() == State::stripped) write(Kind::leave, agreement.leave(), iteration);
    if (agreement.turn_has_come()) {
      if (agreement.state() == State::agreed)
        agreement.strip();
      else
        write(Kind::stop, agreement.stop(), iteration);
    }
    if (wants && leads_ && agreement.state() == State::none && agreement.exchanges())
      write(Kind::offer, agreement.offer(agreement.next_turn()), iteration);
    return agreement.strips();
  }
  void send() {
    agreement.count_message();
    if (agreement.strips()) agreement.count_header_sent();
  }
  void receive(bool stripped) {
    if (stripped)
      agreement.count_header();
    else
      agreement.count_message();
  }
  void read(std::deque<Letter>& inbox, int iteration) {
    while (!inbox.empty() && inbox.front().iteration + delay_ <= iteration) {
      const Letter letter = inbox.front();
      inbox.pop_front();
      switch (letter.kind) {
        case Kind::offer:
          if (agreement.offered(letter.number))
            write(Kind::accept, 0, iteration);
          else
            write(Kind::stop, agreement.stop(), iteration);
          break;
        case Kind::accept:
          agreement.accepted();
          break;
        case Kind::leave:
          if (!agreement.partner_leaves(letter.number)) write(Kind::stop, agreement.stop(), iteration);
          break;
        case Kind::stop:
          if (!agreement.ending()) write(Kind::stop, agreement.stop(), iteration);
          agreement.partner_stopped(letter.number);
          break;
      }
    }
  }
  int sends() const { return sends_; }

  PairAgreement agreement;
  std::deque<Letter> written;

 private:
  void write(Kind kind, std::uint64_t number, int iteration) { written.push_back({kind, number, iteration}); }

  bool leads_;
  int sends_, delay_;
};

struct Outcome {
  int stripped = 0;  // iterations in which both directions were
  int mixed = 0;     // and in which one was
};

// The program runs `iterations`; from the tenth on `leaver` has enough.
Outcome run(int to_follower, int to_leader, int delay_of_leader, int delay_of_follower, int leaver,
            int iterations, std::vector<State>* last = nullptr) {
  Rank ranks[2] = {{true, to_follower, delay_of_leader}, {false, to_leader, delay_of_follower}};
  Outcome outcome;
  for (int i = 0; i < iterations; ++i) {
    bool strips[2];
    for (int r = 0; r < 2; ++r) strips[r] = ranks[r].begin(i, i >= 2 && i < 8, r == leaver && i >= 12);
    outcome.stripped += strips[0] && strips[1];
    outcome.mixed += strips[0] != strips[1];
    for (int r = 0; r < 2; ++r) {
      for (int m = 0; m < ranks[r].sends(); ++m) ranks[r].send();
      for (int m = 0; m < ranks[1 - r].sends(); ++m) ranks[r].receive(strips[1 - r]);
    }
    for (int r = 0; r < 2; ++r) ranks[r].read(ranks[1 - r].written, i);
  }
  if (last) *last = {ranks[0].agreement.state(), ranks[1].agreement.state()};
  return outcome;
}

TEST(PairAgreement, BothBeginAndEndInTheSameIteration) {
  for (const int leaver : {0, 1}) {
    for (const int late_leader : {0, 1}) {
      for (const int late_follower : {0, 1}) {
        for (const auto& [there, back] : {std::pair{1, 1}, {3, 3}, {1, 4}, {2, 0}, {0, 2}}) {
          std::vector<State> last;
          const Outcome outcome = run(there, back, late_leader, late_follower, leaver, 40, &last);
          EXPECT_GE(outcome.stripped, 3);
          // A letter about the end that is read an iteration late costs that iteration.
          EXPECT_LE(outcome.mixed, leaver == 0 ? late_follower : late_leader);
          EXPECT_EQ(last, (std::vector{State::none, State::none}));
        }
      }
    }
  }
}

TEST(PairAgreement, AnAnswerThatComesTooLateEndsIt) {
  for (const int late : {3, 4, 7}) {
    std::vector<State> last;
    const Outcome outcome = run(1, 1, late, 0, -1, 60, &last);
    EXPECT_EQ(outcome.stripped, 0);
    EXPECT_EQ(last, (std::vector{State::none, State::none}));
  }
}

TEST(PairAgreement, AnOfferWhoseTurnHasPassedIsRefused) {
  PairAgreement follower;
  for (int i = 0; i < 5; ++i) follower.count_message();
  EXPECT_FALSE(follower.offered(5));
  EXPECT_EQ(follower.stop(), 0U);
}

TEST(PairAgreement, HeadersThatAreOnTheirWayAreAwaited) {
  PairAgreement rank;
  ASSERT_TRUE(rank.offered(1));
  rank.count_message();
  ASSERT_TRUE(rank.turn_has_come());
  rank.strip();
  rank.stop();
  rank.partner_stopped(2);
  EXPECT_TRUE(rank.expects());
  rank.count_header();
  EXPECT_TRUE(rank.expects());
  rank.count_header();
  EXPECT_FALSE(rank.expects());
}

TEST(PairAgreement, ALeaveBeforeTheBeginningIsAnsweredByAStop) {
  PairAgreement rank;
  ASSERT_TRUE(rank.offered(10));
  EXPECT_FALSE(rank.partner_leaves(3));
  rank.stop();
  EXPECT_TRUE(rank.ending());
}

TEST(PairAgreement, OfTwoTurnsAtWhichRanksLeaveTheEarlierOneCounts) {
  PairAgreement rank;
  ASSERT_TRUE(rank.offered(PairAgreement::at_once));
  rank.strip();
  rank.count_message();
  rank.iteration_ended();
  const std::uint64_t own = rank.leave();
  EXPECT_EQ(own, 2U);
  EXPECT_TRUE(rank.partner_leaves(1));
  EXPECT_TRUE(rank.turn_has_come());
}

}  // namespace
