// SPDX-License-Identifier: Apache-2.0
// Starts and waits of split calls: in place and unguarded.
#include "entry/compiled/compiled.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "entry/compiled/verify.hpp"
#include "entry/compiled/whole_exchange.hpp"
#include "entry/p2p/accounted.hpp"
#include "entry/p2p/blocking.hpp"
#include "mpi/error_handlers.hpp"
#include "mpi/looks.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/nobody.hpp"
#include "transfer/packing.hpp"

namespace transfer = lapwing::transfer;
using lapwing::entry::Receiving;
using lapwing::entry::Sending;
using lapwing::entry::straight;
using lapwing::entry::Verify;
using transfer::Proved;
using transfer::ReceiveArguments;
using transfer::SendArguments;
using SendKind = SendArguments::Kind;

namespace lapwing::entry {
namespace {

using transfer::Overlap;

template <typename Arguments>
bool goes_at_once(const Arguments& a) {
  return Proved::way() == Proved::Way::blocking || a.rank == MPI_PROC_NULL ||
         transfer::surely_below(a.count, a.type, Proved::threshold()) ||
         transfer::payload_bytes(a.count, a.type) < Proved::threshold() || !mpi::raises_in_place(a.comm);
}

int blocking_send(const SendArguments& a) {
  Proved::receive_matched();
  const int count = static_cast<int>(a.count);
  auto plain = [&] {
    return a.kind == SendKind::synchronous ? PMPI_Ssend(a.buffer, count, a.type, a.rank, a.tag, a.comm)
                                           : PMPI_Send(a.buffer, count, a.type, a.rank, a.tag, a.comm);
  };
  return straight(a.count, a.type) ? plain() : send_blocking(a, plain);
}

int blocking_receive(const ReceiveArguments& a, MPI_Status* status) {
  Proved::receive_matched();
  auto plain = [&](MPI_Status* s) {
    return PMPI_Recv(a.buffer, static_cast<int>(a.count), a.type, a.rank, a.tag, a.comm, s);
  };
  return straight(a.count, a.type) ? noted(plain(status)) : receive_blocking(a, status, plain);
}

template <typename Arguments>
bool splits(const Arguments& a, std::size_t bytes) {
  return Overlap::begins(a.caller.address, bytes, a.rank);
}

// The program's own call, whose wait tells what there would have been to hide.
template <typename Call>
lapwing_token* plainly(int* error, Call call) {
  const std::uint64_t begun = transfer::now_ns();
  *error = call();
  return *error == MPI_SUCCESS ? Proved::went_plainly(transfer::now_ns() - begun) : nullptr;
}

// The field that a receive leaves alone in its status.
class KeptError {
 public:
  explicit KeptError(MPI_Status* status)
      : status_(status), error_(status == MPI_STATUS_IGNORE ? 0 : status->MPI_ERROR) {}
  ~KeptError() {
    if (status_ != MPI_STATUS_IGNORE) status_->MPI_ERROR = error_;
  }
  KeptError(const KeptError&) = delete;
  KeptError& operator=(const KeptError&) = delete;

