// SPDX-License-Identifier: Apache-2.0
// How versions of objects move between ranks. Each transfer is a task of its own: one that sends reads the
// object, one that receives writes it. So it stands in the object's queue among the tasks of the program, and
// the thread that makes it ready runs it at once. Old versions stay until they have been read and sent.
#pragma once

#include <lapwing/tasks/pack.hpp>

#include <cstdint>
#include <functional>
#include <string>

#include "tasks/object.hpp"
#include "tasks/ranks/arrivals.hpp"
#include "tasks/ranks/copies.hpp"
#include "tasks/ranks/failure_messages.hpp"
#include "tasks/ranks/landings.hpp"
#include "tasks/ranks/outbox.hpp"

namespace lapwing::tasks::ranks {

/// The closure of a transfer task.
struct Transfer {
  enum Kind : std::uint8_t { send, receive, part, drop } kind;
  detail::Handle what;
  std::uint32_t version = 0;  // to send, or to receive
  int to = 0;
  std::uint64_t place = 0;  // of the task whose part it is
  Arrived data = {};        // that has come
  bool landed = false;      // the bytes are in the object
};

/// How an object's value travels, if it does: behind its description, or by itself.
enum class Form : std::uint8_t { absent, packed, bulk };

/// Rights of a transfer task that replaces the value.
constexpr auto replaces = static_cast<std::uint8_t>(detail::reads | detail::writes);

class ObjectTransfers {
 public:
  ObjectTransfers(const Job& job, Outbox& outbox, FailureMessages& failures)
      : job_(job), outbox_(outbox), failures_(failures) {}

  /// Puts a transfer task into the object's queue. Under the wire's lock.
  void enter(Object& object, std::uint8_t rights, const detail::Reduction* reduction, Transfer transfer);
  /// Home: both sides of a move, each in the order of the program.
  void move(Object& object, const Move& move);
  /// The task is the first in its queue.
  void run(Task* task);
  /// Sends the version that is here, without a task.
  void send(Object& object, const Transfer& transfer);
  /// Asks the owner for a version.
  void fetch(const Fetches::Fetch& fetch) const;
  void fetch_in_turn(ArrivalKey key, const Fetches::Fetch& fetch);
  void next_task();
  /// The transfer's bytes become the object's value.
  void install(Object& object, const Transfer& transfer);
  /// A version has come, or word that it will come in strips; `in` is behind its name.
  void version_arrived(int source, ArrivalKey key, detail::In in, Arrived message);
  /// All of a version, or a part of a reduction, has come.
  void arrived(ArrivalKey key, detail::In in, Arrived message);
  std::optional<Arrived> take_early(ArrivalKey key);
  /// Home: the object's life ends on all ranks that have met it.
  void drop(Object& object);

  // --- large objects (bulk.cpp) ---
  /// The task goes on once so many bytes of the object have come, or all.
  void wait_until_landed(Task& task, Object& object, std::size_t size);
  void wait_until_all_landed(Task& task);

  /// Lines on transfers that wait for something to come.
  std::string describe_waits() const;
  std::uint64_t moved() const;
  void count_move();
  std::uint64_t early_uses() const;
  /// All messages have been handled.
  void clear();

  /// Set by the central scheduler of the home: true if it has taken what came for tasks of its own.
  std::function<bool(ArrivalKey, detail::In, Arrived&)> taken_first;

 private:
  void end(Task* task);
  void put_object(detail::Out& out, const Object& object, const Transfer& transfer, Form form) const;
  Form meet_version(Object& object, const Transfer& transfer, detail::In& in) const;

  // bulk.cpp
  bool send_as_bulk(Task* task);
  static void take_bulk(Object& object, const Transfer& transfer, detail::In& in);
  bool bulk_comes(int source, ArrivalKey key, detail::In in, Arrived& message);
  void land(int source, Task* task, detail::In in);
  void landed(Task* task, std::size_t bytes);
  bool waits_for_landing(Task* sending);

  const Job& job_;
  Outbox& outbox_;
  FailureMessages& failures_;
  Arrivals arrivals_ LAPWING_GUARDED_BY(job_.wire.mutex);
  Fetches fetches_ LAPWING_GUARDED_BY(job_.wire.mutex);
  Landings landings_ LAPWING_GUARDED_BY(job_.wire.mutex);
  // The batch tells the receiver of the version that is being sent to it: a small one goes along.
  bool with_batch_ LAPWING_GUARDED_BY(job_.wire.mutex) = false;
  std::uint64_t moved_ LAPWING_GUARDED_BY(job_.wire.mutex) = 0;
};

}  // namespace lapwing::tasks::ranks
