// SPDX-License-Identifier: Apache-2.0
// A deferred exchange between all is a receive from each other process and a send to each,
// on the communicator's wire: messages of the engine's, with strips, guards and windows. It
// returns once each message that comes has been matched and each that leaves is guarded or
// gone (rule 1), so each block is retired where the program touches it.
#include "transfer/collectives/alltoall.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "mpi/handles.hpp"
#include "transfer/early.hpp"
#include "transfer/engine.hpp"
#include "transfer/posting.hpp"
#include "transfer/retire.hpp"

namespace lapwing::transfer {
namespace {

// The own block is copied between looks at the others', so much at a time.
constexpr std::size_t copied_at_once = 256 << 10;

char* block_at(const Blocks& blocks, int process) {
  MPI_Count lower = 0, extent = 0;
  PMPI_Type_get_extent_x(blocks.type, &lower, &extent);
  const MPI_Count elements = blocks.places         ? blocks.places[process]
                             : blocks.large_places ? blocks.large_places[process]
                                                   : process * blocks.each;
  return const_cast<char*>(static_cast<const char*>(blocks.buffer)) + elements * extent;
}

// Arguments that MPI would refuse, it refuses in the program's own call.
bool well_formed(const Blocks& blocks, int size) {
  if (blocks.type == MPI_DATATYPE_NULL) return false;
  if ((blocks.counts && !blocks.places) || (blocks.large_counts && !blocks.large_places)) return false;
  for (int i = 0; i < (blocks.uneven() ? size : 1); ++i) {
    if (blocks.count(i) < 0) return false;
  }
  return true;
}

// MPICH refuses MPI_Alltoall within one buffer. Nothing else about buffers may decide here: members decide
// alike, and one whose blocks are all empty, or lie beside each other, may give one address for both sides.
bool refused_as_one_buffer(const Blocks& out, const Blocks& in) {
  return mpi::family != mpi::Family::openmpi && !in.uneven() && in.each > 0 && out.buffer == in.buffer;
}

std::size_t bytes_of(const Blocks& blocks, int process) {
  return payload_bytes(blocks.count(process), blocks.type);
}

std::size_t bytes_of_others(const Blocks& blocks, const Members& members) {
  if (!blocks.uneven())
    return payload_bytes(blocks.each, blocks.type) * static_cast<std::size_t>(members.size() - 1);
  MPI_Count elements = 0;
  for (int i = 0; i < members.size(); ++i) {
    if (i != members.rank()) elements += std::max<MPI_Count>(blocks.count(i), 0);
  }
  return payload_bytes(elements, blocks.type);
}

/// The block that stays on its process.
class OwnBlock {
 public:
  OwnBlock(const Blocks& out, const Blocks& in, int rank, MPI_Comm wire, int tag)
      : from_{block_at(out, rank), out.count(rank), out.type, rank, tag, wire, {}},
        to_(block_at(in, rank)),
        count_(in.count(rank)),
        type_(in.type),
        bytes_(payload_bytes(from_.count, out.type)) {
    const char* source = contiguous_base(from_.buffer, from_.count, from_.type);
    char* target = contiguous_base(to_, count_, type_);
    if (!source || !target || bytes_ != payload_bytes(count_, type_)) return;
    source_ = source;
    target_ = target;
  }

  bool copied() const { return done_ == bytes_; }
  /// MPI's error where the two sides do not fit.
  int copy_some() {
    if (!source_) {
      done_ = bytes_;
      return carry(from_, to_, count_, type_);
    }
    const std::size_t length = std::min(copied_at_once, bytes_ - done_);
    std::memmove(target_ + done_, source_ + done_, length);
    done_ += length;
    return MPI_SUCCESS;
  }

 private:
  SendArguments from_;
  char* to_;
  MPI_Count count_;
  MPI_Datatype type_;
  std::size_t bytes_, done_ = 0;
  const char* source_ = nullptr;  // where both sides are one run
  char* target_ = nullptr;
};

int first_error(int rc, const std::vector<MPI_Status>& statuses) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(rc, &error_class);
  if (error_class != MPI_ERR_IN_STATUS) return rc;
  for (const MPI_Status& status : statuses) {
    if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING) return status.MPI_ERROR;
  }
  return rc;
}

