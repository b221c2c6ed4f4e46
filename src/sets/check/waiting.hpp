// SPDX-License-Identifier: Apache-2.0
// The waits of a process that is checked, for the processes that ask about them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sets/votes/agreement.hpp"

namespace lapwing::sets {

/// One act of one other process that would let this one go on. Travels.
struct Edge {
  enum Kind : std::int32_t {
    round,      ///< sends the message of round `b` of call `a`
    message,    ///< sends a message with tag `a` (any_tag: any) beyond the `b` received so far
    receive,    ///< receives the `b`th message with tag `a`
    exposes,    ///< calls MPI_Win_post for the `a`th time
    completes,  ///< calls MPI_Win_complete for the `a`th time
    releases    ///< unlocks rank `a` of the window for the `b`th time
  };
  static constexpr std::uint64_t any_tag = ~std::uint64_t{0};

  std::int32_t peer;  ///< world rank
  Kind kind;
  std::uint64_t circle, a, b;
  std::int32_t clause;  ///< one edge of each clause must come true
  std::int32_t unused;
};

struct Edges {
  std::vector<Edge> list;
  int clauses = 0;
  bool goes_on = false;  ///< it may go on without anybody: not blocked
};

/// A call in which this process waits. Lives on the stack of the call.
class Wait {
 public:
  virtual ~Wait() = default;
  virtual bool done() = 0;
  virtual void edges(Edges* edges) = 0;
  /// The call, its arguments and its place.
  virtual Told told() const = 0;
  /// "from rank 1 with tag 3", or "".
  virtual std::string details() const { return {}; }
  /// The collective call that this is, or null.
  virtual const Circle* circle() const { return nullptr; }
  virtual std::uint64_t call() const { return 0; }
  /// A receive posted by this call could take such a message.
  virtual bool could_receive(const Circle&, int, int) { return false; }
};

/// Returns once wait.done(). Meanwhile others' questions are answered and, after
/// a while, asked.
void block(Wait& wait);

/// Where the process is, for a process that asks; null while it computes.
struct Standing {
  Wait* wait = nullptr;
  std::uint64_t epoch = 0;  ///< changes whenever a wait begins or ends
};
Standing& standing();

/// Waits for a collective call's agreement and, in calls with a count for each
/// process, for what the others send.
class CallWait : public Wait {
 public:
  CallWait(Circle& circle, std::uint64_t call) : circle_(circle), call_(call) {}
  bool done() override;
  void edges(Edges* edges) override;
  Told told() const override;
  const Circle* circle() const override { return &circle_; }
  std::uint64_t call() const override { return call_; }

 private:
  Circle& circle_;
  std::uint64_t call_;
};

/// The edge to whoever's message a call waits for; false if it waits for nobody.
bool call_edge(Circle& circle, std::uint64_t call, int clause, Edges* edges);

}  // namespace lapwing::sets
