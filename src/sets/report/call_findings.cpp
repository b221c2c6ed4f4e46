// SPDX-License-Identifier: Apache-2.0
// Findings about calls that are wrong by themselves: messages, requests, memory, handles, windows.
#include <fmt/format.h>

#include "sets/report/finding.hpp"

namespace lapwing::sets {

Finding lost_finding(int from, int to, int tag, std::uint64_t count, const std::string& group,
                     const Account& sender) {
  std::vector<Account> senders;
  if (!sender.call.empty()) senders.push_back(sender);
  return finding("lost", "message", senders,
                 fmt::format("{} message{} from rank {} to rank {} with tag {} on {} {} never received{}",
                             count, count == 1 ? "" : "s", from, to, tag, group, count == 1 ? "was" : "were",
                             senders.empty() ? "." : ":"),
                 "Before MPI_Finalize there must be a receive for each send.");
}

Finding error_finding(const Account& account, const std::string& text, const std::string& advice) {
  return finding("error", account.call, {account}, "MPI reports an error: " + text, advice);
}

Finding unfinished_finding(const Account& account) {
  return finding(
      "missing", account.call, {account},
      fmt::format("{} on {} was called by some of its processes only:", account.call, account.group),
      "All processes of a communicator must make the same collective calls.");
}

Finding types_finding(const Account& sender, const Account& receiver) {
  return finding("mismatch", "type", {sender, receiver},
                 fmt::format("messages from rank {} to rank {} are sent as one type and received as another:",
                             sender.rank, receiver.rank),
                 "Receive a message as the type as which it was sent.");
}

Finding request_finding(const Account& account) {
  return finding(
      "request", account.call, {account},
      fmt::format("rank {} comes to MPI_Finalize with a request that it has not completed:", account.rank),
      account.collective
          ? "Complete the request of a collective call with a wait or a test: it may not be freed."
          : "Complete each request with a wait or a test, or free it.");
}

Finding unstarted_finding(const std::vector<Account>& accounts) {
  std::set<int> ranks;
  for (const Account& account : accounts) ranks.insert(account.rank);
  return finding(
      "unstarted", accounts.front().call, accounts,
      fmt::format("{} {} for a persistent request that is never started, so nothing is done:",
                  ranks_text(ranks), ranks.size() == 1 ? "waits" : "wait"),
      "MPI permits this. Where the message is meant to travel, start its request with MPI_Start or "
      "MPI_Startall before each wait.");
}

Finding overlap_finding(const Account& pending, const Account& later, std::size_t bytes) {
  return finding("overlap", "pending", {pending, later},
                 fmt::format("rank {} uses {} byte{} of memory that an operation in flight uses, too:",
                             later.rank, bytes, bytes == 1 ? "" : "s"),
                 "Until an operation is completed, by a wait or a test or by a synchronisation of its "
                 "window, nothing may "
                 "write to what it sends, and nothing may use what it receives.");
}

Finding touch_finding(const Account& pending, bool sent, const std::string& place, std::size_t at,
                      std::size_t length) {
  const char* const buffer = sent ? "sends" : "receives";
  return finding(
      "buffer", sent ? "sent" : "received", {pending},
      place.empty()
          ? fmt::format("rank {} has written to byte {} of {} that an operation in flight {}, before "
                        "a wait or a test completed it:",
                        pending.rank, at, length, buffer)
          : fmt::format("rank {} {} memory that an operation in flight {}, at {}:", pending.rank,
                        sent ? "writes to" : "uses", buffer, place),
      "Use a buffer again when its operation has been completed, by a wait or a test or by a synchronisation "
      "of its "
      "window.");
}

Finding alias_finding(const Account& account) {
  Account caller = account;
  caller.details.clear();
  return finding("overlap", "own", {caller}, "the send and the receive buffer of a collective call overlap:",
                 "Pass MPI_IN_PLACE, or buffers that do not overlap.");
}

Finding freed_finding(const Account& user, const Account& freed, const std::string& noun) {
  Account before = freed;
  before.details = "freed it";
  return finding("argument", "freed", {user, before},
                 fmt::format("{} is given {} that has been freed:", user.call, noun),
                 "A handle may be used until it is freed; free it after its last use.");
}

Finding no_buffer_finding(const Account& account) {
  return finding("argument", account.call, {account},
                 fmt::format("{} is given a null pointer as the buffer of its elements:", account.call),
                 "Pass the address of the data, or a count of 0.");
}

Finding active_finding(const Account& caller, const Account& maker) {
  Account start = caller, made = maker;
  if (start.call.empty()) start.call = "MPI_Start";
  made.details = "made it";
  return finding("argument", start.call, {start, made},
                 fmt::format("{} is given a request that is active still:", start.call),
                 "Complete a persistent request with a wait or a test before the next start.");
}

Finding count_finding(const Account& account, std::int64_t count) {
  return finding("argument", account.call, {account},
                 fmt::format("{} is given a count of {}:", account.call, count), "A count is 0 or more.");
}

Finding outside_finding(const Account& account, bool finalised) {
  return finding(
      "order", account.call, {account},
      fmt::format("{} is called {}:", account.call, finalised ? "after MPI_Finalize" : "before MPI_Init"),
      "Between MPI_Init and MPI_Finalize a process may call MPI; elsewhere it may only ask "
      "MPI_Initialized, MPI_Finalized and MPI_Get_version.");
}

Finding second_init_finding(const Account& caller) {
  Account account = caller;
  if (account.call.empty()) account.call = "MPI_Init";
  return finding("order", account.call, {account}, fmt::format("{} is called a second time:", account.call),
                 "A process initialises MPI once, also where it has finalized it.");
}

Finding no_finalize_finding(const Account& account) {
  return finding("missing", "MPI_Finalize", {account}, "the processes end and none has called MPI_Finalize:",
                 "Each process calls MPI_Finalize before it ends, or MPI_Abort where it cannot go on.");
}

Finding epoch_finding(const Account& account, const std::string& complaint) {
  return finding("epoch", account.call, {account}, fmt::format("{} {}:", account.call, complaint),
                 "Accesses to a window stand between two calls of MPI_Win_fence, between MPI_Win_start and "
                 "MPI_Win_complete, or between MPI_Win_lock and MPI_Win_unlock; close what you have opened.");
}

Finding open_epoch_finding(int rank, const std::string& opened_by, const std::string& window) {
  Account account;
  account.rank = rank;
  account.call = "MPI_Finalize";
  return epoch_finding(account,
                       fmt::format("stands in an epoch that {} has opened, of {}", opened_by, window));
}

Finding beyond_window_finding(const Account& account, int target, std::int64_t begin, std::int64_t end,
                              std::int64_t size) {
  return finding("argument", account.call, {account},
                 fmt::format("{} uses bytes {} to {} of the window of rank {}, which has {} byte{} there:",
                             account.call, begin, end - 1, target, size, size == 1 ? "" : "s"),
                 "Displacements count from the window's beginning, in the units that the target gave.");
}

Finding target_type_finding(const Account& account, const std::string& here, bool gets,
                            const std::string& there) {
  return finding("argument", account.call, {account},
                 fmt::format("{} {} {} here and {} at its target:", account.call, gets ? "receives" : "sends",
                             here, there),
                 "Both ends of an access to a window must hold the same data.");
}

Finding conflict_finding(const Account& one, const Account& other, int target, const std::string& window,
                         std::int64_t begin, std::int64_t length) {
  const std::string bytes =
      length == 1 ? fmt::format("byte {}", begin) : fmt::format("bytes {} to {}", begin, begin + length - 1);
  return finding(
      "conflict", "window", {one, other},
      fmt::format("nothing orders two accesses to {} of what rank {} has in {}, and at least one of "
                  "them writes:",
                  bytes, target, window),
      "Put a synchronisation of the window and of the processes between the two, or use "
      "MPI_Accumulate and its kin with one operation.");
}

Finding leak_finding(const std::vector<Account>& accounts) {
  return finding(
      "leak", "handle", accounts, "handles are not freed when the program comes to MPI_Finalize:",
      "MPI permits this, but a program that makes more and more of them runs out of memory. Free each handle "
      "with the call that belongs to it, MPI_Comm_free, MPI_Type_free or another.");
}

Finding unsafe_sends_finding(const std::vector<Account>& accounts) {
  std::set<int> ranks;
  for (const Account& account : accounts) ranks.insert(account.rank);
  return finding(
      "unsafe", "send", accounts,
      fmt::format("{} would wait for {} if MPI did not buffer what is sent here:", ranks_text(ranks),
                  ranks.size() == 1 ? "itself" : "each other"),
      "MPI may buffer a standard send, and may also wait for its receive. Let one side receive first, or "
      "use MPI_Sendrecv or non-blocking calls.");
}

Finding race_finding(const Account& receive, const Account& taken, const Account& other,
                     const std::vector<Account>& then, bool stuck) {
  return finding(
      "race", stuck ? "stuck" : "length", then,
      fmt::format(
          "{} at {} on rank {} took the message of rank {}, and may another time take that of rank {} "
          "({} at {}). Then {}:",
          receive.call, receive.site, receive.rank, taken.rank, other.rank, other.call, other.site,
          stuck ? "no process can go on from here" : "a message is longer than the buffer of this receive"),
      "Name the source, or use another tag, where it matters which message comes first.");
}

}  // namespace lapwing::sets
