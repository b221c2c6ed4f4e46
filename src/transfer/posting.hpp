// SPDX-License-Identifier: Apache-2.0
// MPI's own calls for arguments as the engine keeps them. A count that no int holds
// came from a form with large counts (MPI_Send_c), and goes to such a form again.
#pragma once

#include <mpi.h>

#include "transfer/requests.hpp"

namespace lapwing::transfer {

/// The non-blocking form, in the mode that the program asked for; its errors are the program's.
int post(const SendArguments& a, MPI_Request* request);
int post(const ReceiveArguments& a, MPI_Request* request);

/// The persistent form.
int prepare(const SendArguments& a, MPI_Request* request);
int prepare(const ReceiveArguments& a, MPI_Request* request);

int send_buffered(const SendArguments& a);

/// Of a matched message; `a` names buffer, count and type.
int receive_matched(const ReceiveArguments& a, MPI_Message* message, MPI_Status* status);
int post_matched(const ReceiveArguments& a, MPI_Message* message, MPI_Request* request);

/// A message of one process to itself: from one buffer and type to another.
int carry(const SendArguments& from, void* buffer, MPI_Count count, MPI_Datatype type);

}  // namespace lapwing::transfer
