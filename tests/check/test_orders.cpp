// SPDX-License-Identifier: Apache-2.0
// Orders that a program did not have: sends that wait, and receives that take another message.
#include <gtest/gtest.h>

#include "sets/orders/search.hpp"

namespace {

using lapwing::sets::Act;
using lapwing::sets::ActPlace;
using lapwing::sets::Acts;
using lapwing::sets::find_races;
using lapwing::sets::find_unsafe_sends;
using lapwing::sets::Rerun;

/// Writes the record of one process; each act is a call of its own.
class Process {
 public:
  operator Acts() const { return acts_; }
  Process& isend(int to, int tag = 0, std::uint64_t bytes = 4) {
    Act& act = add(Act::send);
    act.peer = to;
    act.tag = tag;
    act.number = bytes;
    act.standard = true;
    return *this;
  }
  Process& send(int to, int tag = 0, std::uint64_t bytes = 4) { return isend(to, tag, bytes).wait_last(); }
  Process& bsend(int to) {
    isend(to);
    acts_.list.back().standard = false;
    return wait_last();
  }
  Process& ssend(int to) {
    isend(to);
    acts_.list.back().standard = false;
    acts_.list.back().must_wait = true;
    return wait_last();
  }
  Process& irecv(int from, int tag = 0, std::uint64_t bytes = 4) {
    Act& act = add(Act::receive);
    act.peer = act.source = from;
    act.tag = act.source_tag = tag;
    act.number = bytes;
    return *this;
  }
  Process& irecv_any(int took, int tag = 0) {
    irecv(took, tag);
    acts_.list.back().peer = Act::any;
    return *this;
  }
  Process& recv(int from, int tag = 0, std::uint64_t bytes = 4) {
    return irecv(from, tag, bytes).wait_last();
  }
  Process& recv_any(int took, int tag = 0) { return irecv_any(took, tag).wait_last(); }
  Process& wait(std::uint32_t subject) {
    add(Act::wait).subject = subject;
    return *this;
  }
  /// A test, MPI_Waitany or MPI_Waitsome finds it complete.
  Process& see(std::uint32_t subject) {
    add(Act::seen).subject = subject;
    return *this;
  }
  Process& barrier(std::uint64_t number, int members) {
    Act& act = add(Act::together);
    act.number = number;
    act.members = members;
    return *this;
  }
  Process& ends() {
    acts_.whole = false;
    return *this;
  }

 private:
  Act& add(Act::Kind kind) {
    Act act;
    act.kind = kind;
    act.call = static_cast<std::uint32_t>(acts_.list.size());
    acts_.list.push_back(act);
    return acts_.list.back();
  }
  Process& wait_last() { return wait(static_cast<std::uint32_t>(acts_.list.size() - 1)); }
  Acts acts_;
};

using All = std::vector<Acts>;

TEST(Rerun, ComesToTheEndAsRecorded) {
  const All all{Process().send(1).recv(1), Process().send(0).recv(0)};
  EXPECT_TRUE(Rerun(all).go_on());
}

TEST(UnsafeSends, HeadToHead) {
  const All all{Process().send(1).recv(1), Process().send(0).recv(0)};
  const auto found = find_unsafe_sends(all, 8);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].size(), 2u);
}

TEST(UnsafeSends, OneReceivesFirst) {
  const All all{Process().send(1).recv(1), Process().recv(0).send(0)};
  EXPECT_TRUE(find_unsafe_sends(all, 8).empty());
}

TEST(UnsafeSends, ToItself) {
  const All all{Process().send(0).recv(0)};
  EXPECT_EQ(find_unsafe_sends(all, 8).size(), 1u);
}

TEST(UnsafeSends, ARingOfThree) {
  const All all{Process().send(1).recv(2), Process().send(2).recv(0), Process().send(0).recv(1)};
  const auto found = find_unsafe_sends(all, 8);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].size(), 3u);
}

TEST(UnsafeSends, NonBlockingSendsThatAreWaitedForTooEarly) {
  const All early{Process().isend(1).wait(0).recv(1), Process().isend(0).wait(0).recv(0)};
  EXPECT_EQ(find_unsafe_sends(early, 8).size(), 1u);
  const All late{Process().isend(1).recv(1).wait(0), Process().isend(0).recv(0).wait(0)};
  EXPECT_TRUE(find_unsafe_sends(late, 8).empty());
}

TEST(UnsafeSends, TheReceiveIsPostedBefore) {
  const All all{Process().irecv(1).send(1).wait(0), Process().irecv(0).send(0).wait(0)};
  EXPECT_TRUE(find_unsafe_sends(all, 8).empty());
}

TEST(UnsafeSends, BufferedSendsNeverWait) {
  const All all{Process().bsend(1).recv(1), Process().bsend(0).recv(0)};
  EXPECT_TRUE(find_unsafe_sends(all, 8).empty());
}

