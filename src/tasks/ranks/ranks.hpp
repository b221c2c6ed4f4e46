// SPDX-License-Identifier: Apache-2.0
// Tasks on ranks. The main program runs on rank 0, the home. It creates all
// tasks of its own; each is sent to a rank at once, and with it, to the ranks
// concerned, what must be moved: "send version 7 of this object there", "version
// 7 comes here". Every rank puts what it is told into the queues of its own
// synchroniser, in the order of the program: a task is a task, a sending is a
// hidden task that reads, a receiving one that writes. So each rank waits for
// what it needs by itself, old versions stay until they have been read and sent,
// and the whole language works within a task as it does on threads.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <lapwing/tasks/program.hpp>
#include "tasks/ranks/balance.hpp"
#include "tasks/ranks/entry.hpp"
#include "tasks/ranks/hidden.hpp"
#include "tasks/ranks/lend.hpp"
#include "tasks/ranks/modules.hpp"
#include "tasks/ranks/wire.hpp"
#include "tasks/worker.hpp"

namespace lapwing::tasks::ranks {

/// The facts that another rank wants to know of a task here, when it and all that came of
/// it have ended: that it has, and its parts of reductions.
struct Guest {
  struct Part {
    Object* object;
    const detail::Type* type;
    const detail::Reduction* reduction;
    int to;
    std::vector<void*> values = {};  // in the order of the program
  };
  bool counted = false;  // sent here by the home
  bool at_once = false;  // the home wants word of its end
  std::uint64_t place = 0;
  std::vector<Part> parts;
  std::unique_ptr<Loan> loan = nullptr;  // that another rank wants back
};

/// Puts the names of objects into a text of another rank, which has not met them.
void name_objects(std::string& text);

/// True if the part of a reduction was put with those of the task's guest.
bool collected(Record& record);

/// An object that is used here is perhaps another rank's, and not known yet.
/// True if its generation can be compared with the handle's.
bool meet(const detail::Handle& handle, const detail::Type* type, const Task& task);

class Ranks {
 public:
  Ranks(Runtime& runtime, Wire& wire);
  ~Ranks();
  /// All ranks agree on addresses and workers; Error, the same on all, if they cannot.
  void start();
  /// The work of a rank other than the home, in place of the main program.
  void serve();
  /// The home ends everybody's run; then all messages have been handled.
  void end_all();
  void settle();
  void stop_helper();

  bool home() const { return rank_ == 0; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  int all_workers() const { return first_worker_.back(); }
  int first_worker() const { return first_worker_[static_cast<std::size_t>(rank_)]; }
  /// The worker of this rank that has the number among all, or -1.
  int here(int worker) const;

  // --- the home (home.cpp) ---
  /// A task of the main program that is complete: true if it went to another rank.
  bool launch(Task& task);
  /// The main program is going to use an object.
  void used_by_main(Object& object, std::uint8_t rights);
  /// An object that a task on another rank has made is named for the first time.
  void adopt(const detail::Handle& handle, const detail::Type* type);
  bool others_at_work() const {
    return unfinished() > 0 || central_elsewhere_.load() > 0 || lent_out_.load() > 0;
  }
  std::uint64_t unfinished() const { return unfinished_.load(std::memory_order_acquire); }
  /// The main program waits for all tasks: asks for word of them.
  void ask();
  void flush();
  void forget_failure();

  // --- the central scheduler of the home (central.cpp) ---
  bool central() const { return central_mode_; }
  /// True of tasks that must be given to enabled() before they run.
  bool wants_rank(const Task& task) const;
  void enabled(Task& task);
  /// A task of the main program has ended on the rank: it may have another.
  void next_for(int rank);
  /// The running task may use the object, but its value may be elsewhere.
  void ensure_here(Task& task, Object& object, std::uint8_t rights);

  /// The task goes on once so many bytes of the object have come, or all.
  void wait_until_landed(Task& task, Object& object, std::size_t size);
  void wait_until_all_landed(Task& task);

  // --- tasks that tasks spawn, on other ranks (lend.cpp) ---
  /// What is kept of the placement of a task's child.
  int place_of_child(int worker) const;
  bool may_lend(const Task& task) const {
    return lends_ && task.fiber == nullptr && task.parent != nullptr && !task.parent->main && !task.stays &&
           !task.destroys;
  }
  /// A task that may run, and may be lent: true if it was.
  bool lend(Task& task);
  /// A worker that has nothing to do asks who has.
  void want();

  // --- every rank ---
  /// Sends and receives; returns at once, with a negative number, if another thread
  /// does. 0 if there was nothing.
  int poll();
  /// Something large is on its way.
  bool moving() const { return moving_.load(std::memory_order_relaxed); }
  /// A worker that has nothing to do polls for a while.
  void begin_polling();
  void end_polling();
  /// More threads than cores here.
  bool crowded() const { return crowded_; }
  Object& object_at(const detail::Handle& handle);
  void run_hidden(Task* task);
  /// A guest and all that came of it have ended.
  void ended(Task& task);
  /// The task failed here.
  void tell_failure(const Task& task);
  Worker& helper() { return helper_; }
  void add_to(Statistics& statistics) const;

 private:
  struct Batch {
    detail::Out out;
    std::uint64_t since;
  };
  struct Key {
    Object* object;
    std::uint64_t what;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (reinterpret_cast<std::size_t>(key.object) >> 6) * 0x9e3779b97f4a7c15ULL ^ key.what;
    }
  };

