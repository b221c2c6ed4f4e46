// SPDX-License-Identifier: Apache-2.0
// Run mode: reports processes of a node that wait for each other, or for one that
// has come to MPI_Finalize, for ever.
//
// A process inside MPI answers no questions, so each process shows in shared memory
// which call it is in, how many calls it has made on each set and how often it has
// voted. The helper of each looks at it now and then, and calls no MPI: those are
// stuck that are in one and the same call at two looks and need an act of others
// that are stuck too, or have ended, and that has not been done. The cost of a call
// is a dozen stores. Waits for messages are not shown, and prevent a report.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "progress/helper.hpp"
#include "sets/family.hpp"
#include "sets/group_call.hpp"

namespace lapwing::sets {

enum class WaitKind : std::uint32_t;

/// A vote that is missing: of which ballots, the how many-th, and of which process.
struct MissingVote {
  std::uint64_t ballots = 0, sequence = 0;
  int rank = 0;  ///< in the world
  bool operator==(const MissingVote&) const = default;
};

class RunWatch final : public progress::Polled {
 public:
  /// Bytes of each process' area on the board.
  static std::size_t area();
  /// Null where there is no other process to look at, or where other threads may call MPI.
  static std::unique_ptr<RunWatch> make(bool one_thread);
  ~RunWatch();

  /// The call is about to wait for others of the set; or, without a wait, has been made.
  void enter(Family& family, Set& set, const GroupCall& call);
  /// It has returned.
  void leave();
  /// It waits for votes; said now and then while it does, and ended by leave().
  void wait_for(const std::vector<MissingVote>& missing, const std::string& what);
  /// MPI_Finalize: the process acts no more, but for votes that it owes.
  void come_to_end(const std::string& what);

  static std::uint64_t ballots_key(std::uint64_t comm, const Set& set) { return comm ^ set.id(); }

 private:
  struct Post;
  struct Count;
  struct Seen;
  struct Standing {
    const char* name = "";
    const lapwing_call_site* site = nullptr;
    const void* returns_to = nullptr;
    const Family* family = nullptr;
    const Set* set = nullptr;
    std::string what;  ///< of waits that are no calls
    std::vector<MissingVote> missing;
  };

  RunWatch();
  std::int64_t look(bool woken) override;
  bool finds_itself_stuck();
  Seen see() const;
  void find_stuck(Seen* seen) const;
  bool is_stuck(const Seen& seen, std::size_t one) const;
  void publish_ballots();
  void say_where();
  void report(const Seen& seen);
  template <typename Act>
  bool while_it_waits(std::uint64_t turn, Act act);
  void begin(WaitKind kind);
  void end();
  static Count* count_of(Post& post, std::uint64_t key, bool make);
  std::uint64_t near(const Family& family, const Set& set) const;

  std::vector<int> ranks_;   ///< of the node, this one among them
  std::vector<int> places_;  ///< in `ranks_`, by rank in the world
  std::vector<Post*> posts_;
  Post* own_ = nullptr;
  Standing standing_;                   ///< valid while this process waits
  std::atomic<bool> looked_at_{false};  ///< by the helper, which it waits for
  std::unique_ptr<Seen> before_;
  std::uint64_t turn_ = 0;  ///< at the look before
  int told_ = 0;            ///< looks in a row since it is known to be stuck
};

}  // namespace lapwing::sets
