// SPDX-License-Identifier: Apache-2.0
// Point-to-point calls of a program that is checked: as MPI's own, but who waits
// in one answers questions, and messages are counted.
#pragma once

#include <mpi.h>

#include "sets/group_call.hpp"
#include "transfer/requests.hpp"

namespace lapwing::sets {

/// True while checking: the entry points hand all point-to-point calls over.
inline bool p2p_watched = false;

class P2pWatch {
 public:
  using Send = transfer::SendArguments;
  using Receive = transfer::ReceiveArguments;
  using Caller = transfer::Caller;

  static void start();
  static void stop();

  static int send(const Send& a);
  static int isend(const Send& a, MPI_Request* request);
  static int send_init(const Send& a, MPI_Request* request);
  static int receive(const Receive& a, MPI_Status* status);
  static int ireceive(const Receive& a, MPI_Request* request);
  static int receive_init(const Receive& a, MPI_Request* request);
  static int send_receive(const Send& s, const Receive& r, MPI_Status* status);
  static int send_receive_replace(const Send& s, const Receive& r, MPI_Status* status);
  /// A call that is not followed has sent, and has posted a receive.
  static void note_exchange(const Send& s, const Receive& r);
  /// A request of MPI_Psend_init or MPI_Precv_init has been made.
  static void note_partitioned(const GroupCall& call, MPI_Request request);

  static int wait(MPI_Request* request, MPI_Status* status, Caller caller);
  static int wait_all(int count, MPI_Request* requests, MPI_Status* statuses, Caller caller);
  static int wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status, Caller caller);
  static int wait_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses,
                       Caller caller);
  static int test(MPI_Request* request, int* flag, MPI_Status* status);
  static int test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses);
  static int test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status);
  static int test_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
  static int start_one(MPI_Request* request);
  static int cancel(MPI_Request* request);
  static int request_free(MPI_Request* request);

  static int probe(int rank, int tag, MPI_Comm comm, MPI_Status* status, Caller caller);
  static int iprobe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Status* status, Caller caller);
  static int mprobe(int rank, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status,
                    Caller caller);
  static int improbe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status,
                     Caller caller);
  /// A receive of what a matched probe has taken.
  static void note_matched_receive(const MPI_Message* message);
};

}  // namespace lapwing::sets
