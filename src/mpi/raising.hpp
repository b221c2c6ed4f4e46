// SPDX-License-Identifier: Apache-2.0
// In which communicator's error handler an MPI raises the errors of requests.
#pragma once

namespace lapwing::mpi {

enum class Hearer {
  nobody,     ///< the error is not raised
  request,    ///< the communicator of the request
  elsewhere,  ///< MPI_COMM_WORLD or MPI_COMM_SELF, whatever communicator the request is on
};

struct Raising {
  Hearer wait;     ///< of MPI_Wait and MPI_Test
  Hearer several;  ///< of MPI_Mrecv, MPI_Waitall and the other calls that complete several requests
  Hearer look;     ///< of MPI_Request_get_status
  /// A call succeeds whose error has been heard by an error handler of the program's own.
  bool heard_is_success;
};

}  // namespace lapwing::mpi