 private:
  MPI_Status* status_;
  int error_;
};

void give_status(const MPI_Status& seen, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  const KeptError kept(status);
  *status = seen;
}

// The least bytes of a receive that may wait for the program's own send: less
// is on its way for too short a time to matter. See Proved::may_keep_matched().
constexpr std::size_t long_on_its_way = std::size_t{64} << 10;

bool may_wait_for_send(std::size_t bytes, MPI_Comm comm, int partner) {
  return bytes >= long_on_its_way && !watched() && Proved::may_keep_matched(comm, partner);
}

// A message that has left, or has arrived, is done with: no thread need be woken. The
// look also sets a rendezvous going.
lapwing_token* follow(const lapwing_token& started, int* error) {
  if (!started.helped) return Proved::begin_plainly(started);
  if (started.touchy) return Proved::begin(started);
  MPI_Request request = started.request;
  MPI_Status status{};
  if (started.status != MPI_STATUS_IGNORE) status = *started.status;
  int done = 0;
  if (watched()) {
    *error = P2pWatch::test(&request, &done, &status);
  } else {
    *error = accounted_completion({}, 1, &request, &status, false, true, [&](MPI_Status* to) {
      return transfer::quiet() ? noted(PMPI_Test(&request, &done, to)) : transfer::test(&request, &done, to);
    });
  }
  if (*error == MPI_SUCCESS && !done) return Proved::begin(started);
  give_status(status, started.status);
  return nullptr;
}

// `place`: where the program waits for it. The report charges that to the call that has been split.
int complete(lapwing_token* token, MPI_Status* status, const void* place) {
  MPI_Request* request = &token->request;
  if (owing()) PassingOn::until_complete(1, request, true);
  if (watched()) return P2pWatch::wait(request, status, caller(token->call, place));
  const transfer::Caller waits = caller(token->group ? token->call : Proved::name_of_wait, place);
  const auto call = [&](MPI_Status* to) {
    return transfer::quiet() ? noted(PMPI_Wait(request, to)) : transfer::wait(request, to, waits);
  };
  const auto wait = [&] {
    return token->group ? call(status) : accounted_completion(waits, 1, request, status, true, true, call);
  };
  return token->touchy ? mpi::raising_in(token->comm, mpi::raising.wait, wait) : wait();
}

template <typename Arguments>
lapwing_token describe(const Arguments& a) {
  lapwing_token token;
  token.call = a.caller.name;
  token.place = a.caller.address;
  token.comm = a.comm;
  token.peer = a.rank;
  token.tag = a.tag;
  token.bytes = transfer::payload_bytes(a.count, a.type);
  return token;
}

lapwing_token describe(const ReceiveArguments& a, MPI_Status* status) {
  lapwing_token token = describe(a);
  token.receives = true;
  token.status = status;
  return token;
}

// Returns once the message is matched. A message that is small, or too large for
// the buffer, is received here and now.
lapwing_token* start_matched(const ReceiveArguments& a, MPI_Status* status, int* error) {
  sets::note_unseen_receive();
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status seen{};
  {
    const Proved::Waiting waiting;
    if (owing()) PassingOn::until_arrival(a.rank, a.tag, a.comm);
    *error = transfer::mprobe(a.rank, a.tag, a.comm, &message, &seen);
  }
  if (*error != MPI_SUCCESS) return nullptr;
  PMPI_Status_set_cancelled(&seen, 0);  // which MPICH's probe does not say
  MPI_Count arriving = 0;
  PMPI_Get_elements_x(&seen, MPI_BYTE, &arriving);
  lapwing_token token = describe(a, MPI_STATUS_IGNORE);
  token.peer = seen.MPI_SOURCE;
  token.tag = seen.MPI_TAG;
  const auto size = static_cast<std::size_t>(arriving);
  const bool at_once = size < Proved::threshold() || size > token.bytes;
  // A datatype of the program's own may be freed before the message is received.
  if (!at_once && may_wait_for_send(size, a.comm, token.peer) && transfer::is_predefined(a.type)) {
    token.matched = lapwing_token::Matched::kept;
    token.message = message;
    token.buffer = a.buffer;
    token.count = static_cast<int>(a.count);
    token.type = a.type;
    give_status(seen, status);
    if (transfer::Engine* engine = transfer::Engine::get()) engine->note_call(a.caller, 0, 0);
    return Proved::begin(token);
  }
  ReceiveArguments matched = a;
  matched.comm = MPI_COMM_NULL;
  *error = transfer::imreceive(matched, &message, &token.request, [&](MPI_Request* r) {
    return PMPI_Imrecv(a.buffer, static_cast<int>(a.count), a.type, &message, r);
  });
  accounted_start(*error, &token.request, a.caller, a.count, a.type, true, false);
  if (*error != MPI_SUCCESS) return nullptr;
  if (at_once) {
    // Not MPI_Mrecv: MPICH's calls the error handler of another communicator.
    const Proved::Waiting waiting;
    const KeptError kept(status);
    *error = complete(&token, status, a.caller.address);
    return nullptr;
  }
  give_status(seen, status);
  return follow(token, error);
}

// The program does not look at this error: somebody must hear of it.
void say_failed(const lapwing_token& token, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0, rank = 0;
  PMPI_Error_string(code, text, &length);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fmt::print(
      stderr,
      "lapwing: rank {}: an {} of {} bytes {} rank {} with tag {}, which the compiler has split, failed at "
      "its wait: {}\n",
      rank, token.call, token.bytes, token.receives ? "from" : "to",
      token.peer == MPI_ANY_SOURCE ? "MPI_ANY_SOURCE" : fmt::to_string(token.peer),
      token.tag == MPI_ANY_TAG ? "MPI_ANY_TAG" : fmt::to_string(token.tag), text);
}

}  // namespace

bool may_split(int count, MPI_Datatype type, int rank, MPI_Comm comm) {
  if (Verify::on()) return rank != MPI_PROC_NULL && mpi::errors_are_fatal(comm);
  if (Proved::way() == Proved::Way::blocking || rank == MPI_PROC_NULL ||
      transfer::surely_below(count, type, Proved::threshold()))
    return false;
  return (mpi::handlers_never_change() || mpi::errors_are_fatal(comm)) &&
         transfer::payload_bytes(count, type) >= Proved::threshold();
}

bool may_sink(MPI_Comm comm) {
  if (Proved::way() == Proved::Way::blocking && !Verify::on()) return false;
  return mpi::handlers_never_change() || mpi::errors_are_fatal(mpi::hearer_of_wait(comm));
}

namespace {

bool pairs(Sending how) { return how == Sending::paired || how == Sending::paired_copy; }
bool pairs(Receiving how) { return how == Receiving::paired || how == Receiving::paired_matched; }

lapwing_token* put_in_flight(const SendArguments& given, Sending how, int* error) {
  SendArguments a = given;
  if (a.rank == MPI_PROC_NULL && !(pairs(how) && Proved::way() == Proved::Way::blocking)) {
    *error = blocking_send(a);
    return nullptr;
  }
  if (how == Sending::now && goes_at_once(a)) {
    *error = blocking_send(a);
    return nullptr;
  }
  lapwing_token token = describe(a);
  const bool small = token.bytes < Proved::threshold();
  token.helped = !Overlap::judged() || (!small && splits(a, token.bytes));
  if (pairs(how) && (Proved::way() == Proved::Way::blocking || (!token.helped && !small))) {
    hold_half(a, how == Sending::paired_copy);
    *error = MPI_SUCCESS;
    return nullptr;
  }
  if (!token.helped && !small) Overlap::note_send(a.rank);
  if (!token.helped && how == Sending::now) return plainly(error, [&] { return blocking_send(a); });
  token.touchy = !mpi::raises_in_place(a.comm);
  std::unique_ptr<char[]> copy;
  if (how == Sending::paired_copy && token.bytes > 0) {
    *error = transfer::copy_to_send(&a, &copy);
    if (*error != MPI_SUCCESS) return nullptr;
  }
  const int count = static_cast<int>(a.count);
  auto plain = [&](MPI_Request* r) {
    return a.kind == SendKind::synchronous ? PMPI_Issend(a.buffer, count, a.type, a.rank, a.tag, a.comm, r)
                                           : PMPI_Isend(a.buffer, count, a.type, a.rank, a.tag, a.comm, r);
  };
  refuse_merged(a.comm, a.caller);
  if (watched()) {
    *error = P2pWatch::isend(a, &token.request);
  } else {
    *error = sets::in_send(a.rank, a.tag, a.comm, SendKind::standard, a.caller, [&] {
      return straight(a.count, a.type) ? plain(&token.request) : transfer::isend(a, &token.request, plain);
    });
  }
  if (!watched()) accounted_start(*error, &token.request, a.caller, a.count, a.type, false, false);
  if (*error != MPI_SUCCESS) return nullptr;
  token.copy = copy.get();
  lapwing_token* const following = follow(token, error);
  if (following) copy.release();
  return following;
}

}  // namespace

lapwing_token* start_send(const SendArguments& a, Sending how, int* error) {
  return Verify::on() ? Verify::send(a, how, error) : start_send_unverified(a, how, error);
}

lapwing_token* start_receive(const ReceiveArguments& a, Receiving how, MPI_Status* status, int* error) {
  return Verify::on() ? Verify::receive(a, how, status, error)
                      : start_receive_unverified(a, how, status, error);
}

lapwing_token* start_send_unverified(const SendArguments& a, Sending how, int* error) {
  lapwing_token* const token = put_in_flight(a, how, error);
  if (*error != MPI_SUCCESS && pairs(how)) fail_half(*error);
  return token;
}

lapwing_token* start_receive_unverified(const ReceiveArguments& a, Receiving how, MPI_Status* status,
                                        int* error) {
  if (pairs(how) && holds_half()) {
    if (Overlap::judged()) {
      // As it would where the halves are started apart: the sequence of starts is one.
      if (const std::size_t bytes = transfer::payload_bytes(a.count, a.type); bytes >= Proved::threshold())
        splits(a, bytes);
      return plainly(error, [&] { return exchange_whole(a, status); });
    }
    *error = exchange_whole(a, status);
    return nullptr;
  }
  if (const int failed = pairs(how) ? take_failed_half() : MPI_SUCCESS; failed != MPI_SUCCESS) {
    *error = failed;
    return nullptr;
  }
  if (pairs(how)) {
    if (a.rank == MPI_PROC_NULL) transfer::mark_exchange_with_nobody(a.comm);
    how = how == Receiving::paired ? Receiving::early : Receiving::matched;
  }
  // A receive that was posted early must not wait, however small it is: the
  // send that its partner waits for may stand behind it.
  const bool must_not_block = how == Receiving::early && a.rank != MPI_PROC_NULL;
  if (!must_not_block && goes_at_once(a)) {
    *error = blocking_receive(a, status);
    return nullptr;
  }
  lapwing_token token = describe(a, status);
  const bool small = token.bytes < Proved::threshold();
  token.helped = !Overlap::judged() || (!small && splits(a, token.bytes));
  if (!token.helped && !must_not_block) return plainly(error, [&] { return blocking_receive(a, status); });
  if (how == Receiving::matched) return start_matched(a, status, error);
  token.touchy = !mpi::raises_in_place(a.comm);
  auto plain = [&](MPI_Request* r) {
    return PMPI_Irecv(a.buffer, static_cast<int>(a.count), a.type, a.rank, a.tag, a.comm, r);
  };
  refuse_merged(a.comm, a.caller);
  if (watched()) {
    *error = P2pWatch::ireceive(a, &token.request);
  } else {
    sets::note_unseen_receive();
    *error = straight(a.count, a.type) ? plain(&token.request) : transfer::ireceive(a, &token.request, plain);
  }
  if (!watched()) accounted_start(*error, &token.request, a.caller, a.count, a.type, true, false);
  if (*error != MPI_SUCCESS) return nullptr;
  if (token.helped && how == Receiving::early && may_wait_for_send(token.bytes, a.comm, a.rank))
    return Proved::begin(token);
  return follow(token, error);
}

void wait_unverified(lapwing_token* token, const void* place) {
  const std::uint64_t begun = transfer::now_ns();
  if (token->was_waited_for && token->request == MPI_REQUEST_NULL) {
    Proved::note_wait_of(*token, begun);
  } else if (Proved::take(token)) {
    int rc = MPI_SUCCESS;
    {
      const Proved::Waiting waiting;
      const KeptError kept(token->status);
      rc = complete(token, token->status, place);
    }
    if (rc != MPI_SUCCESS) say_failed(*token, rc);
    Proved::exposed_ns.fetch_add(transfer::now_ns() - begun, std::memory_order_relaxed);
    Proved::note_wait_of(*token, begun);
  }
  Proved::release(token);
}

}  // namespace lapwing::entry
