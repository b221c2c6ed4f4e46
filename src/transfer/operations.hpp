// SPDX-License-Identifier: Apache-2.0
// Point-to-point operations as a program means them, over the engine.
//
// Entry points call these only where the fast path does not apply. Each takes
// the plain call as a function, so that what goes the plain way goes exactly as
// the program asked, large counts included.
#pragma once

#include <mpi.h>

#include <functional>

#include "transfer/accounts/record.hpp"
#include "transfer/engine.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::transfer {

/// Nothing is deferred, tracked, held back, to be recorded or to be read: a small call may
/// go straight to MPI.
inline bool quiet() {
  return guard::closed_regions.load(std::memory_order_relaxed) == 0 && !Requests::any() &&
         Comms::early_total == 0 && !Record::wanted() && Engine::letters_due() == 0;
}

using Plain = const std::function<int()>&;
using PlainStatus = const std::function<int(MPI_Status*)>&;
using PlainRequest = const std::function<int(MPI_Request*)>&;

int send(const SendArguments& a, Plain plain);
int isend(const SendArguments& a, MPI_Request* request, PlainRequest plain);
int receive(const ReceiveArguments& a, MPI_Status* status, PlainStatus plain);
int ireceive(const ReceiveArguments& a, MPI_Request* request, PlainRequest plain);
int mreceive(const ReceiveArguments& a, MPI_Message* message, MPI_Status* status, PlainStatus plain);
int imreceive(const ReceiveArguments& a, MPI_Message* message, MPI_Request* request, PlainRequest plain);
int send_receive(const SendArguments& s, const ReceiveArguments& r, MPI_Status* status, PlainStatus plain);
int isend_receive(const SendArguments& s, const ReceiveArguments& r, MPI_Request* request,
                  PlainRequest plain);
int send_receive_replace(const SendArguments& s, const ReceiveArguments& r, MPI_Status* status,
                         PlainStatus plain);
int receive_init(const ReceiveArguments& a, MPI_Request* request, PlainRequest plain);
int send_init(const SendArguments& a, MPI_Request* request, PlainRequest plain);
int start(MPI_Request* request);

int probe(int rank, int tag, MPI_Comm comm, MPI_Status* status);
int iprobe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int mprobe(int rank, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
int improbe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);

int wait(MPI_Request* request, MPI_Status* status, Caller caller);
/// `bytes`: what the same call has sent, for its report.
int wait_all(int count, MPI_Request* requests, MPI_Status* statuses, Caller caller, std::size_t bytes = 0);
/// As wait_all, but never inside MPI, and counted nowhere.
int wait_all_here(int count, MPI_Request* requests, MPI_Status* statuses);
int wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status, Caller caller);
int wait_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses, Caller caller);
int test(MPI_Request* request, int* flag, MPI_Status* status);
int test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses);
int test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status);
int test_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
int cancel(MPI_Request* request);
int request_free(MPI_Request* request);
int request_get_status(MPI_Request request, int* flag, MPI_Status* status);

/// A call that completes receives failed with `rc`: perhaps a truncation.
void note_receive_error(int rc);

/// The program's next calls may write [address, address+length): nothing of it
/// may still be closed. Reading what is on its way out is no conflict.
void retire_for_write(const void* address, std::size_t length);
void retire_for_read(const void* address, std::size_t length);

}  // namespace lapwing::transfer
