// SPDX-License-Identifier: Apache-2.0
// Which receive of a task meets which send of another: MPI's rules, with tasks in
// the place of processes. No MPI here.
//
// Every process of a task keeps the same books, each from the messages that it
// gets: a process gets one message for each send (an offer) and one for each
// receive (an answer), from one fixed process of the other task, so in order.
// Matching on one channel follows from the order of sends and that of receives,
// not from time, so all processes of both tasks find the same pairs, and a
// receive may be announced before its send is known: both descriptors travel at
// the same time. Only a receive from any task depends on time; the first process
// of the receiving task decides it, and what is posted after it is announced when
// it has been matched.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "arrays/error.hpp"

namespace lapwing::arrays {

struct Descriptor;
class Request;

inline constexpr int any = -1;

/// The description of a transfer that one side sends to the other.
struct Side {
  std::shared_ptr<const Descriptor> descriptor;
  int strategy = 0;
  Error error;  ///< the call failed there, and nothing will be moved
};

struct Match {
  Request* request;  ///< null: its call failed here
  int task;          ///< the other one
  std::uint64_t number;
  int tag;
  Side side;
};

/// The sends of this task to one other, and that task's receives from this one.
class Sends {
 public:
  /// Returns the number of the send on this channel.
  std::uint64_t post(int tag, Request* request);
  /// A receive with its send's number, or one that takes the first send that
  /// fits, in order of their announcement.
  void receive(std::optional<std::uint64_t> number, int tag, Side side);
  std::vector<Match> take(int task);

 private:
  struct Send {
    std::uint64_t number;
    int tag;
    Request* request;
  };
  struct Receive {
    std::optional<std::uint64_t> number;
    int tag;
    Side side;
  };
  std::deque<Send> sends_;
  std::deque<Receive> receives_;
  std::uint64_t next_ = 0;
};

/// The receives of this task, and all other tasks' sends to it.
class Receives {
 public:
  /// `decides`: this is the task's first process.
  Receives(int tasks, bool decides) : offers_(static_cast<std::size_t>(tasks)), decides_(decides) {}

  /// Whether the receive may be announced at once; else it is when it is matched.
  bool post(int task, int tag, Request* request);
  void offer(int task, std::uint64_t number, int tag, Side side);
  /// The first process' decision on the n-th receive from any task.
  void decision(std::uint64_t wildcard, int task, std::uint64_t number);

  struct Decision {
    std::uint64_t wildcard;
    int task;
    std::uint64_t number;
  };
  struct Taken {
    Match match;
    bool announced;
  };
  /// Takes out all that is matched by now, and the decisions that other processes must be told.
  std::vector<Taken> take(std::vector<Decision>* decisions);

 private:
  struct Posted {
    int task, tag;
    Request* request;
    bool announced;
    std::uint64_t wildcard = 0;               // its number, where the task is any
    std::optional<std::uint64_t> takes = {};  // decided: this offer of `task`'s
  };
  struct Offer {
    std::uint64_t number;
    int tag;
    Side side;
    std::uint64_t arrival;
  };
  bool claimed(std::size_t before, int task, const Offer& offer) const;
  std::optional<std::size_t> find(std::size_t posted, int task) const;
  bool settle(std::size_t posted, std::vector<Decision>* decisions);

  std::deque<Posted> posted_;
  std::vector<std::deque<Offer>> offers_;
  std::vector<Decision> early_;  // decisions on receives that are not posted here yet
  bool decides_;
  std::uint64_t wildcards_ = 0, arrivals_ = 0;
};

}  // namespace lapwing::arrays
