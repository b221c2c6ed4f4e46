// SPDX-License-Identifier: Apache-2.0
// Run mode: reports processes of a node that wait for each other, or for one that
// has come to MPI_Finalize, for ever.
//
// A process inside MPI answers no questions, so each process shows in shared memory
// which call it is in, how many calls it has made on each set and how often it has
// voted. The helper of each looks at it now and then, and calls no MPI: those are
// stuck that are in one and the same call at two looks and need an act of others
// that are stuck too, or have ended, and that has not been done. The cost of a call
// is a dozen stores. A wait for the request of a non-blocking call is one in that call.
// Messages are counted (message_watch.hpp), so that one which waits for a message that has
// not been sent, or in a synchronous send whose receive has not begun, needs an act of the
// other process. Standard sends may end at any time, and prevent a report.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "progress/helper.hpp"
#include "sets/family.hpp"
#include "sets/group_call.hpp"
#include "sets/run/message_watch.hpp"

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
  /// The same of a call at a window.
  void enter(MPI_Win win, const GroupCall& call);
  /// It has returned.
  void leave();
  /// The call that was entered last has made a window, or a request that is to be followed; or nothing.
  void made(const Made& made);
  /// The program has freed this window, whose handle may come back.
  void freed(MPI_Win win) { windows_.erase(win); }
  /// The program waits for all of these requests, until leave(); false if none is followed.
  bool wait_for(int count, const MPI_Request* requests);
  /// This one is complete; `status`: null if the program has not looked.
  void complete(MPI_Request request, const MPI_Status* status);
  /// These are freed or cancelled.
  void forget(int count, const MPI_Request* requests);
  /// The family is about to be freed.
  void forget(const Family& family);

  // watch_messages.cpp

  MessageWatch& messages() { return messages_; }
  /// The program receives messages unseen from now on.
  void receives_unseen();
  /// The program waits in this call, until leave(), for a message or for a receive to match its own.
  void wait_for_message(MessageChannels* of, int rank, int tag, const char* call, const void* returns_to);
  void wait_for_match(MessageChannels* of, int rank, int tag, std::uint64_t number, const char* call,
                      const void* returns_to);
  /// The program waits for one of these requests, until leave(); false if it cannot be told.
  bool wait_for_any(int count, const MPI_Request* requests);
  /// It follows requests, or does not any more.
  void count_requests() { follows = !requests_.empty() || !messages_.requests.empty(); }
  /// It waits for votes; said now and then while it does, and ended by leave().
  void wait_for(const std::vector<MissingVote>& missing, const std::string& what);
  /// MPI_Finalize: the process acts no more, but for votes that it owes.
  void come_to_end(const std::string& what);

  static std::uint64_t ballots_key(std::uint64_t comm, const Set& set) { return comm ^ set.id(); }
  /// The program's only one, or null; and whether it follows any request.
  static inline RunWatch* only = nullptr;
  static inline bool follows = false;

 private:
  struct Post;
  struct Count;
  struct Seen;
  struct Window {
    Count* count;
    std::uint64_t near;
    std::string made_on;  ///< the communicator's name
  };
  struct Standing {
    const char* name = "";
    const lapwing_call_site* site = nullptr;
    const void* returns_to = nullptr;
    const Family* family = nullptr;
    const Set* set = nullptr;
    const Window* window = nullptr;
    std::string what;  ///< of waits that are no calls
    std::vector<MissingVote> missing;
  };
  /// A call that has begun: its number in `count`, the processes that it needs, and those that must make it
  /// too.
  struct Begun {
    Standing standing;
    const Count* count = nullptr;
    std::uint64_t number = 0, needs = 0, members = 0, signature = 0;
  };

  RunWatch();
  Begun begun(Count& count, std::uint64_t needs, const GroupCall& call);
  void show(const Begun& call);
  bool wait_for_receives(int count, const MPI_Request* requests);
  void show(std::span<const MessageNeed> needs, WaitKind kind, const MessageRequest& first);
  bool lacks_message(const Seen& seen, std::size_t one) const;
  bool never_comes(const Seen& seen, std::size_t one, std::size_t need) const;
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
  Standing standing_;  ///< valid while this process waits
  Begun last_;
  std::map<MPI_Request, Begun> requests_;
  std::map<MPI_Win, Window> windows_;
  MessageWatch messages_;
  MessageRequest of_message_;  ///< that this process waits for first, where it waits for messages
  bool waits_for_message_ = false;
  std::atomic<bool> looked_at_{false};  ///< by the helper, which it waits for
  std::unique_ptr<Seen> before_;
  std::uint64_t turn_ = 0;  ///< at the look before
  int told_ = 0;            ///< looks in a row since it is known to be stuck
};

}  // namespace lapwing::sets
