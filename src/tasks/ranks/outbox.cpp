// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/outbox.hpp"

#include <algorithm>

#include "progress/clock.hpp"
#include "tasks/ranks/messages.hpp"

namespace lapwing::tasks::ranks {

namespace {
constexpr std::size_t full_batch = 8192;  // bytes that leave at once
}  // namespace

detail::Out& Outbox::to(int rank) {
  job_.wire.mutex.assert_held();
  Batch& batch = batches_[static_cast<std::size_t>(rank)];
  if (batch.out.data.empty()) batch.since = progress::now_ns();
  return batch.out;
}

void Outbox::flush(int rank) {
  job_.wire.mutex.assert_held();
  auto& data = batches_[static_cast<std::size_t>(rank)].out.data;
  if (data.empty()) return;
  job_.wire.send(rank, Message::batch, data.data(), data.size());
  data.clear();
}

void Outbox::flush() {
  for (int rank = 1; rank < job_.ranks; ++rank) flush(rank);
}

void Outbox::flush_if_full(int rank) {
  job_.wire.mutex.assert_held();
  if (batches_[static_cast<std::size_t>(rank)].out.data.size() > full_batch) flush(rank);
}

std::uint64_t Outbox::waits(int rank) const {
  job_.wire.mutex.assert_held();
  const Batch& batch = batches_[static_cast<std::size_t>(rank)];
  return batch.out.data.empty() ? 0 : progress::now_ns() - batch.since;
}

bool Outbox::empty() const {
  job_.wire.mutex.assert_held();
  return std::all_of(batches_.begin(), batches_.end(),
                     [](const Batch& batch) { return batch.out.data.empty(); });
}

}  // namespace lapwing::tasks::ranks
