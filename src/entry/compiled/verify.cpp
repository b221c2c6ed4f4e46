// SPDX-License-Identifier: Apache-2.0
#include "entry/compiled/verify.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "entry/compiled/whole_exchange.hpp"
#include "entry/fortran/fortran.hpp"
#include "mpi/looks.hpp"
#include "mpi/references.hpp"
#include "transfer/compiled/guarded_buffer.hpp"
#include "transfer/compiled/verify_report.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::entry {
namespace {

using transfer::GuardedBuffer;
using Use = GuardedBuffer::Use;

// Of a file that was compiled in another mode.
constexpr lapwing_verify_site unknown_verify_site{"an MPI call", "an unknown place", "an unknown place", 0};

constexpr int hidden_status_byte = 0xff;

// The program's status, which nobody has filled yet as far as it knows.
class HiddenStatus {
 public:
  HiddenStatus(MPI_Status* status, const MPI_Status& seen) : status_(status), seen_(seen) {
    if (!is_there()) return;
    seen_.MPI_ERROR = status->MPI_ERROR;  // which a receive leaves alone
    std::memset(status, hidden_status_byte, sizeof *status);
  }
  /// False where it was written to.
  bool show() const {
    if (!is_there()) return true;
    MPI_Status untouched;
    std::memset(&untouched, hidden_status_byte, sizeof untouched);
    const bool same = std::memcmp(status_, &untouched, sizeof untouched) == 0;
    *status_ = seen_;
    return same;
  }

