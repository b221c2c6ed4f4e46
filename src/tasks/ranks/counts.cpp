// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/counts.hpp"

#include <algorithm>
#include <cassert>
#include <ctime>

#include "tasks/ranks/messages.hpp"

namespace lapwing::tasks::ranks {

namespace {
double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
}  // namespace

Counts::Counts(const Job& job) : job_(job), of_ranks_(static_cast<std::size_t>(job.ranks)) {}

void Counts::start(std::uint64_t report_every) {
  at_start_ = {job_.wire.messages(), job_.wire.bytes(), cpu_now()};
  report_every_ = report_every;
}

Counts::OfRank Counts::own() const {
  return {job_.wire.messages() - at_start_.messages, job_.wire.bytes() - at_start_.bytes,
          cpu_now() - at_start_.cpu_seconds};
}

void Counts::task_ended() {
  job_.wire.mutex.assert_held();
  ++ended_;
  if (ended_ == asked_ || ended_ - reported_ >= report_every_) report();
}

void Counts::asked(std::uint64_t tasks) {
  job_.wire.mutex.assert_held();
  asked_ = tasks;
  if (ended_ >= asked_) report();
}

void Counts::report() {
  job_.wire.mutex.assert_held();
  assert(reported_ <= ended_);
  if (reported_ == ended_) return;
  reported_ = ended_;
  detail::Out out;
  out(ended_);
  put(out);
  job_.wire.send(0, Message::finished, out.data.data(), out.data.size());
}

void Counts::put(detail::Out& out) const {
  const OfRank now = own();
  out(now.messages, now.bytes, now.cpu_seconds);
}

void Counts::take(int rank, detail::In& in) {
  job_.wire.mutex.assert_held();
  OfRank& its = of_ranks_[static_cast<std::size_t>(rank)];
  in(its.messages, its.bytes, its.cpu_seconds);
}

void Counts::add_to(Statistics& statistics) const {
  job_.wire.mutex.assert_held();
  for (int rank = 0; rank < job_.ranks; ++rank) {
    const OfRank its = rank == job_.rank ? own() : of_ranks_[static_cast<std::size_t>(rank)];
    statistics.messages += its.messages;
    statistics.bytes += its.bytes;
    statistics.most_messages = std::max(statistics.most_messages, its.messages);
    statistics.cpu_seconds.push_back(its.cpu_seconds);
  }
}

}  // namespace lapwing::tasks::ranks
