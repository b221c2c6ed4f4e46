// SPDX-License-Identifier: Apache-2.0
// Probes see a stripped message as the whole message that it is.
//
// Its size stands in the trailer, which only a receive can read. So a probe
// that meets a header takes it out of MPI's queue, together with everything
// older from the same source, in order; receives and probes look there first.
// A message that is held is thus always older than those that MPI still has from that source,
// and messages do not overtake each other.
//
// While no partner strips, a probe is MPI's own call, and a blocking one waits inside MPI.
#include "transfer/early.hpp"
#include "transfer/operations.hpp"
#include "transfer/planted.hpp"
#include "transfer/retire.hpp"

namespace lapwing::transfer {
namespace {

bool matches(const EarlyMessage& message, int rank, int tag) {
  return (rank == MPI_ANY_SOURCE || rank == message.source) && (tag == MPI_ANY_TAG || tag == message.tag);
}

const EarlyMessage* find_early(const CommInfo& info, int rank, int tag) {
  for (const EarlyMessage& message : info.early) {
    if (matches(message, rank, tag)) return &message;
  }
  return nullptr;
}

bool may_be_header(const CommInfo& info, const MPI_Status& status) {
  if (!Engine::get()->governor().expects()) return false;
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return info.eligible && status.MPI_SOURCE >= 0 && bytes == static_cast<MPI_Count>(header_bytes);
}

// No header can come, and nothing has been taken out of MPI's queue. Another thread may
// change that at any time: what MPI has found is looked at again by whoever asked before.
bool plain_probes(const Engine& engine) { return !engine.expects_headers() && Comms::early_total == 0; }

// Another thread's probe could hold back the message for which this one waits.
bool may_block_in_mpi(Engine& engine) {
  if (Engine::program_has_threads()) return false;
  std::lock_guard lock(engine.mutex());
  return engine.at_rest() && plain_probes(engine);
}

EarlyMessage hold(const CommInfo& info, MPI_Message message, const MPI_Status& status) {
  EarlyMessage held;
  held.source = status.MPI_SOURCE;
  held.tag = status.MPI_TAG;
  if (may_be_header(info, status)) {
    held.header = std::make_unique<HeaderBytes>();
    PMPI_Mrecv(held.header->data(), static_cast<int>(header_bytes), MPI_BYTE, &message, MPI_STATUS_IGNORE);
    held.bytes = static_cast<std::size_t>(Incoming::identity(*held.header).second);
  } else {
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    held.bytes = static_cast<std::size_t>(bytes);
    held.message = message;
  }
  return held;
}

// Moves what MPI has from `source`, up to the message with `tag`, to info.early.
void extract(CommInfo& info, int source, int tag) {
  for (;;) {
    int found = 0;
    MPI_Message message;
    MPI_Status status;
    const int wanted = planted::is(planted::probe_overtakes) ? tag : MPI_ANY_TAG;
    PMPI_Improbe(source, wanted, info.comm, &found, &message, &status);
    if (!found) return;  // another thread of the program's was faster
    info.early.push_back(hold(info, message, status));
    ++Comms::early_total;
    if (status.MPI_TAG == tag) return;
  }
}

void report(const EarlyMessage& message, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  const bool wrong = planted::is(planted::wrong_count_in_probe) && message.header;
  set_envelope(status, message.source, message.tag, wrong ? header_bytes : message.bytes);
}

}  // namespace

std::optional<EarlyMessage> take_early(CommInfo& info, int rank, int tag) {
  for (auto it = info.early.begin(); it != info.early.end(); ++it) {
    if (!matches(*it, rank, tag)) continue;
    EarlyMessage message = std::move(*it);
    info.early.erase(it);
    --Comms::early_total;
    return message;
  }
  return std::nullopt;
}

int iprobe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  Engine* engine = Engine::get();
  if (!engine || comm == MPI_COMM_NULL || rank == MPI_PROC_NULL)
    return PMPI_Iprobe(rank, tag, comm, flag, status);
  clear_way(flag, status);
  if (plain_probes(*engine)) {
    const int rc = PMPI_Iprobe(rank, tag, comm, flag, status);
    if (rc != MPI_SUCCESS || !*flag || plain_probes(*engine)) return rc;
  }
  std::lock_guard lock(engine->mutex());
  CommInfo& info = engine->comms().of(comm);
  if (const EarlyMessage* early = find_early(info, rank, tag)) {
    *flag = 1;
    report(*early, status);
    return MPI_SUCCESS;
  }
  MPI_Status seen{};
  if (status != MPI_STATUS_IGNORE) seen = *status;
  const int rc = PMPI_Iprobe(rank, tag, comm, flag, &seen);
  if (rc != MPI_SUCCESS || !*flag) return rc;
  if (may_be_header(info, seen)) {
    extract(info, seen.MPI_SOURCE, seen.MPI_TAG);
    const EarlyMessage* early = find_early(info, seen.MPI_SOURCE, seen.MPI_TAG);
    *flag = early != nullptr;
    if (early) report(*early, status);
    return MPI_SUCCESS;
  }
  if (status != MPI_STATUS_IGNORE) *status = seen;
  return rc;
}

