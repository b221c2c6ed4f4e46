// SPDX-License-Identifier: Apache-2.0
// The engine of one process: everything that is in flight, and its progress.
//
// One lock guards it all. Program threads enter it from MPI calls; the helper
// thread enters it while something is in flight and sleeps otherwise. No thread
// ever waits for a closed page while it holds the lock, and no MPI call made
// under it blocks, so the lock is always released soon.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/costs.hpp"
#include "progress/clock.hpp"
#include "progress/locks.hpp"
#include "transfer/comms.hpp"
#include "transfer/decisions/governor.hpp"
#include "transfer/decisions/sites.hpp"
#include "transfer/incoming.hpp"
#include "transfer/outgoing.hpp"
#include "transfer/plain_sends.hpp"
#include "transfer/requests.hpp"
#include "transfer/settings.hpp"
#include "transfer/windows/deferred_accesses.hpp"
#include "transfer/wire/control.hpp"

namespace lapwing::transfer {

class Helper;
class PageTrace;
class TraceFile;
struct KnownCosts;

using progress::now_ns;

/// Kinds of control message; upper rooms use kinds from 16 on.
enum ControlKind : int {
  credit_kind = 0,
  truncated_kind = 1,
  drain_kind = 2,
  wish_kind = 3,  // the governor's, to leave_kind
  offer_kind = 4,
  accept_kind = 5,
  stop_kind = 6,
  leave_kind = 7,
  first_free_kind = 16
};

/// A matched message of the program's whose header has been received: the
/// MPI_Message that it holds is a real one of Lapwing's own that stands for it.
struct Minted {
  std::unique_ptr<HeaderBytes> header;
  std::shared_ptr<CommInfo> info;
  int source, tag;
};

/// How one message is to travel.
struct Decision {
  bool stripped = false;
  StripPlan plan;
};

enum class SendMode { standard, synchronous };

/// How a call of MPI's uses memory.
enum class Use { reads, writes, unknown };

/// The engine's lock. Its owner runs MPI on the program's behalf, and must
/// never wait for a page in a system call of MPI's: only its release lets pages
/// open.
class EngineMutex {
 public:
  void lock() LAPWING_ANALYSIS(no_thread_safety_analysis) {
    mutex_.lock();
    section_.emplace();
  }
  void unlock() LAPWING_ANALYSIS(no_thread_safety_analysis) {
    section_.reset();
    mutex_.unlock();
  }
  void assert_held() const { mutex_.assert_held(); }

 private:
  progress::OwnedMutex mutex_;
  std::optional<guard::EngineSection> section_;
};

class Engine {
 public:
  /// The engine, or nullptr before MPI_Init, after MPI_Finalize and wherever
  /// Lapwing stands aside.
  static Engine* get() { return instance_.load(std::memory_order_acquire); }

  /// Collective over the world; after PMPI_Init. `threads`: whether MPI may be
  /// called by several threads. Stands aside with a sentence where it must, and
  /// without one where it is `futile`.
  static void start(const Settings& settings, bool threads, const std::string& obstacle, bool futile);
  /// Whether threads of the program's may call MPI at once.
  static bool program_has_threads() { return program_has_threads_.load(std::memory_order_relaxed); }
  static void set_program_has_threads(bool several) { program_has_threads_.store(several); }
  /// Collective; before PMPI_Finalize. Retires everything.
  static void stop();

  EngineMutex& mutex() { return mutex_; }
  const Settings& settings() const { return settings_; }
  MPI_Comm strips_comm() const { return strips_comm_; }
  Comms& comms() { return comms_; }
  Control& control() { return *control_; }
  Requests& requests() { return requests_; }
  Sites& sites() { return sites_; }
  Governor& governor() { return *governor_; }
  /// Any thread, without the lock.
  bool expects_headers() const { return expects_headers_.load(std::memory_order_relaxed); }
  void set_expects_headers(bool expects) { expects_headers_.store(expects, std::memory_order_relaxed); }
  /// For how many iterations this rank has not read its partners' letters: see Governor::attend().
  /// Any thread, without the lock.
  static unsigned letters_due() { return letters_due_.load(std::memory_order_relaxed); }
  static void letter_may_have_come() { letters_due_.fetch_add(1, std::memory_order_relaxed); }
  static void letters_were_read() { letters_due_.store(0, std::memory_order_relaxed); }
  /// Reads them behind a call of the program's that has waited in MPI for so many nanoseconds. A call that
  /// has hardly waited may stand between a receive and its send. Takes the lock.
  void read_due_letters(std::uint64_t waited) {
    if (letters_due() == 0 || waited < shortest_wait) return;
    std::lock_guard lock(mutex_);
    governor_->attend();
  }
  static constexpr std::uint64_t shortest_wait = 50'000;
  /// Letters that are so old are read behind any call that completes requests: a partner may be waiting for
  /// an answer, and looks at MPI in each of its calls until it comes.
  static constexpr unsigned overdue = 4;
  bool is_local(int world_rank) const { return local_[static_cast<std::size_t>(world_rank)]; }
  /// From which sizes on messages to and from this rank are deferred.
  const machine::Thresholds& sizes_to(int world_rank) const {
    return is_local(world_rank) ? node_sizes_ : network_sizes_;
  }
  bool may_defer_receives() const { return guarding_; }
  /// Whether all ranks want collective calls to be deferred.
  bool collectives_wanted() const { return collectives_wanted_; }
  /// Whether all ranks want one-sided accesses to be deferred.
  bool accesses_wanted() const { return accesses_wanted_; }
  /// Whether this node has a core for the helper.
  bool has_spare_core() const { return spare_core_; }
  void set_defer(Defer defer) { settings_.defer = defer; }
  int world_rank() const { return world_rank_; }
  /// Of a run that only watches the pages of what it receives (LAPWING_PAGES); null of others.
  PageTrace* pages() { return pages_.get(); }

