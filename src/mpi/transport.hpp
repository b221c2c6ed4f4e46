// SPDX-License-Identifier: Apache-2.0
// Parameters of an MPI's transport that spoil an exchange as they come.
#pragma once

namespace lapwing::mpi {

/// Lives around PMPI_Init: gives the MPI, by its environment, the parameters that the user and the machine's
/// administrator have left at their defaults, and takes them out of the environment again, so that the
/// program and its children find it as it was.
///
/// Open MPI over TCP is the one that wants it. A receiver asks there for a whole long message by one request,
/// which queues up behind the bytes that the receiver itself sends to the same rank. In an exchange the rank
/// that comes late asks after the other has begun to send, so that the two directions travel one after the
/// other; the rank that was late is the early one next time, and so it stays. Asked for in fragments, and
/// few of them at once, the directions travel at the same time. Each rank chooses for what it receives, so
/// ranks without Lapwing, and other jobs that connect, are served as well.
class TransportParameters {
 public:
  explicit TransportParameters(bool wanted);
  ~TransportParameters();
  TransportParameters(const TransportParameters&) = delete;
  TransportParameters& operator=(const TransportParameters&) = delete;

 private:
  bool given_ = false;
};

}  // namespace lapwing::mpi
