// SPDX-License-Identifier: Apache-2.0
// MPI's persistent requests of what is sent, or received, again and again.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <compare>
#include <map>
#include <vector>

namespace lapwing::arrays {

class KeptRequests {
 public:
  struct Message {
    bool outgoing;
    int peer, tag, bytes;
    void* address;
    auto operator<=>(const Message&) const = default;
  };

  KeptRequests() = default;
  KeptRequests(const KeptRequests&) = delete;
  KeptRequests& operator=(const KeptRequests&) = delete;
  ~KeptRequests() {
    int finalised = 0;
    PMPI_Finalized(&finalised);
    if (finalised) return;
    for (auto& [message, request] : requests_) PMPI_Request_free(&request);
  }

  /// Starts the message, with the request of its last time. Null: there are too
  /// many, or it is one of those that are active (one array may be sent twice).
  MPI_Request start(MPI_Comm comm, const Message& message, const std::vector<MPI_Request>& active) {
    auto found = requests_.find(message);
    if (found == requests_.end()) {
      if (requests_.size() == most) return MPI_REQUEST_NULL;
      MPI_Request made;
      if (message.outgoing)
        PMPI_Send_init(message.address, message.bytes, MPI_BYTE, message.peer, message.tag, comm, &made);
      else
        PMPI_Recv_init(message.address, message.bytes, MPI_BYTE, message.peer, message.tag, comm, &made);
      found = requests_.emplace(message, made).first;
    }
    if (std::find(active.begin(), active.end(), found->second) != active.end()) return MPI_REQUEST_NULL;
    PMPI_Start(&found->second);
    return found->second;
  }
  std::size_t size() const { return requests_.size(); }

 private:
  static constexpr std::size_t most = 4096;
  std::map<Message, MPI_Request> requests_;
};

}  // namespace lapwing::arrays