TEST(UnsafeSends, ASynchronousOneMayBeInTheCircle) {
  const All all{Process().send(1, 1).recv(1, 2).recv(1, 0), Process().send(0, 2).recv(0, 1).ssend(0)};
  EXPECT_EQ(find_unsafe_sends(all, 8).size(), 1u);
}

TEST(UnsafeSends, AcrossACollectiveCall) {
  const All all{Process().send(1).barrier(1, 2), Process().barrier(1, 2).recv(0)};
  const auto found = find_unsafe_sends(all, 8);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].size(), 2u);
}

TEST(UnsafeSends, NothingIsClaimedOfAProcessWithoutARecord) {
  const All all{Process().send(1).recv(1), Process().ends()};
  EXPECT_TRUE(find_unsafe_sends(all, 8).empty());
}

TEST(UnsafeSends, EachSetOfCallsOnce) {
  const All all{Process().send(1).recv(1).send(1).recv(1), Process().send(0).recv(0).send(0).recv(0)};
  EXPECT_EQ(find_unsafe_sends(all, 8).size(), 2u);  // here each act is a call of its own
  EXPECT_EQ(find_unsafe_sends(all, 1).size(), 1u);
}

TEST(Races, AReceiveThatTakesWhatALaterOneNeeds) {
  const All all{Process().recv_any(2).recv(1), Process().send(0), Process().send(0)};
  const auto found = find_races(all, 8);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].taken.rank, 2);
  EXPECT_EQ(found[0].other.rank, 1);
  ASSERT_EQ(found[0].stuck.size(), 1u);
  EXPECT_EQ(found[0].stuck[0].rank, 0);
}

TEST(Races, AnyOrderWillDo) {
  const All all{Process().recv_any(2).recv_any(1), Process().send(0), Process().send(0)};
  EXPECT_TRUE(find_races(all, 8).empty());
}

TEST(Races, AnotherTagIsNoCandidate) {
  const All all{Process().recv_any(2, 5).recv(1, 6), Process().send(0, 6), Process().send(0, 5)};
  EXPECT_TRUE(find_races(all, 8).empty());
}

TEST(Races, TheOtherMessageComesOnlyAfterwards) {
  const All all{Process().recv_any(2).send(1, 9).recv(1), Process().recv(0, 9).send(0), Process().send(0)};
  EXPECT_TRUE(find_races(all, 8).empty());
}

TEST(Races, AMasterThatAnswersTheSourceIsLeftOut) {
  const All all{Process().recv_any(1).send(1).recv_any(2).send(2), Process().send(0).recv(0),
                Process().send(0).recv(0)};
  EXPECT_TRUE(find_races(all, 8).empty());
}

TEST(Races, ALongerMessage) {
  Process zero;
  zero.irecv_any(1).wait(0).irecv_any(2);
  Acts list = zero;
  list.list.back().number = 8;
  const All all{list, Process().send(0, 0, 4), Process().send(0, 0, 8)};
  const auto found = find_races(all, 8);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].stuck.empty());
  EXPECT_EQ(found[0].too_short, (ActPlace{0, 0}));
}

// Both messages of the first phase must come before the barrier: neither receive can take one of the second.
TEST(Races, ALoopOfWaitsomeHasAllMessagesBeforeTheBarrier) {
  const auto sender = [] { return Process().send(0).barrier(1, 3).send(0); };
  const All all{Process().irecv_any(2).irecv_any(1).see(0).see(1).barrier(1, 3).recv(1).recv(2), sender(),
                sender()};
  EXPECT_TRUE(find_races(all, 8).empty());
}

TEST(Races, AReceiveThatIsTestedTakesWhatALaterOneNeeds) {
  const All all{Process().irecv_any(2).see(0).recv(1), Process().send(0), Process().send(0)};
  EXPECT_EQ(find_races(all, 8).size(), 1u);
}

TEST(Races, AnotherProcessTestsForTheStuckOne) {
  const All all{Process().irecv(2, 5).see(0), Process().send(2), Process().recv_any(3).recv(1).send(0, 5),
                Process().send(2)};
  const auto found = find_races(all, 8);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].stuck.size(), 1u);
  EXPECT_EQ(found[0].stuck[0].rank, 2);
}

// Rank 1 takes the message of rank 3 and then needs another one of it. Rank 3 sends that one after an answer
// of rank 0, which stands at MPI_Waitany for rank 1 and has the message of rank 3: it would have answered
// first.
TEST(Races, AnotherOrderAfterWaitanyIsNotJudged) {
  const All all{Process().irecv(1, 5).irecv(3, 6).see(0).recv(1, 1).see(1).send(3, 7),
                Process().recv_any(2).recv(3).send(0, 5).send(0, 1).recv_any(3), Process().send(1),
                Process().send(0, 6).send(1).recv(0, 7).send(1)};
  EXPECT_TRUE(find_races(all, 8).empty());
}

TEST(Races, NothingIsClaimedOfAProcessWithoutARecord) {
  const All all{Process().recv_any(2).recv(1), Process().send(0).ends(), Process().send(0)};
  EXPECT_TRUE(find_races(all, 8).empty());
}

}  // namespace
