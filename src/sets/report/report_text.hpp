// SPDX-License-Identifier: Apache-2.0
// Findings as sentences and as JSON.
#pragma once

#include <string>
#include <vector>

#include "sets/report/report.hpp"

namespace lapwing::sets {

struct Finding {
  std::string
      kind;  ///< "mismatch", "missing", "deadlock", "partner", "lost", "request", "error",
             ///< "overlap", "leak", "unstarted", "unsafe", "race", "epoch", "argument", "order", "conflict"
  std::string text;  ///< lines for a person
  std::string json;  ///< one object in one line
};

Finding mismatch_finding(std::uint32_t wrong, const std::vector<Account>& accounts, int members);
Finding amount_finding(const Account& here, int from, const Amount& amount);
Finding deadlock_finding(const std::vector<Account>& accounts, const std::set<int>& core,
                         const std::vector<Attended>& calls);
/// In run mode: all of these wait for ever, or have come to the end.
Finding stuck_finding(const std::vector<Account>& accounts);
/// `sender` may be empty: then nothing is known of who sent them but the rank.
Finding lost_finding(int from, int to, int tag, std::uint64_t count, const std::string& group,
                     const Account& sender);
Finding unfinished_finding(const Account& account);
/// The data that `sender` sent are of another type than those that `receiver` received.
Finding types_finding(const Account& sender, const Account& receiver);
/// An error of MPI's own.
Finding error_finding(const Account& account, const std::string& text, const std::string& advice);
/// A persistent request that the program has made and waited for, but not started.
Finding unstarted_finding(const std::vector<Account>& accounts);
/// A request that is still active when its process comes to MPI_Finalize.
Finding request_finding(const Account& account);

/// An operation in flight and a later call use the same bytes, and one of them writes.
Finding overlap_finding(const Account& pending, const Account& later, std::size_t bytes);
/// The program has used memory of an operation in flight: at `place`, or, where that is "", bytes differ.
Finding touch_finding(const Account& pending, bool sent, const std::string& place, std::size_t at,
                      std::size_t length);
/// The send and the receive buffer of one call overlap.
Finding alias_finding(const Account& account);

/// A call at a window that does not fit into the epochs of its process; `complaint` says why.
Finding epoch_finding(const Account& account, const std::string& complaint);
/// MPI_Finalize comes before the end of an epoch.
Finding open_epoch_finding(int rank, const std::string& opened_by, const std::string& window);
/// An access that reaches beyond the `size` bytes that rank `target` has put into the window.
Finding beyond_window_finding(const Account& account, int target, std::int64_t begin, std::int64_t end,
                              std::int64_t size);
/// An access moves `here` at one end, and other data at its target.
Finding target_type_finding(const Account& account, const std::string& here, bool gets,
                            const std::string& there);
/// Nothing orders two accesses of `length` bytes, from `begin`, of what the process `target` has in `window`.
Finding conflict_finding(const Account& one, const Account& other, int target, const std::string& window,
                         std::int64_t begin, std::int64_t length);

Finding no_buffer_finding(const Account& account);
/// A persistent request that is started before its last start is complete.
Finding active_finding(const Account& caller, const Account& maker);
Finding count_finding(const Account& account, std::int64_t count);
/// `user` names what `freed` has freed.
Finding freed_finding(const Account& user, const Account& freed, const std::string& noun);
/// A call before MPI_Init, or after MPI_Finalize.
Finding outside_finding(const Account& account, bool finalised);
Finding second_init_finding(const Account& caller);
/// All processes have ended without MPI_Finalize.
Finding no_finalize_finding(const Account& account);

/// Handles that are not freed when the program comes to its end.
Finding leak_finding(const std::vector<Account>& accounts);

/// These wait for each other as soon as MPI does not buffer what they send.
Finding unsafe_sends_finding(const std::vector<Account>& accounts);
/// `receive` took the message of `taken`. Had it taken that of `other`, those in `then` would wait for ever,
/// or, if not `stuck`, it would be longer than the buffer of the receive in `then`.
Finding race_finding(const Account& receive, const Account& taken, const Account& other,
                     const std::vector<Account>& then, bool stuck);

/// Says it and writes the file that LAPWING_CHECK_JSON names; the job goes on.
void warn(const Finding& finding);
/// Says it, writes the file that LAPWING_CHECK_JSON names, and aborts the job.
[[noreturn]] void end_job(const Finding& finding);

/// The same for what several ranks may find at the same time: the lowest one says it.
[[noreturn]] void end_job_in_turn(const Finding& finding);

/// Set before the job ends here or by MPI_Abort: no process waits any more.
inline bool job_ends = false;

}  // namespace lapwing::sets
