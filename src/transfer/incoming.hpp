// SPDX-License-Identifier: Apache-2.0
// A stripped message that has been matched here.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "guard/guard.hpp"
#include "transfer/comms.hpp"
#include "transfer/hints/hints.hpp"
#include "transfer/wire/boundary.hpp"
#include "transfer/wire/plan.hpp"

namespace lapwing::transfer {

class Engine;
class Relay;
struct Site;

/// Where a receive wants its payload.
struct Destination {
  void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t capacity = 0;  ///< count * size of type
  bool proved = false;       ///< nobody touches it before the wait, which waits for all of it
  bool shared = false;       ///< MPI may write there for another receive: no page of it may close
  bool apart = false;        ///< and a header of the other's may lie there unread: through a copy
  Hints hints{};             ///< of the thread that has posted it
};

/// States: matched (constructed from a header), moving, landed. While moving,
/// the pages of the middle are closed if the memory permits; otherwise, or for
/// other datatypes and truncated receives, the transfer must land before the
/// program's call returns. All calls under the engine's lock.
class Incoming {
 public:
  Incoming(Engine& engine, const HeaderBytes& header, int source, const Destination& destination, Site* site);
  /// A message of the program's own that has the size of a header, all of it in `bytes`.
  Incoming(Engine& engine, const HeaderBytes& bytes, int source, const Destination& destination);
  ~Incoming();

  /// Id and size of the payload that a header announces; of a message of the program's
  /// that has a header's size, its own.
  static std::pair<std::uint32_t, std::uint64_t> identity(const HeaderBytes& header);
  /// The header of a transfer that was drained without it has been matched
  /// after all: gives the payload its destination.
  void claim(Engine& engine, const HeaderBytes& header, const Destination& destination, Site* site);

  /// Posts, tests, opens. True if anything moved.
  bool advance(Engine& engine);
  bool landed() const { return landed_ == plan_.count(); }
  /// The program may go on: everything that has not landed is closed.
  bool may_return() const { return region_ != nullptr || landed() || (boundary_ && boundary_->closed()); }
  /// Bytes of [from, to) may still be written, whether or not they are guarded.
  bool writes(const char* from, const char* to) const {
    return boundary_ && !landed() && base_ < to && from < base_ + total_;
  }
  /// Whether others can be sent what comes while it comes: its bytes lie in one run here.
  bool may_be_passed_on() const { return !boundary_ && (base_ || !copy_.empty()); }
  /// Both edges and the strips that have landed, to their places in a copy of the whole payload.
  void copy_landed(char* to);
  /// The relay hears of all strips that land from now on.
  void pass_on(std::unique_ptr<Relay> relay);
  const StripPlan& plan() const { return plan_; }
  /// After landing: MPI's error where the receive was too small, else success.
  int result() const { return result_; }

  std::size_t total() const { return total_; }
  std::uint32_t id() const { return id_; }
  int source() const { return source_; }
  guard::Region* region() const { return region_.get(); }
  Site* site() const { return site_; }
  const Destination& destination() const { return destination_; }
  std::uint64_t born_ns() const { return born_ns_; }

 private:
  char* place(std::size_t offset);
  void open_frontier(Engine& engine);
  void deliver(Engine& engine);  // from the copy to a buffer that is not one run

  std::uint32_t id_ = 0;
  std::size_t total_ = 0;
  int source_;
  std::uint32_t site_key_ = 0;
  Destination destination_;
  StripPlan plan_;
  Site* site_;
  char* base_ = nullptr;    // contiguous destination
  std::vector<char> copy_;  // where it is not contiguous, or too small
  std::unique_ptr<guard::Region> region_;
  std::unique_ptr<Boundary> boundary_;  // instead of the region, where the benchmark asks
  std::unique_ptr<Relay> relay_;        // where it is passed on
  std::deque<MPI_Request> flying_;
  std::size_t next_ = 0, landed_ = 0;
  std::uint64_t posted_ = 0, landed_bytes_ = 0, credited_ = 0;
  int result_ = MPI_SUCCESS;
  std::uint64_t born_ns_ = 0;
};

}  // namespace lapwing::transfer
