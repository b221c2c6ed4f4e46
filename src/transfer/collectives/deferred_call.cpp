// SPDX-License-Identifier: Apache-2.0
#include "transfer/collectives/deferred_call.hpp"

#include "mpi/looks.hpp"
#include "transfer/collectives/exchange.hpp"
#include "transfer/collectives/lowering.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {
namespace {

// Whether this member could defer at all, apart from what it would gain.
bool able(Engine& engine) { return engine.may_defer_receives() && engine.has_spare_core(); }

// The time that deferring would have saved of a plain call; now and then the pages that have come are
// watched for when the program uses them.
std::uint64_t note_plain(Engine& engine, const Lowering& messages, std::size_t bytes, const Caller& caller,
                         std::uint64_t waited) {
  const Lowering::Message* const largest = messages.largest_coming();
  if (!largest || bytes < engine.settings().guard_threshold) return 0;
  const Block& block = largest->block;
  std::lock_guard lock(engine.mutex());
  Site& site = engine.sites().at(caller.address, caller.name);
  site.went_plain(PlainCause::watched);
  engine.governor().observer().note_in_mpi(waited);
  bool look = false;
  const std::uint64_t saved = engine.governor().brought(site, waited, &look);
  char* const base = look ? contiguous_base(block.buffer, block.count, block.type) : nullptr;
  if (base && engine.may_defer_receives() && !engine.requests().posted().meets({base, block.bytes}) &&
      !engine.sends_from(base, base + block.bytes))
    engine.governor().observe_collective(site, base, block.bytes, waited);
  return saved;
}

}  // namespace

int call_collective(Collective kind, const CollectiveArguments& a, MPI_Comm comm, Caller caller,
                    Plain plain) {
  Engine* engine = Engine::get();
  Members* const members = engine && Members::on(kind) ? Members::of(*engine, comm) : nullptr;
  if (!members || members->size() > shape_of(kind).most_members) return plain();
  GroupCalls& calls = members->calls(kind);
  const std::optional<Lowering> messages = lower(kind, a, members->rank(), members->size());
  const std::size_t coming = messages ? messages->bytes_coming() : 0;
  const std::size_t moved = coming > 0 || !messages ? coming : messages->bytes_leaving();
  if (calls.begin(comm, caller, moved, able(*engine))) {
    // Both are the same on all members, so also where this one's arguments are wrong.
    const MPI_Comm wire = members->wire();
    const int tag = members->next_tag();
    if (messages) {
      int rc = MPI_SUCCESS;
      {
        // The errors are those of the collective, whatever communicator its messages are on.
        const mpi::Unheard unheard;
        rc = exchange(*engine, wire, members->rank(), tag, *messages, caller);
      }
      if (rc != MPI_SUCCESS) note_receive_error(rc);
      return mpi::raise(comm, rc);
    }
  }
  const std::uint64_t begun = now_ns();
  const int rc = plain();
  if (rc == MPI_SUCCESS && messages)
    calls.went_plainly(note_plain(*engine, *messages, coming, caller, now_ns() - begun));
  return rc;
}

}  // namespace lapwing::transfer
