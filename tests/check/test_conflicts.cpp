// SPDX-License-Identifier: Apache-2.0
// Accesses to windows that nothing orders, found in records that no program had to make.
#include <gtest/gtest.h>

#include "sets/windows/conflicts.hpp"

namespace {

using lapwing::sets::Access;
using lapwing::sets::AccessRecord;
using lapwing::sets::Act;
using lapwing::sets::Acts;
using lapwing::sets::Conflict;
using lapwing::sets::find_conflicts;

/// Writes the record of one process.
class Process {
 public:
  Process& access(Access::Kind kind, std::int64_t begin, std::int64_t length, bool passive = false) {
    Access access;
    access.window = 7;
    access.target = 2;
    access.kind = kind;
    access.op = kind == Access::accumulate ? 1 : 0;
    access.passive = passive;
    access.place = static_cast<std::uint32_t>(record.list.size());
    access.from = static_cast<std::uint32_t>(acts.list.size());
    access.begun = ++clock_;
    access.first_run = static_cast<std::uint32_t>(record.runs.size());
    access.runs = 1;
    record.runs.push_back({begin, length});
    record.list.push_back(access);
    return *this;
  }
  Process& put(std::int64_t begin, bool passive = false) { return access(Access::put, begin, 4, passive); }
  /// All accesses so far are complete.
  Process& flush() {
    for (Access& access : record.list) {
      if (access.ended != Access::never) continue;
      access.until = static_cast<std::uint32_t>(acts.list.size());
      access.ended = clock_ + 1;
    }
    return *this;
  }
  Process& fence(std::uint64_t number, int members) {
    flush();
    Act& act = add(Act::together);
    act.circle = 1;
    act.number = number;
    act.members = members;
    return *this;
  }
  Process& send(int to) {
    add(Act::send).peer = to;
    acts.list.back().tag = 0;
    return *this;
  }
  Process& receive(int from, Act::Kind knows = Act::wait) {
    Act& act = add(Act::receive);
    act.peer = act.source = from;
    act.tag = act.source_tag = 0;
    const auto place = static_cast<std::uint32_t>(acts.list.size() - 1);
    add(knows).subject = place;
    return *this;
  }

  Acts acts;
  AccessRecord record;

 private:
  Act& add(Act::Kind kind) {
    Act act;
    act.kind = kind;
    acts.list.push_back(act);
    return acts.list.back();
  }
  std::uint32_t clock_ = 0;
};

std::vector<Conflict> conflicts(const std::vector<Process>& all) {
  std::vector<Acts> acts;
  std::vector<AccessRecord> accesses;
  for (const Process& process : all) {
    acts.push_back(process.acts);
    accesses.push_back(process.record);
  }
  return find_conflicts(acts, accesses, 10);
}

TEST(Conflicts, TwoPutsBetweenFences) {
  const auto found = conflicts({Process().fence(0, 3).fence(1, 3), Process().fence(0, 3).put(0).fence(1, 3),
                                Process().fence(0, 3).put(2).fence(1, 3)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_EQ(found[0].other_rank, 2);
  EXPECT_EQ(found[0].bytes.begin, 2);
  EXPECT_EQ(found[0].bytes.length, 2);
}

TEST(Conflicts, AFenceOrders) {
  EXPECT_TRUE(conflicts({Process().put(0).fence(0, 2).fence(1, 2), Process().fence(0, 2).put(0).fence(1, 2)})
                  .empty());
  EXPECT_TRUE(conflicts({Process().put(0).fence(0, 2), Process().put(4).fence(0, 2)}).empty());
}

TEST(Conflicts, WhatMayMeet) {
  const auto both = [](Access::Kind a, Access::Kind b) {
    return conflicts({Process().access(a, 0, 4), Process().access(b, 0, 4)}).size();
  };
  EXPECT_EQ(both(Access::get, Access::get), 0u);
  EXPECT_EQ(both(Access::get, Access::put), 1u);
  EXPECT_EQ(both(Access::accumulate, Access::accumulate), 0u);
  EXPECT_EQ(both(Access::accumulate, Access::get), 1u);
}

TEST(Conflicts, AMessageOrdersWhatWasFlushed) {
  for (const Act::Kind knows : {Act::wait, Act::seen}) {
    EXPECT_TRUE(conflicts({Process().put(0, true).flush().send(1), Process().receive(0, knows).put(0, true)})
                    .empty());
    EXPECT_EQ(
        conflicts({Process().put(0, true).send(1).flush(), Process().receive(0, knows).put(0, true)}).size(),
        1u);
    EXPECT_EQ(
        conflicts({Process().send(1).put(0, true).flush(), Process().receive(0, knows).put(0, true)}).size(),
        1u);
  }
}

TEST(Conflicts, OneOrigin) {
  EXPECT_EQ(conflicts({Process().put(0).put(0)}).size(), 1u);
  EXPECT_TRUE(conflicts({Process().put(0).flush().put(0)}).empty());
  EXPECT_TRUE(
      conflicts({Process().access(Access::accumulate, 0, 4).access(Access::accumulate, 0, 4)}).empty());
}

TEST(Conflicts, AReaderMayHaveLearned) {
  // The second process has read a place that the first one writes: it may have waited for it.
  EXPECT_TRUE(conflicts({Process().put(0, true).flush().access(Access::accumulate, 64, 4, true),
                         Process().access(Access::accumulate, 64, 4, true).flush().put(0, true), Process()})
                  .empty());
}

TEST(Conflicts, NothingIsClaimedBehindTheEndOfARecord) {
  Process cut = Process().put(0).flush();
  cut.acts.whole = false;
  EXPECT_TRUE(conflicts({cut, Process().fence(0, 2).put(0)}).empty());
}

}  // namespace