  // Everything below needs the lock.

  /// `agreed`: the two ranks have agreed to strips apart from what the governor knows.
  Decision decide(Site& site, std::size_t bytes, int destination, bool agreed = false);
  /// Whether all to this rank goes the plain way.
  bool never_strips(int destination) const;
  /// Posts the header on (comm, tag) and starts the strips. `user_request`
  /// receives the header's request where the program waits for it itself.
  int start_outgoing(std::shared_ptr<Outgoing> transfer, int rank, SendMode mode, MPI_Request* user_request);
  std::shared_ptr<Incoming> start_incoming(const HeaderBytes& header, int world_source,
                                           const Destination& destination, Site* site);
  std::uint32_t next_id() { return next_id_++; }
  bool staging_permits(std::size_t bytes) const;
  /// One round over all that is in flight; true if anything moved.
  bool progress();
  bool sends_strips() const { return !outgoing_.empty(); }
  /// Bytes of strips that have landed or left so far.
  std::uint64_t strip_bytes() const { return strip_bytes_; }
  bool anything_in_flight() const {
    return !outgoing_.empty() || !incoming_.empty() || control_->sending() || DeferredAccesses::moving();
  }
  bool somebody_waits() const;
  /// Whether receives that are posted must be looked at: a header may have come, or the
  /// program has freed one.
  bool must_look_at_receives() const;
  /// Whether the helper is to look at them as well, while the program computes. An answer
  /// to a plain message that comes before the program's own send makes the two directions
  /// of an exchange travel one after the other.
  bool helper_looks_at_receives() const;
  /// Nothing is in flight and no header can come: a program thread may wait inside MPI.
  bool at_rest() const;
  /// At rest, the program's calls need no locks of MPI's: see mpi/library_locks.hpp.
  void drop_locks_at_rest();
  /// Write-guards what has not left; false where that cannot be done.
  bool guard_outgoing(Outgoing& transfer);
  const std::list<std::shared_ptr<Outgoing>>& outgoing() const { return outgoing_; }
  PlainSends& plain_sends() { return plain_sends_; }
  DeferredAccesses& accesses() { return accesses_; }
  /// Whether MPI may still read from [from, to) for a send that is pending.
  bool sends_from(const char* from, const char* to);
  const std::list<std::shared_ptr<Incoming>>& incoming() const { return incoming_; }
  /// A receive too small for a header met a larger message: if that was a
  /// stripped one, its strips must not be left lying.
  void note_truncated();
  void adopt_outgoing(std::shared_ptr<Outgoing> transfer);
  /// Sees whether the header of a posted receive has arrived, and starts the
  /// transfer if so. True once it is known what the message is.
  bool look_for_header(Tracked& tracked, MPI_Request request);
  /// The header that MPI has just received into a destination.
  void take_header(const Destination& destination, HeaderBytes* header);
  /// Control messages are looked for also while nothing is in flight.
  void listen(bool on) { listening_ = on; }
  bool listening() const { return listening_; }
  void wake_helper();
  void note_posted_receive();
  void note_abandoned() { ++abandoned_; }
  /// Answers touches of pages that have landed, and are only watched; true if there were any.
  bool answer_touches();
  /// Opens what is watched in [from, to), for a call of MPI's that uses it so.
  void open_watched(const char* from, const char* to, Use use);

  // Services of the two kinds of transfer.
  void send_credit(const Incoming& transfer, std::uint32_t site_key, std::uint64_t landed, bool last);
  /// Packs a buffer into `bytes` bytes at `out`.
  void gather(const void* buffer, MPI_Count count, MPI_Datatype type, char* out, std::size_t bytes);
  /// Gives a destination the bytes that came for it elsewhere; MPI's error if they do not fit.
  int receive_from_self(const char* bytes, std::size_t size, const Destination& destination);
  void note_strips(std::size_t count) { stats.strips += count; }
  void note_strip_bytes(std::uint64_t bytes) { strip_bytes_ += bytes; }
  void note_region_opened(const Incoming& transfer, const guard::Region& region);
  void note_landed(const Incoming& transfer);
  /// Takes the lock: a call of the program's that went through the engine.
  void note_call(const Caller& caller, std::size_t bytes, std::uint64_t nanoseconds);
  [[noreturn]] void die_of_foreign_header(int source);
  [[noreturn]] void die_of_lost_strip(const Incoming& transfer, int code);

