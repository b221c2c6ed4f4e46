// SPDX-License-Identifier: Apache-2.0
// Completing requests while checking.
#include "sets/check/p2p_waits.hpp"

#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "mpi/looks.hpp"
#include "sets/check/culprit.hpp"
#include "sets/check/one_by_one.hpp"
#include "sets/check/p2p_watch.hpp"
#include "sets/check/permitted.hpp"
#include "sets/check/request_batch.hpp"
#include "sets/messages.hpp"
#include "sets/orders/history.hpp"
#include "sets/report/report_text.hpp"

namespace lapwing::sets {
namespace {

/// A wait that ends when `test` says so; `test` completes requests.
template <typename Test>
class RequestWait : public Wait {
 public:
  RequestWait(const RequestBatch& batch, bool all, P2pWatch::Caller caller, Test test)
      : batch_(batch), all_(all), caller_(caller), test_(test) {}
  bool done() override { return test_(); }
  void edges(Edges* edges) override {
    // All: a clause for each that is left. Any: one of all.
    bool some = false;
    for (int i = 0; i < batch_.count(); ++i) {
      if (batch_.handle(i) == MPI_REQUEST_NULL) continue;
      const Pending* pending = PendingRequests::find(batch_.handle(i));
      if (pending && !pending->active) continue;
      Edges own;
      request_edges(batch_.handle(i), all_ ? edges->clauses : 0, &own);
      if (own.goes_on) {
        if (!all_) edges->goes_on = true;
        continue;
      }
      some = true;
      if (all_) ++edges->clauses;
      edges->list.insert(edges->list.end(), own.list.begin(), own.list.end());
    }
    if (!all_) edges->clauses = 1;
    if (!some) edges->goes_on = true;
  }
  Told told() const override { return told_of(caller_.name, caller_.address); }
  std::string details() const override {
    std::string text;
    int shown = 0;
    for (int i = 0; i < batch_.count(); ++i) {
      const Pending* pending = PendingRequests::find(batch_.handle(i));
      if (!pending || !pending->active) continue;
      if (pending->kind != Pending::group && pending->may_be_looked_at()) {
        int complete = 0;
        mpi::look(batch_.handle(i), &complete, MPI_STATUS_IGNORE);
        if (complete) continue;
      }
      if (++shown > 3) continue;
      text += text.empty() ? "for " : "; ";
      text += pending->is_message() ? fmt::format("{} {}", pending->name, partner_text(*pending))
                                    : fmt::format("{} on {}", pending->name, pending->circle->described());
    }
    if (shown > 3) text += fmt::format("; and {} more", shown - 3);
    return text;
  }
  const Circle* circle() const override {
    for (int i = 0; i < batch_.count(); ++i) {
      const Pending* pending = PendingRequests::find(batch_.handle(i));
      if (pending && pending->kind == Pending::group && pending->active) return pending->circle;
    }
    return nullptr;
  }
  std::uint64_t call() const override {
    for (int i = 0; i < batch_.count(); ++i) {
      const Pending* pending = PendingRequests::find(batch_.handle(i));
      if (pending && pending->kind == Pending::group && pending->active) return pending->number;
    }
    return 0;
  }

 private:
  const RequestBatch& batch_;
  bool all_;
  P2pWatch::Caller caller_;
  Test test_;
};

/// One receive or send that the program called.
class OwnWait : public Wait {
 public:
  OwnWait(MPI_Request* request, const Pending& pending, MPI_Status* status)
      : request_(request), pending_(pending), status_(status) {}
  bool done() override {
    int flag = 0;
    rc_ = PMPI_Test(request_, &flag, status_);
    return flag || rc_ != MPI_SUCCESS;
  }
  int rc() const { return rc_; }
  void edges(Edges* edges) override {
    edges->clauses = 1;
    int complete = 0;
    mpi::look(*request_, &complete, MPI_STATUS_IGNORE);
    if (complete || !pending_.circle) {
      edges->goes_on = true;
    } else if (pending_.kind == Pending::receive) {
      message_edges(*pending_.circle, pending_.peer, pending_.tag, 0, edges);
    } else {
      edges->list.push_back({pending_.circle->peers[static_cast<std::size_t>(pending_.peer)], Edge::receive,
                             pending_.circle->id, static_cast<std::uint32_t>(pending_.tag), pending_.number,
                             0, 0});
    }
  }
  Told told() const override { return told_of(pending_); }
  std::string details() const override {
    if (!pending_.circle) return "";
    return fmt::format("{}, on {}{}", partner_text(pending_), pending_.circle->described(),
                       pending_.kind == Pending::receive ? near_miss(pending_) : "");
  }
  bool could_receive(const Circle& circle, int peer, int tag) override {
    return pending_.kind == Pending::receive && pending_.circle == &circle &&
           (pending_.peer == MPI_ANY_SOURCE || pending_.peer == peer) &&
           (pending_.tag == MPI_ANY_TAG || pending_.tag == tag);
  }