  // home.cpp
  detail::Out& batch(int rank);
  void flush(int rank);
  void move(Object& object, const Move& move);
  void reduce(Object& object, Record& record, Task& task, int rank);
  int choose(Task& task, bool stays);
  void require_known(const Task& task);
  int pinned(Task& task);
  void say_object_stays(const Task& task, const Object& object, int rank);
  void say_body_stays(const Task& task);
  void drop(Object& object);
  void put_head(detail::Out& out, const Task& task, int placed);
  void write_task(Task& task, int rank, const detail::Out& closure);
  Guest& guest_of(Task& task);
  CopyRules rules() const;

  // central.cpp
  void go(Task& task);
  bool will_come(Object& object, const Move& move);
  std::optional<Move> use(Entry& entry, int rank, bool reads);
  int bring(Task& task, Object& object, bool reads);
  void ask_for(int owner, const detail::Handle& what, std::uint32_t version);
  bool came_home(Key key, detail::In in, Arrived& message);
  void assign(Task& task, int rank);
  void combined_here(Entry& entry);
  void settle_here(Task& task);
  void ended_elsewhere(int rank, std::uint64_t place);
  void parts_from(detail::In in);
  int rank_of(int worker) const;

  // arrive.cpp
  void handle(int source, int kind, Arrived message);
  void handle_batch(detail::In in);
  void read_task(detail::In& in);
  void arrived(Key key, detail::In in, Arrived message);

  struct Head {
    Task& task;
    std::uint32_t records;
  };
  Head read_head(detail::In& in);
  void start_task(detail::In& in, Task& task);
  void take_failure(int source, detail::In& in);

  // lend.cpp
  bool enough_here() const;
  bool work_here() const;
  void tell_of_spare();
  static bool keep_here(Task& task);
  void wanted_by(int rank, int tasks);
  void spares(int rank);
  void borrow(int source, detail::In in);
  void give_back_loan(Loan& loan);
  void returned(int source, detail::In in);

  // hidden.cpp
  void enter_hidden(Object& object, std::uint8_t rights, const detail::Reduction* reduction, Hidden hidden);
  void send_object(Object& object, const Hidden& hidden);
  void end_hidden(Task* task);
  void put_object(detail::Out& out, const Object& object, const Hidden& hidden, Form form);
  Form meet_version(Object& object, const Hidden& hidden, detail::In& in);
  void install(Object& object, const Hidden& hidden);
  void unpack_parts(Object& object, Record& record, const Hidden& hidden);

  // stuck.cpp
  struct Look {
    std::uint64_t round = 0;
    bool quiet = false;
    std::uint64_t sent = 0, handled = 0;  // messages, but for those of looks
  };
  bool quiet() const;
  Look look() const;
  void watch();
  void ask_all(bool why);
  void answer(detail::In in);
  void answered(detail::In in);
  std::string describe() const;

