// SPDX-License-Identifier: Apache-2.0
#include "sets/orders/records.hpp"

#include <mutex>

#include "sets/all_processes.hpp"
#include "sets/check/kinds.hpp"
#include "sets/packed_values.hpp"

namespace lapwing::sets {

void Records::gather() {
  if (gathered_) return;
  gathered_ = true;
  {
    const std::lock_guard guard(Messages::lock());
    Messages::on(history_kind, [](int source, const char* data, std::size_t size) {
      PackedValues in(data, size);
      Acts& acts = all_[static_cast<std::size_t>(source)];
      acts.whole = in.get<std::int32_t>() != 0;
      acts.list = in.get_all<Act>();
    });
  }
  if (Messages::rank() == 0) {
    all_.resize(static_cast<std::size_t>(Messages::processes()));
    all_[0] = History::acts();
  }
  // No process tells before rank 0 can hear.
  meet_all();
  if (Messages::rank() != 0) {
    PackedValues out;
    out.put<std::int32_t>(History::acts().whole);
    out.put_all(History::acts().list);
    const std::lock_guard guard(Messages::lock());
    Messages::send(0, history_kind, out.data(), out.size());
  }
  settle();
}

}  // namespace lapwing::sets
