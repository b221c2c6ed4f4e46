// SPDX-License-Identifier: Apache-2.0
// The checker's kinds of control message.
#pragma once

#include "sets/messages.hpp"

namespace lapwing::sets {

enum CheckKind : int {
  round_kind = check_kinds,  ///< agreement.hpp
  amount_kind,               ///< agreement.hpp: what one member sends another in one call
  question_kind,             ///< deadlock.hpp
  answer_kind,
  report_kind,     ///< report.hpp: a description for who reports
  finished_kind,   ///< finalize.cpp: how many messages went where
  sent_as_kind,    ///< finalize.cpp: which call sent messages of a type?
  post_kind,       ///< epochs.cpp
  leak_kind,       ///< permitted.cpp: handles that a process has not freed
  unstarted_kind,  ///< permitted.cpp: a request that it has waited for and never started
  history_kind,    ///< orders.cpp: the messages that a process has recorded
  account_kind,    ///< orders.cpp: asks a process for its words about some of them, and the answer
  access_kind,     ///< access_log.cpp: the accesses to windows that a process has recorded
  overlap_kind,    ///< overlaps.cpp: calls that use memory of an operation in flight
  lock_kind,       ///< locks.cpp: locks of windows, asked for, given and returned
  after_check_kinds,
};
static_assert(static_cast<int>(after_check_kinds) <= static_cast<int>(declared_kinds));

}  // namespace lapwing::sets
