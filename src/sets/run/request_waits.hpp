// SPDX-License-Identifier: Apache-2.0
// Run mode: the program's sends and receives, and calls that complete requests of these and of
// non-blocking collective calls, as watch.hpp counts and shows them.
#pragma once

#include <mpi.h>

#include <vector>

#include "sets/run/watch.hpp"
#include "transfer/requests.hpp"

namespace lapwing::sets {

using SendKind = transfer::SendArguments::Kind;

/// A call that sends. It waits for a receive if it is synchronous.
template <typename Make>
int in_send(int rank, int tag, MPI_Comm comm, SendKind kind, transfer::Caller caller, Make make) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1)) return make();
  MessageChannels* const of = watch->messages().channels(comm);
  const std::uint64_t number = watch->messages().sends(of, rank, tag);
  const bool waits = kind == SendKind::synchronous && number != 0;
  if (waits) watch->wait_for_match(of, rank, tag, number, caller.name, caller.address);
  const int rc = make();
  if (waits) watch->leave();
  if (rc != MPI_SUCCESS) watch->messages().did_not_send(comm, rank, tag);
  return rc;
}

/// One that begins to send. `request`: what a program that waits for a synchronous send waits for.
template <typename Make>
int begin_send(MPI_Request* request, int rank, int tag, MPI_Comm comm, SendKind kind, transfer::Caller caller,
               Make make) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1)) return make();
  MessageWatch& messages = watch->messages();
  MessageChannels* const of = messages.channels(comm);
  const std::uint64_t number = messages.sends(of, rank, tag);
  const int rc = make();
  if (rc != MPI_SUCCESS) {
    messages.did_not_send(comm, rank, tag);
  } else if (RunWatch::follows || (kind == SendKind::synchronous && number != 0)) {
    watch->forget(1, request);
    if (kind != SendKind::synchronous || number == 0) return rc;
    messages.requests.put(*request, {.channels = of,
                                     .rank = rank,
                                     .tag = tag,
                                     .call = caller.name,
                                     .returns_to = caller.address,
                                     .number = number,
                                     .receives = false,
                                     .synchronous = true});
    watch->count_requests();
  }
  return rc;
}

/// One that begins a receive.
template <typename Make>
int begin_receive(MPI_Request* request, int rank, int tag, MPI_Comm comm, transfer::Caller caller,
                  Make make) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1)) return make();
  MessageWatch& messages = watch->messages();
  MessageChannels* const of = messages.channels(comm);
  messages.begins(of, rank, tag);
  const int rc = make();
  if (rc != MPI_SUCCESS) return rc;
  if (RunWatch::follows) watch->forget(1, request);
  if (!of || rank == MPI_PROC_NULL) return rc;
  messages.requests.put(
      *request,
      {.channels = of, .rank = rank, .tag = tag, .call = caller.name, .returns_to = caller.address});
  RunWatch::follows = true;
  return rc;
}

/// One that begins both; its request is not followed.
template <typename Make>
int begin_exchange(const transfer::SendArguments& s, const transfer::ReceiveArguments& r, Make make) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1)) return make();
  watch->messages().begins(watch->messages().channels(r.comm), r.rank, r.tag);
  return in_send(s.rank, s.tag, s.comm, SendKind::standard, s.caller, make);
}

/// After a call that has made a persistent request.
inline void note_persistent(int rc, const MPI_Request* request, int rank, int tag, MPI_Comm comm,
                            bool receives, SendKind kind, transfer::Caller caller) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1) || rc != MPI_SUCCESS) return;
  watch->forget(1, request);
  MessageChannels* const of = watch->messages().channels(comm);
  if (!of || rank == MPI_PROC_NULL) return;
  watch->messages().requests.put(*request, {.channels = of,
                                            .rank = rank,
                                            .tag = tag,
                                            .call = caller.name,
                                            .returns_to = caller.address,
                                            .receives = receives,
                                            .synchronous = kind == SendKind::synchronous,
                                            .persistent = true,
                                            .active = false});
  watch->count_requests();
}

/// Before persistent requests are started.
inline void note_started(int count, const MPI_Request* requests) {
  if (__builtin_expect(!RunWatch::follows, 1) || !requests) return;
  MessageWatch& messages = RunWatch::only->messages();
  for (int i = 0; i < count; ++i)
    if (MessageRequest* const one = messages.requests.find(requests[i])) messages.start(*one);
}

