// SPDX-License-Identifier: Apache-2.0
// A stripped message on its way out.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <memory>

#include "guard/guard.hpp"
#include "transfer/comms.hpp"
#include "transfer/moved_strips.hpp"
#include "transfer/wire/plan.hpp"

namespace lapwing::transfer {

class Engine;
struct Site;

/// States: declared (constructed), moving (header posted), retired (the program
/// may use the buffer again), finished (nothing left to do). All calls under the
/// engine's lock.
class Outgoing {
 public:
  Outgoing(std::uint32_t id, const char* payload, std::size_t total, int destination, StripPlan plan,
           Site* site);
  ~Outgoing();

  /// Fills the header; its bytes stay valid until the transfer finishes.
  HeaderBytes& prepare_header(std::uint32_t site_key);
  /// The payload is copied and the program's buffer is free at once.
  void own_payload();
  /// The payload is this heap copy, which the transfer takes over.
  void adopt(std::shared_ptr<char[]> copy);
  /// The payload comes into this copy by and by: so many strips may leave.
  void follow(std::shared_ptr<char[]> copy, std::size_t strips);
  void release_strips(std::size_t strips) { released_ = strips; }
  /// Write-guards what has not left; false where this memory cannot be guarded.
  bool guard();

  /// Posts, tests, opens. True if anything moved.
  bool advance(Engine& engine);
  void credit(std::uint64_t landed) { credited_ = landed > credited_ ? landed : credited_; }
  /// The receiver asked for everything to be pushed (it drains a transfer whose
  /// header MPI truncated): no credit will limit it.
  void release_credit() { credited_ = UINT64_MAX / 2; }

  bool header_left() const { return header_left_; }
  void note_header_left() { header_left_ = true; }
  /// The program has freed the request that sends the header, perhaps before it left.
  void keep_header(MPI_Request request);
  bool strips_left() const { return done_ == plan_.count(); }
  /// The program's buffer is no longer read.
  bool buffer_free() const { return owned_ || strips_left(); }
  bool finished() const { return header_left_ && strips_left(); }
  /// Gives up on a message that nobody will receive any more.
  void abandon();

  std::uint64_t credited() const { return credited_; }
  const char* payload() const { return payload_; }
  /// Strips that have not left overlap [from, to).
  bool reads(const char* from, const char* to) const {
    return !owned_ && !strips_left() && payload_ < to && from < payload_ + total_;
  }
  const StripPlan& plan() const { return plan_; }
  std::size_t owned_bytes() const { return owned_ ? total_ : moved_.bytes(); }
  std::uint32_t id() const { return id_; }
  int destination() const { return destination_; }
  std::size_t total() const { return total_; }
  guard::Region* region() const { return region_.get(); }
  Site* site() const { return site_; }

  /// Header request where the engine owns it (blocking sends), else null.
  MPI_Request header_request = MPI_REQUEST_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  int tag = 0;
  bool drained = false;  ///< the receiver was told to take the strips without a header
  /// Several processes are sent the same bytes: their transfers guard the same pages.
  bool shares_pages = false;

 private:
  void open_frontier();
  void open_all();
  bool make_way(Engine& engine);

  std::uint32_t id_;
  const char* payload_;
  std::size_t total_;
  int destination_;
  StripPlan plan_;
  Site* site_;
  std::unique_ptr<HeaderBytes> header_;
  std::shared_ptr<char[]> owned_;
  std::unique_ptr<guard::Region> region_;
  MovedStrips moved_;
  std::deque<MPI_Request> flying_;
  std::size_t released_ = SIZE_MAX;          // strips that are there
  std::size_t next_ = 0, done_ = 0;          // strips posted, strips left
  std::uint64_t posted_ = 0, credited_ = 0;  // bytes of the middle
  bool header_left_ = false;
};

}  // namespace lapwing::transfer
