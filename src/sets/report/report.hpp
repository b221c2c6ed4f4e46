// SPDX-License-Identifier: Apache-2.0
// What is wrong, said once, by one rank; then the job ends with status 86.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sets/report/error_status.hpp"
#include "sets/votes/agreement.hpp"

namespace lapwing::sets {

class Wait;

/// Where one process is, in words that can travel.
struct Account {
  int rank = 0;
  std::string call;                      ///< "MPI_Bcast", or "" if it computes
  std::string details;                   ///< "root 0, 4 MPI_INT", "from rank 1 with tag 3"
  std::string group;                     ///< "MPI_COMM_WORLD"
  std::string site;                      ///< "file.c:12"
  std::string path;                      ///< branches taken, one in a line (compiled code)
  std::uint64_t circle = 0, number = 0;  ///< of a collective call
  bool collective = false, ended = false;
  std::vector<int> members;  ///< of the circle

  std::string packed() const;
  static Account unpacked(const char* data, std::size_t size);
};

Account account_of(const Told& told, const Circle& circle, std::uint64_t number);
Account account_of(const Wait& wait);

/// A call and its place, nothing else.
Account account_of_place(const Told& told);
/// A call's use of memory: without group and arguments.
Account account_of_use(const Told& told, bool writes);

std::string site_text(const Told& told);
const char* kind_made(Operation operation);
/// "0, 2-5"
std::string rank_list(const std::set<int>& ranks);

/// From an agreement, on every member; the first one of the circle reports.
void note_mismatch(Circle& circle, std::uint64_t call);
/// On the member to which another has sent another amount than it expects.
void note_wrong_amount(Circle& circle, std::uint64_t call, const Amount& amount);

/// A collective call for which a process waits, and which processes have made it.
struct Attended {
  std::uint64_t circle = 0, number = 0;
  std::set<int> come;
};

/// All of `accounts` wait for ever, those in `core` for each other.
void report_deadlock(const std::vector<Account>& accounts, const std::set<int>& core,
                     const std::vector<Attended>& calls);

class Reports {
 public:
  static void start();
  /// Now and then while waiting: says what is known if not all can be asked.
  static void look(std::uint64_t now);
};

}  // namespace lapwing::sets
