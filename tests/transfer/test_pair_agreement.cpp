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
  PairAgreement::Place place;  // of an offer; of others, the number in its first part
  int iteration;               // in which it was written
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
    if (wants && leads_ && agreement.state() == State::none && agreement.exchanges()) {
      written.push_back({Kind::offer, agreement.place(), iteration});
      agreement.offer(agreement.place());
    }
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
          write(Kind::accept, agreement.offered(letter.place), iteration);
          break;
        case Kind::accept:
          agreement.accepted(letter.place.messages);
          break;
        case Kind::leave:
          if (!agreement.partner_leaves(letter.place.messages))
            write(Kind::stop, agreement.stop(), iteration);
          break;
        case Kind::stop:
          if (!agreement.ending()) write(Kind::stop, agreement.stop(), iteration);
          agreement.partner_stopped(letter.place.messages);
          break;
      }
    }
  }
  int sends() const { return sends_; }

  PairAgreement agreement;
  std::deque<Letter> written;

 private:
  void write(Kind kind, std::uint64_t number, int iteration) {
    written.push_back({kind, {number, 0}, iteration});
  }

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

TEST(PairAgreement, LateLettersCostAnIterationOrTwo) {
  for (const int late_leader : {0, 2, 4}) {
    for (const int late_follower : {2, 4}) {
      std::vector<State> last;
      const Outcome outcome = run(1, 1, late_leader, late_follower, -1, 60, &last);
      EXPECT_LE(outcome.mixed, late_leader + late_follower);
    }
  }
}

TEST(PairAgreement, TheFollowerAdoptsTheLeadersCount) {
  for (const int missed : {-100, -7, 7, 100}) {
    PairAgreement leader, follower;
    for (int i = 0; i < 200; ++i) leader.count_message();
    for (int i = 0; i < 200 + missed; ++i) follower.count_message();
    for (PairAgreement* rank : {&leader, &follower}) {
      rank->iteration_ended();
      rank->count_message();
      rank->count_message();
      rank->iteration_ended();
    }
    const PairAgreement::Place place = leader.place();
    leader.offer(place);
    leader.accepted(follower.offered(place));
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(leader.turn_has_come());
      EXPECT_FALSE(follower.turn_has_come());
      for (PairAgreement* rank : {&leader, &follower}) {
        rank->count_message();
        rank->count_message();
        rank->iteration_ended();
      }
    }
    EXPECT_TRUE(leader.turn_has_come());
    EXPECT_TRUE(follower.turn_has_come());
  }
}

TEST(PairAgreement, RanksThatCountDifferentlyChangeAtOnce) {
  PairAgreement leader, follower;
  for (int i = 0; i < 2; ++i) {
    leader.count_message();
    leader.count_message();
    leader.iteration_ended();
    follower.count_message();
    follower.iteration_ended();
  }
  leader.offer(leader.place());
  EXPECT_EQ(follower.offered(leader.place()), PairAgreement::at_once);
  EXPECT_TRUE(follower.turn_has_come());
  EXPECT_FALSE(leader.turn_has_come());
  leader.accepted(PairAgreement::at_once);
  EXPECT_TRUE(leader.turn_has_come());
  leader.strip();
  EXPECT_EQ(leader.leave(), PairAgreement::at_once);
  EXPECT_TRUE(leader.turn_has_come());
}

TEST(PairAgreement, HeadersThatAreOnTheirWayAreAwaited) {
  PairAgreement rank;
  ASSERT_EQ(rank.offered({PairAgreement::at_once, 0}), PairAgreement::at_once);
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
  rank.offered({10, 0});
  EXPECT_FALSE(rank.partner_leaves(3));
  rank.stop();
  EXPECT_TRUE(rank.ending());
}

TEST(PairAgreement, ARankWithoutFurtherMessagesLeavesAllTheSame) {
  PairAgreement rank;
  rank.count_message();
  rank.iteration_ended();
  rank.offered({1, 1});
  rank.strip();
  rank.leave();
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(rank.turn_has_come()) << i;
    rank.iteration_ended();
  }
  EXPECT_TRUE(rank.turn_has_come());
}

TEST(PairAgreement, OfTwoTurnsAtWhichRanksLeaveTheEarlierOneCounts) {
  PairAgreement rank;
  rank.count_message();
  rank.iteration_ended();
  rank.offered({1, 1});
  rank.strip();
  EXPECT_EQ(rank.leave(), 2U);
  EXPECT_TRUE(rank.partner_leaves(1));
  EXPECT_TRUE(rank.turn_has_come());
}

}  // namespace