/// Receives of compiled code that are not counted.
inline void note_unseen_receive() {
  if (__builtin_expect(RunWatch::only != nullptr, 0)) RunWatch::only->receives_unseen();
}

/// Before a request is freed or cancelled; a null address is MPI's to refuse.
inline void note_freed(const MPI_Request* request) {
  if (__builtin_expect(RunWatch::follows, 0) && request) RunWatch::only->forget(1, request);
}
inline void note_cancelled(const MPI_Request* request) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1) || !request) return;
  MessageRequest* const known = watch->messages().requests.find(*request);
  if (!known || !known->receives) watch->messages().may_not_have_sent();
  if (known && known->persistent) {
    known->active = false;  // it can be started again
  } else {
    watch->forget(1, request);
  }
}

/// Where the program does not want a status that tells which message a receive has got.
inline MPI_Status* looked_at(int rank, int tag, MPI_Status* status, MPI_Status* own) {
  const bool wild = rank == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
  return wild && status == MPI_STATUS_IGNORE ? own : status;
}

/// A call that waits for a message: make(status).
template <typename Make>
int in_receive(int rank, int tag, MPI_Comm comm, transfer::Caller caller, MPI_Status* status, Make make) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1)) return make(status);
  MPI_Status own;
  status = looked_at(rank, tag, status, &own);
  MessageChannels* const of = watch->messages().channels(comm);
  watch->messages().begins(of, rank, tag);
  watch->wait_for_message(of, rank, tag, caller.name, caller.address);
  const int rc = make(status);
  watch->leave();
  if (rc != MPI_SUCCESS) return rc;
  const bool tells = status != MPI_STATUS_IGNORE;
  watch->messages().received(of, rank, tag, tells ? status->MPI_SOURCE : rank, tells ? status->MPI_TAG : tag);
  return rc;
}

/// A call that sends and waits for a message, neither of which waits for the other.
template <typename Make>
int in_exchange(const transfer::SendArguments& s, const transfer::ReceiveArguments& r, MPI_Status* status,
                Make make) {
  return in_send(s.rank, s.tag, s.comm, SendKind::standard, s.caller,
                 [&] { return in_receive(r.rank, r.tag, r.comm, r.caller, status, make); });
}

/// A call that waits for a message and does not receive it.
template <typename Make>
int in_probe(int rank, int tag, MPI_Comm comm, transfer::Caller caller, Make make) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1)) return make();
  watch->wait_for_message(watch->messages().channels(comm), rank, tag, caller.name, caller.address);
  const int rc = make();
  watch->leave();
  return rc;
}

/// After a call that may have taken a message out of MPI's hands.
inline void note_matched(bool taken, int rank, int tag, MPI_Comm comm, const MPI_Status* status) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1) || !taken) return;
  MessageChannels* const of = watch->messages().channels(comm);
  const bool tells = status != MPI_STATUS_IGNORE;
  watch->messages().begins(of, rank, tag);
  watch->messages().received(of, rank, tag, tells ? status->MPI_SOURCE : rank, tells ? status->MPI_TAG : tag);
}

/// Around a call that waits for requests, or may complete some. Costs a look where none is followed. The
/// requests that are null afterwards are not followed any more.
class RequestWait {
 public:
  enum class Until { all, one, now };
  /// `statuses`: the call's, `each` for a request or one for that which completes; may be null.
  RequestWait(int count, const MPI_Request* requests, Until until, const MPI_Status* statuses,
              bool each = true) {
    if (__builtin_expect(RunWatch::follows, 0)) begin(count, requests, until, statuses, each);
  }
  ~RequestWait() {
    if (__builtin_expect(count_ > 0, 0)) end();
  }
  RequestWait(const RequestWait&) = delete;
  RequestWait& operator=(const RequestWait&) = delete;
  /// Takes note of the call's result and passes it on.
  int returned(int rc) {
    if (__builtin_expect(count_ > 0, 0)) succeeded_ = rc == MPI_SUCCESS;
    return rc;
  }

 private:
  [[gnu::noinline]] void begin(int count, const MPI_Request* requests, Until until,
                               const MPI_Status* statuses, bool each);
  [[gnu::noinline]] void end();

  static constexpr int few = 4;
  const MPI_Request* requests_ = nullptr;
  const MPI_Status* statuses_ = nullptr;
  int count_ = 0;
  Until until_ = Until::now;
  bool each_ = true, shown_ = false, succeeded_ = false;
  MPI_Request few_[few];
  std::vector<MPI_Request> more_;
};

}  // namespace lapwing::sets
