// SPDX-License-Identifier: Apache-2.0
// How ranks tell each other of tasks that threw. Data carry the place of a failure that their sender knows,
// so that no task runs on what a failed one has left.
#pragma once

#include <lapwing/tasks/pack.hpp>

#include <cstdint>

#include "tasks/failure.hpp"
#include "tasks/ranks/job.hpp"
#include "tasks/ranks/outbox.hpp"

namespace lapwing::tasks::ranks {

class FailureMessages {
 public:
  FailureMessages(const Job& job, Outbox& outbox) : job_(job), outbox_(outbox) {}

  /// The place of the failure that counts here so far, beside what a message holds.
  void put_place(detail::Out& out) const;
  void take_place(detail::In& in) const;
  /// The failure as a whole.
  static void put(detail::Out& out, const Failure::Told& told);
  /// The home tells all others; another rank, whose loan has failed elsewhere, tells the home.
  void take(int source, detail::In& in);
  /// A task that ran here threw.
  void tell(const Task& task);
  /// The main program has met the failure: the home says so to all.
  void forget();
  /// The home has said so.
  void forgotten();
  /// How often; of two ranks one may be ahead.
  std::uint64_t times_forgotten() const;

 private:
  void send_home(const Failure::Told& told) const;

  const Job& job_;
  Outbox& outbox_;
  std::uint64_t forgotten_ LAPWING_GUARDED_BY(job_.wire.mutex) = 0;
};

/// Puts the names of objects into a text of another rank, which has not met them.
void name_objects(std::string& text);

}  // namespace lapwing::tasks::ranks