  /// Drives progress from a program thread until `done()`, called under the
  /// lock, holds. Call it without the lock.
  template <typename Done>
  void drive(Done done) {
    drivers_.fetch_add(1, std::memory_order_relaxed);
    for (unsigned round = 0;; ++round) {
      {
        std::lock_guard lock(mutex_);
        if (done()) break;
        if (progress()) round = 0;
        if (done()) break;
      }
      progress::relax(round);
    }
    drivers_.fetch_sub(1, std::memory_order_relaxed);
  }
  /// Between two looks at something that MPI alone moves.
  void relax_outside() {
    std::unique_lock lock(mutex_);
    const bool moved = progress();
    lock.unlock();
    if (!moved) progress::relax(~0u);
  }
  int drivers() const { return drivers_.load(std::memory_order_relaxed); }

  /// A real request, or a real matched message, that is complete at once; it
  /// stands for something that the engine holds (`tag` is the caller's).
  MPI_Request mint_request();
  /// Complete, with this status.
  MPI_Request mint_request(const MPI_Status& status);
  MPI_Message mint_message();
  std::unordered_map<std::uint64_t, Minted> minted;

  struct Stats {
    std::uint64_t deferred_receives = 0, deferred_sends = 0, strips = 0, faults = 0, bytes_deferred = 0;
    std::uint64_t exposed_ns = 0;
  } stats;
  std::string standing_aside;

 private:
  struct Left {
    StripPlan plan;
    std::size_t total;
  };

  explicit Engine(const Settings& settings);
  ~Engine();
  void finish();
  void start_guards();
  void take_hints(std::unique_ptr<HintFile> file, bool all_alike);
  void tell_unused_hints();
  void trace_pages(std::unique_ptr<TraceFile> file, bool all);
  void end_page_trace();
  void take_sizes(const KnownCosts& known, bool all_know_node, bool all_know_network);
  bool agree(bool threads, const std::string& obstacle);
  bool poll_pending_receives();
  void on_credit(int source, const char* data, std::size_t size);
  void on_truncated(int source, const char* data, std::size_t size);
  void on_drain(int source, const char* data, std::size_t size);
  void offer_drain(int destination, std::uint32_t id, const Left& left);

  static inline std::atomic<Engine*> instance_{nullptr};
  static inline std::atomic<bool> program_has_threads_{true};

  EngineMutex mutex_;
  Settings settings_;
  Comms comms_;
  Requests requests_;
  Sites sites_;
  std::unique_ptr<Control> control_;
  std::unique_ptr<Governor> governor_;
  std::unique_ptr<Helper> helper_;
  std::unique_ptr<HintFile> hint_file_;
  bool hints_alike_ = false;  // all ranks have as many hints
  std::unique_ptr<TraceFile> trace_file_;
  std::unique_ptr<PageTrace> pages_;
  bool all_trace_ = false;  // all ranks have a trace
  MPI_Comm strips_comm_ = MPI_COMM_NULL, control_comm_ = MPI_COMM_NULL, self_comm_ = MPI_COMM_NULL;
  std::vector<bool> local_;
  bool guarding_ = false;
  bool collectives_wanted_ = false;
  bool accesses_wanted_ = false;
  bool spare_core_ = true;
  machine::Thresholds node_sizes_, network_sizes_;
  int world_rank_ = 0, world_size_ = 1;
  std::uint32_t next_id_ = 1;
  std::list<std::shared_ptr<Outgoing>> outgoing_;
  // All strips have left before any credit came: a receiver whose MPI has truncated the header asks for them.
  std::map<std::pair<int, std::uint32_t>, Left> left_uncredited_;
  PlainSends plain_sends_;
  DeferredAccesses accesses_;
  std::list<std::shared_ptr<Incoming>> incoming_;
  std::map<std::pair<int, std::uint32_t>, std::shared_ptr<Incoming>> orphans_;  // drained, header not seen
  // Headers matched since a receive here was truncated: what a sender then
  // offers to push may have been matched while the offer was on its way.
  std::set<std::pair<int, std::uint32_t>> seen_;
  bool remembering_ = false;
  std::vector<MPI_Request> loose_;  // sends to ourselves behind minted handles
  bool listening_ = false;
  std::uint64_t strip_bytes_ = 0;
  int abandoned_ = 0;  // receives that the program has freed before they were matched
  std::atomic<int> drivers_{0};
  std::atomic<bool> expects_headers_{false};
  static inline std::atomic<unsigned> letters_due_{0};
};

}  // namespace lapwing::transfer