 private:
  MPI_Request* request_;
  const Pending& pending_;
  MPI_Status* status_;
  int rc_ = MPI_SUCCESS;
};

// MPI may wait by itself for what is not followed, as for another thread that
// writes a file, while no other process needs a message that this one must pass on.
bool may_wait_inside(const RequestBatch& batch) {
  if (batch.followed()) return false;
  std::lock_guard guard(Messages::lock());
  for (const auto& [id, circle] : Circles::all()) {
    for (const auto& [number, opened] : circle->opened())
      if (!opened.settled()) return false;
  }
  return true;
}

template <typename Test>
void wait_until(const RequestBatch& batch, bool all, P2pWatch::Caller caller, Test test) {
  RequestWait<Test> wait(batch, all, caller, test);
  block(wait);
}

}  // namespace

Told told_of(const char* name, const void* returns_to) {
  Told told;
  told.name = name;
  told.returns_to = returns_to;
  return told;
}

Told told_of(const Pending& pending) { return told_of(pending.name, pending.returns_to); }

void count_taken(Circle& circle, int peer, int tag) {
  Channel& channel = circle.channel(peer, tag);
  ++channel.received;
  channel.received_contents.forget();
}

Contents::Part part_of(const Pending& pending) {
  Contents::Part part;
  part.count = pending.count;
  part.call = pending.name;
  part.returns_to = pending.returns_to;
  return part;
}

int wait_for(MPI_Request request, const Pending& pending, MPI_Status* status, MPI_Comm) {
  MPI_Status own{};
  MPI_Status* const seen = status == MPI_STATUS_IGNORE && wants_status(pending) ? &own : status;
  OwnWait wait(&request, pending, seen);
  block(wait);
  if (pending.circle && pending.kind == Pending::receive)
    retire(pending, wait.rc() == MPI_SUCCESS, seen == MPI_STATUS_IGNORE ? MPI_Status{} : *seen);
  History::waited(pending, told_of(pending));
  return wait.rc();
}

int P2pWatch::wait(MPI_Request* request, MPI_Status* status, Caller caller) {
  RequestBatch batch(1, request);
  const Told told = told_of(caller.name, caller.address);
  batch.waited_by(&told);
  if (may_wait_inside(batch)) return PMPI_Wait(request, status);
  if (batch.is_idle_group(0)) {
    // MPICH 4.0 waits for ever.
    int complete = 0;
    return PMPI_Request_get_status(MPI_REQUEST_NULL, &complete, status);
  }
  Statuses statuses(batch, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status,
                    batch.wants_statuses());
  MPI_Status* const seen = statuses.data() == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses.data();
  int rc = MPI_SUCCESS;
  wait_until(batch, true, caller, [&] {
    int flag = 0;
    if (!batch.groups_settled()) return false;
    rc = PMPI_Test(request, &flag, seen);
    return flag || rc != MPI_SUCCESS;
  });
  batch.completed(0, rc == MPI_SUCCESS, statuses.of(0));
  return rc;
}

int P2pWatch::wait_all(int count, MPI_Request* requests, MPI_Status* given, Caller caller) {
  if (count > 0 && !requests) return PMPI_Waitall(count, requests, given);
  RequestBatch batch(count, requests);
  const Told told = told_of(caller.name, caller.address);
  batch.waited_by(&told);
  if (may_wait_inside(batch)) return PMPI_Waitall(count, requests, given);
  Statuses statuses(batch, given, batch.wants_statuses());
  int rc = MPI_SUCCESS;
  OneByOne each(count, requests, statuses.data());
  wait_until(batch, true, caller, [&] {
    int flag = 0;
    if (!batch.groups_settled()) return false;
    if (batch.one_by_one())
      return each.test(
          &rc, [&](int i) { return batch.is_idle_group(i); },
          [&](int i) { batch.completed(i, rc == MPI_SUCCESS, statuses.of(i)); });
    rc = PMPI_Testall(count, requests, &flag, statuses.data());
    return flag || rc != MPI_SUCCESS;
  });
  if (mpi::wait_all_clears_errors && rc == MPI_SUCCESS && given != MPI_STATUSES_IGNORE)
    for (int i = 0; i < count; ++i) given[i].MPI_ERROR = MPI_SUCCESS;
  if (batch.one_by_one()) return rc;
  for (int i = 0; i < batch.count(); ++i) batch.completed(i, rc == MPI_SUCCESS, statuses.of(i));
  return rc;
}

int P2pWatch::wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status, Caller caller) {
  RequestBatch batch(count, requests);
  MPI_Status own{};
  MPI_Status* const seen = status == MPI_STATUS_IGNORE ? &own : status;
  int rc = MPI_SUCCESS;
  wait_until(batch, false, caller, [&] {
    int flag = 0;
    rc = PMPI_Testany(count, requests, index, &flag, seen);
    return flag || rc != MPI_SUCCESS;
  });
  if (rc == MPI_SUCCESS && *index != MPI_UNDEFINED) batch.completed(*index, true, *seen);
  return rc;
}

