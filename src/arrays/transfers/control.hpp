// SPDX-License-Identifier: Apache-2.0
// The messages of the descriptor exchange (step 3): point to point, one for each
// process of the other task, spread evenly over the processes of this one, and
// without the descriptor where the receiver has seen it.
#pragma once

#include <mpi.h>

#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arrays/transfers/matching.hpp"
#include "arrays/transfers/parcels.hpp"
#include "arrays/view.hpp"

namespace lapwing::arrays {

class TaskComm;

class Control {
 public:
  explicit Control(TaskComm& comm) : comm_(comm) {}
  ~Control();

  /// Tells task `dest` of a send, or task `source` of a receive.
  void offer(int dest, bool persistent, std::uint64_t number, int tag, const Side& side);
  void answer(int source, bool persistent, std::optional<std::uint64_t> number, int tag, const Side& side);
  /// Sends the decision of the first process down the tree of its task.
  void spread(bool persistent, const Receives::Decision& decision);

  /// Words for another process of an exchange, by its rank in TaskComm::all().
  void parcel(int to, const ParcelKey& key, int round, const std::vector<std::int64_t>& words);

  /// Takes what has arrived into the books of the communicator; whether
  /// something had.
  bool receive();
  bool sending() const { return !outgoing_.empty(); }
  bool sending_parcels() const { return parcels_ > 0; }

 private:
  enum class Kind : std::uint8_t { offer, answer, decision, parcel };
  struct Header;
  struct Outgoing {
    std::vector<char> bytes;
    MPI_Request request;
    bool parcel;
  };

  void tell(int task, Header header, const Side& side);
  void post(int to, const Header& header, std::string_view descriptor, const std::string& text);
  void take(int from, std::vector<char> message);
  Side read(int from, const Header& header, std::span<const char> rest);
  void finish_sends();

  TaskComm& comm_;
  std::list<Outgoing> outgoing_;
  int parcels_ = 0;                           // of those
  std::unordered_map<std::string, int> own_;  // descriptors by their bytes
  std::vector<std::vector<bool>> known_;      // by process, by descriptor
  std::map<std::pair<int, int>, std::shared_ptr<const Descriptor>> theirs_;
};

}  // namespace lapwing::arrays
