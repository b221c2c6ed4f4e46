// SPDX-License-Identifier: Apache-2.0
// The reasons in a report, for call sites about which nothing has been decided.
#include "transfer/accounts/reasons.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lapwing::transfer {
namespace {

constexpr std::uint64_t large = 1 << 20;

/// Waits for its bytes, and for nothing else.
Line messages(const char* call, std::uint64_t calls) {
  Line line;
  line.call = call;
  line.calls = calls;
  line.bytes = calls * large;
  line.exposed_ns = calls * 2'000'000;
  return line;
}

std::uint64_t& plain(Line& line, PlainCause cause) { return line.plain[static_cast<std::size_t>(cause)]; }

Reason reason(const Line& line, const std::vector<Line>& others = {}) {
  JobFacts job;
  job.seconds = 10;
  Lines lines{{"itself", line}};
  for (const Line& other : others) lines["other " + std::to_string(lines.size())] = other;
  return reason_of(line, lines, job);
}

TEST(Reasons, FewCallsAreTooFew) {
  Line line = messages("MPI_Irecv", 8);
  line.learning = 1;
  plain(line, PlainCause::watched) = 8;
  EXPECT_STREQ(reason(line).word, "too-few-calls");
}

TEST(Reasons, ManyWatchedCallsAreNot) {
  Line line = messages("MPI_Irecv", 186);
  line.learning = 1;
  plain(line, PlainCause::watched) = 186;
  EXPECT_STREQ(reason(line).word, "no-gain-seen");
}

TEST(Reasons, ManyCallsOfWhichFewAreLargeSaySo) {
  Line line = messages("MPI_Irecv", 186);
  line.learning = 1;
  plain(line, PlainCause::watched) = 12;
  EXPECT_STREQ(reason(line).word, "too-few-calls");
  EXPECT_NE(reason(line).why.find("only 12 of 186 messages"), std::string::npos) << reason(line).why;
}

TEST(Reasons, WhatKeptMostMessagesPlainIsNamed) {
  Line line = messages("MPI_Irecv", 186);
  line.learning = 1;
  plain(line, PlainCause::watched) = 6;
  plain(line, PlainCause::layout) = 180;
  EXPECT_STREQ(reason(line).word, "layout");
}

TEST(Reasons, AnUnfinishedTrialIsUndecided) {
  Line line = messages("MPI_Isend", 186);
  line.learning = 1;
  line.stripped = 40;
  plain(line, PlainCause::watched) = 146;
  EXPECT_STREQ(reason(line).word, "undecided");
  EXPECT_NE(reason(line).why.find("40 of 186 messages"), std::string::npos) << reason(line).why;
}

TEST(Reasons, ASendHasNoSender) {
  Line send = messages("MPI_Isend", 186), receive = messages("MPI_Irecv", 186);
  plain(send, PlainCause::watched) = 186;
  receive.learning = 1;
  plain(receive, PlainCause::watched) = 20;
  EXPECT_STREQ(reason(send, {receive}).word, "no-gain-seen");
  EXPECT_EQ(reason(send, {receive}).why.find("sender"), std::string::npos) << reason(send, {receive}).why;
}

TEST(Reasons, AReceiverFollowsItsSender) {
  Line send = messages("MPI_Isend", 186), receive = messages("MPI_Irecv", 186);
  plain(receive, PlainCause::watched) = 186;
  send.aside = 1;
  send.stripped = 20;
  EXPECT_STREQ(reason(receive, {send}).word, "did-not-pay");
  send.aside = 0;
  send.learning = 1;
  EXPECT_STREQ(reason(receive, {send}).word, "undecided");
  EXPECT_NE(reason(receive, {send}).why.find("sender"), std::string::npos) << reason(receive, {send}).why;
}

}  // namespace
}  // namespace lapwing::transfer