int exchange_deferred(Members& members, const Blocks& out, const Blocks& in, const Caller& caller) {
  const MPI_Comm wire = members.wire();
  const int rank = members.rank(), size = members.size(), tag = members.next_tag();
  std::vector<MPI_Request> requests;
  requests.reserve(2 * static_cast<std::size_t>(size));
  int rc = MPI_SUCCESS;
  // The nearest first, in opposite directions: no process is the first of all others.
  for (int i = 1; i < size && rc == MPI_SUCCESS; ++i) {
    const int from = (rank - i + size) % size;
    if (bytes_of(in, from) == 0) continue;
    ReceiveArguments a{block_at(in, from), in.count(from), in.type, from, tag, wire, caller};
    a.half = true;
    rc = ireceive(a, &requests.emplace_back(MPI_REQUEST_NULL), [&](MPI_Request* r) { return post(a, r); });
  }
  for (int i = 1; i < size && rc == MPI_SUCCESS; ++i) {
    const int to = (rank + i) % size;
    if (bytes_of(out, to) == 0) continue;
    SendArguments a{block_at(out, to), out.count(to), out.type, to, tag, wire, caller};
    a.half = a.of_all = true;
    rc = isend(a, &requests.emplace_back(MPI_REQUEST_NULL), [&](MPI_Request* r) { return post(a, r); });
  }
  if (rc != MPI_SUCCESS) return rc;
  OwnBlock own(out, in, rank, wire, tag);
  const auto count = static_cast<int>(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  int all = count == 0;
  while (!own.copied() && rc == MPI_SUCCESS) {
    const int copied = own.copy_some();
    if (!all) rc = test_all(count, requests.data(), &all, statuses.data());
    if (rc == MPI_SUCCESS) rc = copied;
  }
  if (!all && rc == MPI_SUCCESS) rc = wait_all_here(count, requests.data(), statuses.data());
  return rc == MPI_SUCCESS ? rc : first_error(rc, statuses);
}

// Its errors are those of the collective, whatever communicator its messages are on.
int unheard_exchange(Members& members, const Blocks& out, const Blocks& in, const Caller& caller) {
  const mpi::Unheard unheard;
  return exchange_deferred(members, out, in, caller);
}

// Whether this member could defer at all, apart from what it would gain.
bool able(Engine& engine) { return engine.may_defer_receives() && engine.has_spare_core(); }

// The largest block that comes from another process: it stands for all of them.
int largest_of_others(const Blocks& in, const Members& members) {
  int largest = members.rank() == 0 ? 1 : 0;
  for (int i = 0; in.uneven() && i < members.size(); ++i) {
    if (i != members.rank() && in.count(i) > in.count(largest)) largest = i;
  }
  return largest;
}

// The time that deferring would have saved of a plain call; now and then the pages that have come are
// watched for when the program uses them.
std::uint64_t note_plain(Engine& engine, const Members& members, const Blocks& in, std::size_t bytes,
                         const Caller& caller, std::uint64_t waited) {
  if (bytes < engine.settings().guard_threshold || in.type == MPI_DATATYPE_NULL) return 0;
  const int largest = largest_of_others(in, members);
  char* const buffer = block_at(in, largest);
  std::lock_guard lock(engine.mutex());
  Site& site = engine.sites().at(caller.address, caller.name);
  site.went_plain(PlainCause::watched);
  engine.governor().note_in_mpi(waited);
  bool look = false;
  const std::uint64_t saved = engine.governor().brought(site, waited, &look);
  char* const base = look ? contiguous_base(buffer, in.count(largest), in.type) : nullptr;
  const std::size_t length = bytes_of(in, largest);
  if (base && engine.may_defer_receives() && !engine.requests().posted().meets({base, length}) &&
      !engine.sends_from(base, base + length))
    engine.governor().observe_collective(site, base, length, waited);
  return saved;
}

}  // namespace

int exchange_all(Collective kind, const Blocks& out, const Blocks& in, MPI_Comm comm, Caller caller,
                 Plain plain) {
  Engine* engine = Engine::get();
  Members* const members = engine && Members::on(kind) ? Members::of(*engine, comm) : nullptr;
  if (!members) return plain();
  GroupCalls& calls = members->calls(kind);
  const bool readable = well_formed(in, members->size());
  const std::size_t bytes = readable ? bytes_of_others(in, *members) : 0;
  const bool deferred = calls.begin(comm, caller, bytes, able(*engine));
  const bool in_place = out.buffer == MPI_IN_PLACE;
  if (deferred && !in_place && readable && !refused_as_one_buffer(out, in) &&
      well_formed(out, members->size())) {
    const int rc = unheard_exchange(*members, out, in, caller);
    if (rc != MPI_SUCCESS) note_receive_error(rc);
    return mpi::raise(comm, rc);
  }
  const std::uint64_t begun = now_ns();
  const int rc = plain();
  if (rc == MPI_SUCCESS && readable && !in_place)
    calls.went_plainly(note_plain(*engine, *members, in, bytes, caller, now_ns() - begun));
  return rc;
}

}  // namespace lapwing::transfer
