// SPDX-License-Identifier: Apache-2.0
// Words that each of some processes tells each other one, round by round: what index lists need. They travel
// as control messages, so no collective call of MPI's has to have its turn.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace lapwing::arrays {

class TaskComm;

/// Tells the parcels of one exchange from those of all others on the communicator.
struct ParcelKey {
  bool between = false;  ///< two tasks: `number` is that of the send on its channel, else that of the call
  bool persistent = false;
  int source = 0, destination = 0;  ///< tasks
  std::uint64_t number = 0;
  auto operator<=>(const ParcelKey&) const = default;
};

struct Parcel {
  int from = 0;  ///< in TaskComm::all()
  int round = 0;
  std::vector<std::int64_t> words;
};

class Parcels {
 public:
  /// `parties` are the processes that take part, by their ranks in TaskComm::all(); each lists them alike.
  Parcels(TaskComm& comm, const ParcelKey& key, std::vector<int> parties);
  ~Parcels();
  Parcels(const Parcels&) = delete;
  Parcels& operator=(const Parcels&) = delete;

  [[nodiscard]] int parties() const { return static_cast<int>(parties_.size()); }
  [[nodiscard]] int me() const { return me_; }
  void send(int party, int round, std::vector<std::int64_t> words);
  /// Whether those of all parties have come. Rounds are asked for in their order.
  bool complete(int round);
  [[nodiscard]] const std::vector<std::int64_t>& from(int round, int party) const {
    return come_[static_cast<std::size_t>(round)].words[static_cast<std::size_t>(party)];
  }

  static constexpr int rounds = 3;

 private:
  struct Round {
    std::vector<std::vector<std::int64_t>> words;
    int missing = 0;
  };
  void take(int from, int round, std::vector<std::int64_t> words);

  TaskComm& comm_;
  ParcelKey key_;
  std::vector<int> parties_;
  int me_ = 0;
  std::vector<Round> come_;
};

}  // namespace lapwing::arrays
