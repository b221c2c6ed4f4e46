// SPDX-License-Identifier: Apache-2.0
// Ghost updates that a program makes again and again by blocking calls: kept as persistent requests.
#pragma once

#include <memory>
#include <vector>

#include "arrays/schedules/ghosts.hpp"
#include "arrays/view.hpp"

namespace lapwing::arrays {

class Request;

/// A blocking call. Equal ones move the same bytes between the same places.
struct BlockingUpdate {
  std::shared_ptr<const View> view;
  const void* local;
  std::int64_t elements;
  int strategy;
  GhostUpdate update;

  bool operator==(const BlockingUpdate&) const = default;
};

/// The last few calls on one communicator of tasks. Each process keeps what it likes: the messages of a kept
/// update are those of any other, with the same tag. Under the lock of Progress.
class KeptUpdates {
 public:
  /// The request of an equal call; null where there is none.
  std::shared_ptr<Request> find(const BlockingUpdate& call) const;
  /// Whether a call was made before, and is worth a request of its own.
  bool is_repeated(const BlockingUpdate& call);
  /// In the place of the call that has been known for longest. A null request says that the call is not worth
  /// one.
  void keep(const BlockingUpdate& call, std::shared_ptr<Request> request);
  void clear() { known_.clear(); }

 private:
  enum class State { seen, kept, not_worth };
  struct Known {
    BlockingUpdate call;
    State state = State::seen;
    std::shared_ptr<Request> request = nullptr;
  };
  static constexpr std::size_t most = 4;
  std::vector<Known> known_;  // the latest last
};

}  // namespace lapwing::arrays
