// SPDX-License-Identifier: Apache-2.0
#include "arrays/kept_updates.hpp"

#include <utility>

#include "arrays/transfers/request.hpp"

namespace lapwing::arrays {

std::shared_ptr<Request> KeptUpdates::find(const BlockingUpdate& call) const {
  for (const Known& known : known_)
    if (known.state == State::kept && known.call == call) return known.request;
  return nullptr;
}

bool KeptUpdates::is_repeated(const BlockingUpdate& call) {
  for (const Known& known : known_)
    if (known.call == call) return known.state == State::seen;
  if (known_.size() == most) known_.erase(known_.begin());
  known_.push_back({call});
  return false;
}

void KeptUpdates::keep(const BlockingUpdate& call, std::shared_ptr<Request> request) {
  for (Known& known : known_) {
    if (known.call != call) continue;
    known.state = request ? State::kept : State::not_worth;
    known.request = std::move(request);
  }
}

}  // namespace lapwing::arrays
