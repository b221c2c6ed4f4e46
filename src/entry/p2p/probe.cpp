// SPDX-License-Identifier: Apache-2.0
// Probes: always looked at, as any of them may meet a stripped message.
#include "entry/p2p/accounted.hpp"
#include "entry/p2p/p2p.hpp"
#include "sets/run/request_waits.hpp"

using lapwing::entry::accounted_probe;
using lapwing::entry::owing;
using lapwing::entry::P2pWatch;
using lapwing::entry::PassingOn;
using lapwing::entry::refuse_merged;
using lapwing::entry::watched;
namespace transfer = lapwing::transfer;

LAPWING_ENTRY int MPI_Probe(int rank, int tag, MPI_Comm comm, MPI_Status* status) {
  refuse_merged(comm, LAPWING_CALLER("MPI_Probe"));
  if (owing()) PassingOn::until_arrival(rank, tag, comm);
  if (watched()) return P2pWatch::probe(rank, tag, comm, status, LAPWING_CALLER("MPI_Probe"));
  const auto caller = LAPWING_CALLER("MPI_Probe");
  return lapwing::sets::in_probe(rank, tag, comm, caller, [&] {
    return accounted_probe(caller, [&] { return transfer::probe(rank, tag, comm, status); });
  });
}

LAPWING_ENTRY int MPI_Iprobe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  refuse_merged(comm, LAPWING_CALLER("MPI_Iprobe"));
  if (watched()) return P2pWatch::iprobe(rank, tag, comm, flag, status, LAPWING_CALLER("MPI_Iprobe"));
  return transfer::iprobe(rank, tag, comm, flag, status);
}

LAPWING_ENTRY int MPI_Mprobe(int rank, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  refuse_merged(comm, LAPWING_CALLER("MPI_Mprobe"));
  if (owing()) PassingOn::until_arrival(rank, tag, comm);
  if (watched()) return P2pWatch::mprobe(rank, tag, comm, message, status, LAPWING_CALLER("MPI_Mprobe"));
  const auto caller = LAPWING_CALLER("MPI_Mprobe");
  const int rc = lapwing::sets::in_probe(rank, tag, comm, caller, [&] {
    return accounted_probe(caller, [&] { return transfer::mprobe(rank, tag, comm, message, status); });
  });
  lapwing::sets::note_matched(rc == MPI_SUCCESS, rank, tag, comm, status);
  return rc;
}

LAPWING_ENTRY int MPI_Improbe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                              MPI_Status* status) {
  refuse_merged(comm, LAPWING_CALLER("MPI_Improbe"));
  if (watched())
    return P2pWatch::improbe(rank, tag, comm, flag, message, status, LAPWING_CALLER("MPI_Improbe"));
  const int rc = transfer::improbe(rank, tag, comm, flag, message, status);
  lapwing::sets::note_matched(rc == MPI_SUCCESS && *flag, rank, tag, comm, status);
  return rc;
}
