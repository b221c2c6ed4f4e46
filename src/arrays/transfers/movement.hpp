// SPDX-License-Identifier: Apache-2.0
// The schedule of one transfer on this process, and the exchanges that carry it
// out: one, or, where the strategy is centralized, three.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arrays/schedules/combiner.hpp"
#include "arrays/schedules/ghosts.hpp"
#include "arrays/task_comm.hpp"
#include "arrays/transfers/exchange.hpp"

namespace lapwing::arrays {

enum class Strategy : int { automatic = 0, parallel = 1, packed = 2, direct = 3, centralized = 4 };

class Movement {
 public:
  struct Ends {
    std::shared_ptr<const Descriptor> from, to;  ///< what is sent, and what it is received as
    Party sender, receiver;
  };

  /// Between two tasks; this process belongs to one of them. `call` is the number
  /// of the call within the task, `match` that of the send on its channel.
  static std::unique_ptr<Movement> between(TaskComm& comm, const Ends& ends, bool sends,
                                           const std::vector<char*>& local, Strategy strategy,
                                           bool persistent, std::uint64_t call, std::uint64_t match,
                                           const Met* met);
  /// Within this task. `met`, of both: what index lists share; null where there are none. With `transform`
  /// what arrives is combined with what is there: it lands in memory of its own until all of it has.
  static std::unique_ptr<Movement> within(TaskComm& comm, const Ends& ends, const std::vector<char*>& from,
                                          const std::vector<char*>& to, Strategy strategy, bool persistent,
                                          std::uint64_t call, const Met* met,
                                          const Transform* transform = nullptr);

  /// The ghosts of an array over this task, from their owners' memory; or, where they are
  /// added, into it: they arrive in memory of their own, and are added in one order when all have.
  static std::unique_ptr<Movement> ghosts(TaskComm& comm, const Descriptor& array,
                                          const std::vector<char*>& local, const GhostUpdate& update,
                                          Strategy strategy, bool persistent, Exchange::Tags tags);

  /// The strategy that both sides take where neither has chosen one.
  static Strategy cheapest(const TaskComm& comm, const Ends& ends);

  void start();
  bool step();
  bool done() const { return stage_ == stages_.size(); }
  bool simple() const { return stages_.size() == 1 && stages_[0]->simple(); }
  bool unhurried() const { return stages_.size() == 1 && stages_[0]->unhurried(); }
  /// One stage, which MPI alone moves: wait() may stay in MPI until it is done.
  bool prepared() const { return stages_.size() == 1 && stages_[0]->prepared(); }
  void wait();
  std::int64_t elements() const { return elements_; }
  /// False where that cannot be known before the end.
  bool landed(std::vector<Landed>* out) const;

 private:
  explicit Movement(StepTimes& steps) : steps_(steps) {}
  std::shared_ptr<const Plan> plan(TaskComm& comm, const Descriptor& mine, const Descriptor& theirs,
                                   bool sends, bool same_task, int rank, const Met* met = nullptr);
  std::shared_ptr<const Plan> ghost_plan(TaskComm& comm, const Descriptor& array, const GhostUpdate& update,
                                         Schedule::Way way);
  void carry(Exchange& exchange, const Plan& out, const std::vector<char*>& from, const Plan& in,
             const std::vector<char*>& to, int rank);
  /// A piece of this process' owned elements, to which one that has arrived is added, or with which it is
  /// combined.
  struct Addition {
    const Piece* piece;
    char* local;
    const char* arrived;
  };
  void receive_apart(const Plan& in, const std::vector<char*>& local, Piece (*lies)(const Piece&),
                     Plan* apart, std::vector<char*>* arrived);
  void take_arrived();

  void next();
  Exchange& stage(MPI_Comm comm, const Near& near, Exchange::Tags tags, Strategy strategy, bool persistent);
  void centralized(TaskComm& comm, const Ends& ends, bool sends, const std::vector<char*>& local,
                   bool persistent, std::uint64_t call, std::uint64_t match);

  StepTimes& steps_;
  std::vector<std::shared_ptr<const Plan>> plans_;
  std::vector<std::unique_ptr<char[]>> gathered_;  // the whole array, on a first process; ghosts to be added
  std::vector<Addition> additions_;
  std::optional<Transform> transform_;  // else they are added
  std::vector<std::unique_ptr<Exchange>> stages_;
  std::size_t stage_ = 0;
  std::int64_t elements_ = 0;
};

}  // namespace lapwing::arrays