int probe(int rank, int tag, MPI_Comm comm, MPI_Status* status) {
  Engine* engine = Engine::get();
  if (!engine || comm == MPI_COMM_NULL || rank == MPI_PROC_NULL) return PMPI_Probe(rank, tag, comm, status);
  int found = 0, rc = MPI_SUCCESS;
  if (may_block_in_mpi(*engine)) {
    clear_way(status);
    rc = PMPI_Probe(rank, tag, comm, status);
    found = plain_probes(*engine);
  }
  while (rc == MPI_SUCCESS && !found) {
    rc = iprobe(rank, tag, comm, &found, status);
    if (!found) engine->relax_outside();
  }
  return rc;
}

namespace {

// Gives the program a message that has been taken out of MPI's queue. Under the lock.
void hand_over(Engine& engine, const CommInfo& info, EarlyMessage early, MPI_Message* message,
               MPI_Status* status) {
  report(early, status);
  if (!early.header) {
    *message = early.message;
    return;
  }
  *message = engine.mint_message();
  engine.minted[Requests::key(*message)] = {std::move(early.header), info.keep(), early.source, early.tag};
}

// MPI has found `message`, which may be a header. Under the lock.
void hand_over_found(Engine& engine, const CommInfo& info, const MPI_Status& seen, MPI_Message* message,
                     MPI_Status* status) {
  if (may_be_header(info, seen)) return hand_over(engine, info, hold(info, *message, seen), message, status);
  if (status != MPI_STATUS_IGNORE) *status = seen;
}

}  // namespace

int improbe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Engine* engine = Engine::get();
  if (!engine || comm == MPI_COMM_NULL || rank == MPI_PROC_NULL)
    return PMPI_Improbe(rank, tag, comm, flag, message, status);
  clear_way(flag, message, status);
  std::lock_guard lock(engine->mutex());
  CommInfo& info = engine->comms().of(comm);
  if (std::optional<EarlyMessage> early = take_early(info, rank, tag)) {
    *flag = 1;
    hand_over(*engine, info, std::move(*early), message, status);
    return MPI_SUCCESS;
  }
  MPI_Status seen{};
  if (status != MPI_STATUS_IGNORE) seen = *status;
  const int rc = PMPI_Improbe(rank, tag, comm, flag, message, &seen);
  if (rc == MPI_SUCCESS && *flag) hand_over_found(*engine, info, seen, message, status);
  return rc;
}

int mprobe(int rank, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Engine* engine = Engine::get();
  if (!engine || comm == MPI_COMM_NULL || rank == MPI_PROC_NULL)
    return PMPI_Mprobe(rank, tag, comm, message, status);
  if (may_block_in_mpi(*engine)) {
    clear_way(message, status);
    MPI_Status seen{};
    if (status != MPI_STATUS_IGNORE) seen = *status;
    const int rc = PMPI_Mprobe(rank, tag, comm, message, &seen);
    std::lock_guard lock(engine->mutex());
    if (rc == MPI_SUCCESS) hand_over_found(*engine, engine->comms().of(comm), seen, message, status);
    return rc;
  }
  int found = 0, rc = MPI_SUCCESS;
  while (rc == MPI_SUCCESS && !found) {
    rc = improbe(rank, tag, comm, &found, message, status);
    if (!found) engine->relax_outside();
  }
  return rc;
}

}  // namespace lapwing::transfer