  // bulk.cpp
  bool send_as_bulk(Task* task);
  void take_bulk(Object& object, const Hidden& hidden, detail::In& in);
  bool bulk_comes(int source, Key key, detail::In in, Arrived& message);
  void land(int source, Task* task, detail::In in);
  void landed(Task* task, std::size_t bytes);
  bool waits_for_landing(Task* sending);

  [[noreturn]] void fail(const std::string& sentence);
  void report();
  void put_counts(detail::Out& out) const;
  void get_counts(detail::In& in, int rank);
  void put_failure(detail::Out& out);
  static void put_told(detail::Out& out, const Failure::Told& told);
  void get_failure(detail::In& in);
  void help();
  void move_on();
  bool waits_to_send();
  int look_well();

  Runtime& runtime_;
  Wire& wire_;
  const int rank_, ranks_;
  const bool central_mode_, lends_;
  std::vector<int> first_worker_;
  Worker helper_;
  std::thread helper_thread_;
  std::atomic<bool> stop_helper_{false};
  std::atomic<int> pollers_{0};
  std::atomic<bool> moving_{false};
  bool crowded_ = false;
  double cpu_at_start_ = 0;
  std::uint64_t messages_at_start_ = 0, bytes_at_start_ = 0;

  // Guarded by the wire's mutex.
  std::vector<Batch> batches_;
  detail::Out closure_;  // of the task that is being sent
  Ahead ahead_;
  Central central_;
  std::unordered_map<std::uint64_t, Task*> elsewhere_;        // by their place
  std::unordered_map<Key, std::vector<Task*>, Hash> coming_;  // and who waits here
  std::unordered_map<Object*, std::uint64_t> newest_;         // of what came unasked
  struct Ask {
    int owner;
    detail::Handle what;
    std::uint32_t version;
  };
  std::unordered_map<Key, Ask, Hash> then_;  // what is asked for when something has come
  std::optional<Key> asked_last_;            // for the task whose events are being read
  std::unordered_map<Key, Arrived, Hash> early_;
  std::unordered_map<Key, Task*, Hash> awaited_;
  std::uint64_t ended_ = 0, reported_ = 0, asked_ = 0, report_every_ = 1;
  std::vector<std::uint64_t> messages_, bytes_;  // of each rank, as it said last
  std::vector<double> cpu_;

  Lending lending_;
  struct Lent {
    Task* task;
    double cost;  // seconds
    bool fixed;   // the program has said where
  };
  std::unordered_map<std::uint64_t, Lent> lent_;  // by their number
  std::uint64_t loans_ = 0, lent_and_back_ = 0;   // so far
  std::uint64_t forgotten_ = 0;                   // failures
  std::vector<int> rich_;                         // who has tasks to spare
  std::atomic<std::size_t> rich_count_{0}, lent_out_{0};
  std::atomic<int> takers_{0};
  std::atomic<bool> all_told_{false};

  std::atomic<std::uint64_t> unfinished_{0};
  std::atomic<std::size_t> central_elsewhere_{0};
  struct Looks {
    std::uint64_t round = 0, sent = 0, handled = 0;  // of messages of looks
    std::uint64_t handled_before = 0, sent_before = 0;
    int answers = 0, agreeing = 0;
    bool ended = false;
    Look sum = {};
    std::string text = {};
    std::uint64_t since = 0, pause = 0;  // nanoseconds
  } looks_;
  struct Landing {
    std::size_t size, landed = 0;
    struct Waiting {
      Task* task;
      std::size_t size;
    };
    std::vector<Waiting> waiting = {};
    std::vector<Task*> sendings = {};  // hidden ones, for which all must be there
  };
  std::unordered_map<Object*, Landing> landings_;  // whose readers are let in early
  std::atomic<std::uint64_t> early_uses_{0};
  bool moving_ahead_ = false;             // the batch tells the receiver of what is being sent to it
  std::unordered_set<const void*> said_;  // types and bodies that stay
  std::uint64_t on_wish_ = 0, wished_ = 0, moved_ = 0;
};

}  // namespace lapwing::tasks::ranks