 private:
  bool is_there() const { return status_ != MPI_STATUS_IGNORE && status_ != nullptr; }
  MPI_Status* status_;
  MPI_Status seen_;
};

// Compiled code holds this as its lapwing_token.
struct VerifyToken {
  const lapwing_verify_site* site;
  std::unique_ptr<GuardedBuffer> buffer;
  lapwing_token* inner = nullptr;                     ///< a send that has not left yet
  std::optional<transfer::ReceiveArguments> awaited;  ///< to be received where the call stood
  MPI_Status* status = MPI_STATUS_IGNORE;
  bool matched = false;  ///< the status is the program's as soon as the message is matched
  std::optional<HiddenStatus> hidden_status;
};

VerifyToken* verify_token_of(lapwing_token* token) { return reinterpret_cast<VerifyToken*>(token); }
lapwing_token* hand_out_verified(std::unique_ptr<VerifyToken> token) {
  if (!token->buffer && !token->inner && !token->awaited && !token->hidden_status) return nullptr;
  return reinterpret_cast<lapwing_token*>(token.release());
}

// The sending half of an exchange that its receiving half makes.
thread_local VerifyToken* verify_held = nullptr;
thread_local std::optional<transfer::SendArguments> verify_held_arguments;

MPI_Count elements_received(const MPI_Status& status, MPI_Datatype type) {
  int count = 0;
  PMPI_Get_count(&status, type, &count);
  return count == MPI_UNDEFINED ? 0 : count;
}

// As it would have been received without the compiler.
int receive_now(VerifyToken& token, const transfer::ReceiveArguments& a, Receiving how) {
  MPI_Status seen{};
  int error = MPI_SUCCESS;
  if (token.status != MPI_STATUS_IGNORE && token.status != nullptr) seen.MPI_ERROR = token.status->MPI_ERROR;
  start_receive_unverified(a, how, &seen, &error);
  if (error != MPI_SUCCESS) {
    if (token.status != MPI_STATUS_IGNORE && token.status != nullptr) *token.status = seen;
    return error;
  }
  if (token.matched) {
    if (token.status != MPI_STATUS_IGNORE && token.status != nullptr) *token.status = seen;
  } else {
    token.hidden_status.emplace(token.status, seen);
  }
  if (a.rank != MPI_PROC_NULL)
    token.buffer =
        GuardedBuffer::close(*token.site, Use::received, a.buffer, elements_received(seen, a.type), a.type);
  return MPI_SUCCESS;
}

// The program may free its datatype before the wait.
class KeptType {
 public:
  explicit KeptType(MPI_Datatype type) : type_(type) { transfer::outlive(&type_, &kept_); }
  KeptType(KeptType&& other) noexcept : type_(other.type_), kept_(other.kept_) {
    other.kept_ = MPI_DATATYPE_NULL;
  }
  KeptType& operator=(KeptType&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(kept_, other.kept_);
    return *this;
  }
  ~KeptType() {
    if (kept_ != MPI_DATATYPE_NULL) PMPI_Type_free(&kept_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_, kept_ = MPI_DATATYPE_NULL;
};

struct VerifyStarted {
  MPI_Request request;
  const lapwing_verify_site* site;
  const void* buffer;
  int count;
  KeptType type;
  bool receives;
  std::unique_ptr<GuardedBuffer> guarded;
};

// By where the program keeps the request, as the compiler knows it: MPI gives one handle to all sends that
// are over when they return. Until another is started there; persistent ones are told of once, where they are
// made.
std::mutex verify_gate;
std::unordered_map<const void*, VerifyStarted>& requests_started() {
  static auto* all = new std::unordered_map<const void*, VerifyStarted>;
  return *all;
}
VerifyStarted* find_started(const void* place, MPI_Request request) {
  const auto found = requests_started().find(place);
  return found != requests_started().end() && found->second.request == request ? &found->second : nullptr;
}

}  // namespace

bool Verify::wanted() {
  static constexpr const char* marks[] = {"lapwing_verify_", nullptr};
  return mpi::refers_to(marks);
}

void Verify::start() {
  GuardedBuffer::start();
  on_ = true;
}

void Verify::stop() {
  if (!on_) return;
  GuardedBuffer::stop();
  const std::lock_guard lock(verify_gate);
  requests_started().clear();  // MPI complains of datatypes that are left
}

const lapwing_verify_site& Verify::take_site() {
  const lapwing_verify_site* site = std::exchange(next_, nullptr);
  return site ? *site : unknown_verify_site;
}

lapwing_token* Verify::send(const transfer::SendArguments& a, Sending how, int* error) {
  auto token = std::make_unique<VerifyToken>();
  token->site = &take_site();
  token->inner = start_send_unverified(a, how, error);
  if (*error != MPI_SUCCESS) return nullptr;
  if (how == Sending::paired_copy || a.rank == MPI_PROC_NULL) return hand_out_verified(std::move(token));
  if (how != Sending::paired) {
    token->buffer = GuardedBuffer::close(*token->site, Use::sent, a.buffer, a.count, a.type);
    return hand_out_verified(std::move(token));
  }
  verify_held_arguments = a;
  verify_held = token.release();
  return reinterpret_cast<lapwing_token*>(verify_held);
}

lapwing_token* Verify::receive(const transfer::ReceiveArguments& a, Receiving how, MPI_Status* status,
                               int* error) {
  auto token = std::make_unique<VerifyToken>();
  token->site = &take_site();
  token->status = status;
  token->matched = how == Receiving::matched || how == Receiving::paired_matched;
  if (token->site->early) {
    token->buffer = GuardedBuffer::close(*token->site, Use::awaited, a.buffer, a.count, a.type);
    token->awaited = a;
    return hand_out_verified(std::move(token));
  }
  // A half that is alone is received here: the other one is on its way already.
  const bool alone = how == Receiving::paired && !holds_half();
  *error = receive_now(*token, a, alone ? Receiving::paired_matched : how);
  if (VerifyToken* half = std::exchange(verify_held, nullptr)) {
    const transfer::SendArguments& s = *verify_held_arguments;
    if (*error == MPI_SUCCESS)
      half->buffer = GuardedBuffer::close(*half->site, Use::sent, s.buffer, s.count, s.type);
    verify_held_arguments.reset();
  }
  if (*error != MPI_SUCCESS) return nullptr;
  return hand_out_verified(std::move(token));
}

void Verify::reach(lapwing_token* given) {
  VerifyToken* const token = verify_token_of(given);
  if (!token || !token->awaited) return;
  token->buffer.reset();
  const transfer::ReceiveArguments a = *token->awaited;
  token->awaited.reset();
  receive_now(*token, a, token->matched ? Receiving::matched : Receiving::now);
}

void Verify::wait(lapwing_token* given) {
  const std::unique_ptr<VerifyToken> token(verify_token_of(given));
  reach(given);
  token->buffer.reset();
  if (token->inner) wait_unverified(token->inner, __builtin_return_address(0));
  if (token->hidden_status && !token->hidden_status->show())
    transfer::VerifyReport::end_at_status(*token->site);
}

void Verify::started(const lapwing_verify_site& site, const void* place, MPI_Request request,
                     const void* buffer, int count, MPI_Datatype type, bool receives) {
  if (!on_ || request == MPI_REQUEST_NULL) return;
  const std::lock_guard lock(verify_gate);
  requests_started().insert_or_assign(
      place, VerifyStarted{request, &site, buffer, count, KeptType(type), receives, nullptr});
}

void Verify::reach(const void* place, MPI_Request request) {
  if (!may_reach() || request == MPI_REQUEST_NULL) return;
  MPI_Status seen{};
  for (int done = 0; !done;)
    if (mpi::look(request, &done, &seen) != MPI_SUCCESS) return;
  const std::lock_guard lock(verify_gate);
  VerifyStarted* const one = find_started(place, request);
  if (!one) return;
  const MPI_Count elements = one->receives ? elements_received(seen, one->type.get()) : one->count;
  one->guarded = GuardedBuffer::close(*one->site, one->receives ? Use::received : Use::sent, one->buffer,
                                      elements, one->type.get());
}

void Verify::retire(const void* place, MPI_Request request) {
  const std::lock_guard lock(verify_gate);
  if (VerifyStarted* const one = find_started(place, request)) one->guarded.reset();
}

}  // namespace lapwing::entry

using lapwing::entry::Verify;

LAPWING_ENTRY void lapwing_verify_next(const lapwing_verify_site* site) { Verify::note_next(site); }

LAPWING_ENTRY void lapwing_verify_started(const lapwing_verify_site* site, const MPI_Request* request,
                                          const void* buffer, int count, MPI_Datatype type, int receives) {
  Verify::started(*site, request, *request, buffer, count, type, receives != 0);
}

LAPWING_ENTRY void lapwing_verify_started_(const lapwing_verify_site* site, const MPI_Fint* request,
                                           void* buffer, MPI_Fint count, MPI_Fint type, int receives) {
  Verify::started(*site, request, PMPI_Request_f2c(*request), lapwing::entry::buffer(buffer), count,
                  PMPI_Type_f2c(type), receives != 0);
}