int P2pWatch::wait_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* given,
                        Caller caller) {
  RequestBatch batch(count, requests);
  Statuses statuses(batch, given, batch.wants_statuses());
  int rc = MPI_SUCCESS;
  wait_until(batch, false, caller, [&] {
    rc = PMPI_Testsome(count, requests, done, indices, statuses.data());
    return rc != MPI_SUCCESS || *done != 0;
  });
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; ++i)
    batch.completed(indices[i], rc == MPI_SUCCESS, statuses.of(i));
  return rc;
}

int P2pWatch::test(MPI_Request* request, int* flag, MPI_Status* status) {
  return test_all(1, request, flag, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
}

int P2pWatch::test_all(int count, MPI_Request* requests, int* flag, MPI_Status* given) {
  Messages::progress();
  RequestBatch batch(count, requests);
  Statuses statuses(batch, given, batch.wants_statuses());
  const int rc = count == 1
                     ? PMPI_Test(requests, flag,
                                 statuses.data() == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses.data())
                     : PMPI_Testall(count, requests, flag, statuses.data());
  if (rc == MPI_SUCCESS && *flag) {
    for (int i = 0; i < batch.count(); ++i) batch.completed(i, rc == MPI_SUCCESS, statuses.of(i));
  }
  return rc;
}

int P2pWatch::test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  Messages::progress();
  RequestBatch batch(count, requests);
  MPI_Status own{};
  MPI_Status* const seen = status == MPI_STATUS_IGNORE ? &own : status;
  const int rc = PMPI_Testany(count, requests, index, flag, seen);
  if (rc == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED) batch.completed(*index, true, *seen);
  return rc;
}

int P2pWatch::test_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* given) {
  Messages::progress();
  RequestBatch batch(count, requests);
  Statuses statuses(batch, given, batch.wants_statuses());
  const int rc = PMPI_Testsome(count, requests, done, indices, statuses.data());
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; ++i)
    batch.completed(indices[i], rc == MPI_SUCCESS, statuses.of(i));
  return rc;
}

int P2pWatch::start_one(MPI_Request* request) {
  if (const Pending* pending = PendingRequests::find(*request);
      pending && pending->persistent && pending->active) {
    const Culprit culprit = find_culprit();
    end_job_in_turn(active_finding(account_of_place(told_of(culprit.call.c_str(), culprit.returns_to)),
                                   account_of_place(told_of(*pending))));
  }
  if (Pending* pending = PendingRequests::find(*request);
      pending && pending->persistent && !pending->active) {
    pending->active = pending->ever_started = true;
    pending->cancelled = false;
    InFlight::check(pending->area, told_of(*pending));
    pending->in_flight = InFlight::hold(pending->area, told_of(*pending), *request);
    if (pending->kind != Pending::send) BufferWatch::arm(pending->watch, told_of(*pending));
    if (pending->kind == Pending::send) pending->watch = BufferWatch::sends(pending->area, told_of(*pending));
    if (pending->kind == Pending::group) {
      Signature signature;
      signature.say(Signature::operation, mixed(static_cast<std::uint64_t>(pending->count), 1));
      std::lock_guard guard(Messages::lock());
      pending->number = pending->circle->open(signature, told_of(*pending));
      History::joins(pending, told_of(*pending));
    }
    if (pending->kind != Pending::group) History::begins(pending);
    if (pending->kind == Pending::send) {
      Channel& channel = pending->circle->channel(pending->peer, pending->tag);
      pending->number = ++channel.sent;
      channel.call = pending->name;
      channel.returns_to = pending->returns_to;
      channel.sent_contents.add(pending->element, pending->bytes, part_of(*pending));
    }
  }
  return PMPI_Start(request);
}

int P2pWatch::cancel(MPI_Request* request) {
  if (Pending* pending = PendingRequests::find(*request)) {
    pending->cancelled = true;
    pending->release();
    if (pending->kind == Pending::send) {
      pending->circle->channel(pending->peer, pending->tag).uncertain = true;
      History::ends();
    }
  }
  return PMPI_Cancel(request);
}

int P2pWatch::request_free(MPI_Request* request) {
  if (const Pending* pending = PendingRequests::find(*request)) {
    Permitted::freed(*pending);
    // A receive that no thread waits for: what it takes is not seen.
    if (pending->kind == Pending::receive && pending->active) {
      pending->circle->uncertain = true;
      History::ends();
    }
    if (pending->persistent && !pending->active) {
      BufferWatch::drop(pending->watch);
    } else if (BufferWatch::abandon(pending->watch, *request)) {
      PendingRequests::remove(*request);
      *request = MPI_REQUEST_NULL;
      return MPI_SUCCESS;
    }
    PendingRequests::remove(*request);
  }
  return PMPI_Request_free(request);
}

void P2pWatch::start() {
  transfer::Requests::see_all();
  p2p_watched = true;
}
void P2pWatch::stop() { p2p_watched = false; }

}  // namespace lapwing::sets
