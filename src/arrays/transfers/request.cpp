// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/request.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "arrays/schedules/local.hpp"
#include "arrays/transfers/landed.hpp"
#include "progress/clock.hpp"
#include "progress/policy.hpp"
#include "transfer/retire.hpp"

namespace lapwing::arrays {

Request::Request(Call call) : call_(std::move(call)) {
  started_ = !call_.persistent;
  status_.task = call_.partner;
  status_.tag = call_.tag;
}

Request::~Request() = default;

void Request::open_memory() const {
  if (guard::closed_regions.load(std::memory_order_relaxed) == 0 || call_.error) return;
  const auto open = [&](const Descriptor& arrays, const std::vector<char*>& local) {
    for (std::size_t i = 0; i < local.size(); ++i) {
      const Distribution& array = arrays.views[i]->distribution;
      const std::int64_t elements = local_part(array, call_.comm->rank()).allocated;
      transfer::retire_overlapping(local[i], static_cast<std::size_t>(elements * array.element_bytes()));
    }
  };
  open(*call_.descriptor, call_.local);
  if (call_.to) open(*call_.to, call_.to_local);
}

void Request::begin() {
  number_ = call_.comm->next_call();
  since_ = call_.comm->steps.now();
  if (errors_return)
    check();
  else
    post();
}

// Every process of the task learns of an error that one has found, and of calls
// that differ, before anybody else hears of the transfer.
void Request::check() {
  // Ghosts are each process' own matter, unless they are what is updated.
  std::string layers;
  if (call_.kind == Kind::ghosts) {
    layers = call_.update.key();
    for (const auto& view : call_.descriptor->views)
      for (const Dimension& dimension : view->distribution.dimensions)
        layers += fmt::format(" {} {}", dimension.ghost_below, dimension.ghost_above);
  }
  std::string scalars;
  if (const auto& transform = call_.transform)
    scalars = fmt::format("{} {} {} {} {}", transform->alpha.real(), transform->alpha.imag(),
                          transform->beta.real(), transform->beta.imag(), transform->conjugate);
  const auto hash = static_cast<unsigned long long>(std::hash<std::string>{}(
      call_.descriptor->bytes + (call_.to ? call_.to->bytes : std::string()) + layers + scalars +
      fmt::format("{} {} {}", static_cast<int>(call_.kind), call_.partner, call_.tag)));
  const bool failed = static_cast<bool>(call_.error);
  words_ = {failed ? static_cast<unsigned long long>(call_.comm->rank()) + 1 : 0,
            static_cast<unsigned long long>(call_.error.code), hash, ~hash};
  call_.comm->checking.push_back(this);
}

bool Request::step_check() {
  // One after the other: MPI wants collectives in the same order everywhere.
  if (call_.comm->checking.front() != this) return false;
  if (agreement_ == MPI_REQUEST_NULL)
    PMPI_Iallreduce(words_.data(), agreed_.data(), 4, MPI_UNSIGNED_LONG_LONG, MPI_MAX, call_.comm->own(),
                    &agreement_);
  int done = 0;
  PMPI_Test(&agreement_, &done, MPI_STATUS_IGNORE);
  if (!done) return false;
  if (state_ == State::checking && agreed_[0] != 0) {
    // The sentence of the process that failed; of the last one, where several have.
    state_ = State::telling;
    std::strncpy(sentence_.data() + 1, call_.error.text.c_str(), sentence_.size() - 2);
    sentence_[0] = static_cast<char>(call_.error.code);
    PMPI_Ibcast(sentence_.data(), static_cast<int>(sentence_.size()), MPI_CHAR,
                static_cast<int>(agreed_[0]) - 1, call_.comm->own(), &agreement_);
    return true;
  }
  if (state_ == State::telling)
    call_.error = {static_cast<Code>(sentence_[0]), sentence_.data() + 1};
  else if (agreed_[2] != ~agreed_[3])
    call_.error = {Code::differs,
                   fmt::format("task {}: its processes gave different {} in what should be the same call",
                               call_.comm->task(),
                               call_.kind == Kind::ghosts ? "arrays, ghost layers, corners or periods"
                               : call_.transform          ? "arrays, ops or scalars"
                                                          : "arrays, partners or tags")};
  call_.comm->checking.pop_front();
  post();
  return true;
}

void Request::post() {
  TaskComm& comm = *call_.comm;
  const Side side{call_.error ? nullptr : call_.descriptor, comm.strategy, call_.error};
  if (alone() || !comm.has(call_.partner) || call_.partner == comm.task()) {
    const bool wildcard = call_.kind == Kind::receive && call_.partner == any;
    if (call_.error || !wildcard) {
      state_ = State::ready;
      if (call_.error) return fail(call_.error);
      return prepare({call_.to, comm.strategy, {}});
    }
  }
  state_ = State::matching;
  ++comm.unmatched;
  comm.news = true;
  if (call_.kind == Kind::send) {
    const std::uint64_t number = comm.sends(call_.partner, call_.persistent).post(call_.tag, this);
    comm.control().offer(call_.partner, call_.persistent, number, call_.tag, side);
  } else if (comm.receives(call_.persistent).post(call_.partner, call_.tag, this)) {
    comm.control().answer(call_.partner, call_.persistent, {}, call_.tag, side);
  }
  comm.steps.add(&StepTimes::call, since_);
  since_ = comm.steps.now();
  if (call_.error) fail(call_.error);
}

void Request::matched(Match match, bool announced) {
  TaskComm& comm = *call_.comm;
  --comm.unmatched;
  state_ = State::ready;
  status_.task = match.task;
  status_.tag = match.tag;
  if (call_.kind == Kind::receive && !announced) {
    const Side side{call_.error ? nullptr : call_.descriptor, comm.strategy, call_.error};
    comm.control().answer(match.task, call_.persistent, match.number, match.tag, side);
  }
  comm.steps.add(&StepTimes::exchange, since_);
  if (call_.error) return;  // it has failed before
  call_.partner = match.task;
  call_.tag = match.tag;
  match_number_ = match.number;
  if (match.side.error) return fail(match.side.error);
  prepare(match.side);
}

// Step 4.
void Request::prepare(const Side& other) {
  TaskComm& comm = *call_.comm;
  if (call_.kind == Kind::ghosts) {
    movement_ = Movement::ghosts(
        comm, *call_.descriptor, call_.local, call_.update, static_cast<Strategy>(comm.strategy),
        call_.persistent,
        {call_.blocking ? comm.updates_tag() : comm.own_tag(number_), comm.own_tag(number_)});
    simple_ = movement_->simple();
    status_.elements = movement_->elements();
    if (started_) go();
    return;
  }
  const bool sends = call_.kind != Kind::receive;
  Movement::Ends ends;
  ends.from = sends ? call_.descriptor : other.descriptor;
  ends.to = sends ? other.descriptor : call_.descriptor;
  const int partner = call_.kind == Kind::within ? comm.task() : call_.partner;
  ends.sender = comm.party(sends ? comm.task() : partner);
  ends.receiver = comm.party(sends ? partner : comm.task());
  if (Error error = compare(*ends.from, ends.sender, *ends.to, ends.receiver, call_.tag)) {
    error.text += fmt::format(" (found by task {}, rank {})", comm.task(), comm.rank());
    return fail(std::move(error));
  }
  // The sender's wish, else the receiver's.
  const int first = sends ? comm.strategy : other.strategy, second = sends ? other.strategy : comm.strategy;
  const auto strategy = static_cast<Strategy>(first != 0 ? first : second);
  if (Meeting::needed(ends)) return meet(ends, strategy);
  plan(ends, strategy);
}

// Where index lists are among the arrays, the processes first tell each other what theirs share. A transfer
// within a task may find that another one has done so, or is about it.
void Request::meet(const Movement::Ends& ends, Strategy strategy) {
  TaskComm& comm = *call_.comm;
  bool is_new = true;
  const bool within = call_.kind == Kind::within;
  met_ = (within ? comm.met_within : comm.met_between).find(ends.from->bytes + ends.to->bytes, &is_new);
  if (within && met_->known) return plan(ends, strategy);
  if (!within || is_new) {
    const ParcelKey key{!within, !within && call_.persistent, ends.sender.task, ends.receiver.task,
                        within ? number_ : match_number_};
    meeting_ = std::make_unique<Meeting>(comm, ends, key, met_);
  }
  ends_ = ends;
  strategy_ = strategy;
  state_ = State::meeting;
}

bool Request::step_meeting() {
  const bool moved = meeting_ && meeting_->step();
  if (meeting_ ? !meeting_->done() : !met_->known) return moved;
  if (meeting_) met_ = meeting_->result();
  meeting_.reset();
  state_ = State::ready;
  plan(ends_, strategy_);
  return true;
}

void Request::plan(const Movement::Ends& ends, Strategy strategy) {
  TaskComm& comm = *call_.comm;
  const Met* met = met_.get();
  if (call_.kind == Kind::within)
    movement_ = Movement::within(comm, ends, call_.local, call_.to_local, strategy, call_.persistent, number_,
                                 met, call_.transform ? &*call_.transform : nullptr);
  else
    movement_ = Movement::between(comm, ends, call_.kind == Kind::send, call_.local, strategy,
                                  call_.persistent, number_, match_number_, met);
  met_.reset();  // the schedules hold of it what they need
  simple_ = movement_->simple();
  status_.elements = movement_->elements();
  if (started_) go();
}

Error Request::start() {
  if (!call_.persistent) return {Code::state, "the request is not a persistent one"};
  if (begun()) return {Code::state, "the request has been started, and was not waited for"};
  started_ = true;
  complete_ = false;
  if (state_ != State::ready) return {};
  if (status_.error)
    complete_ = true;
  else
    go();
  return {};
}

void Request::start_ends() {
  if (!simple_) started_at_ = progress::now_ns();
}

void Request::wait_begins() {
  if (started_at_ == 0) return;
  const bool at_once = progress::now_ns() - started_at_ < progress::waited_for_at_once;
  waits_at_once_ = at_once ? std::min(waits_at_once_ + 1, progress::waits_at_once) : 0;
  started_at_ = 0;
}

bool Request::waited_for_at_once() const { return waits_at_once_ == progress::waits_at_once; }

// Steps 5 and 6.
void Request::go() {
  state_ = State::moving;
  since_ = call_.comm->steps.now();
  packing_before_ = call_.comm->steps.packing;
  movement_->start();
  if (movement_->done()) finish();
}

bool Request::step() {
  switch (state_) {
    case State::checking:
    case State::telling:
      return step_check();
    case State::matching:
    case State::ready:
      return false;
    case State::meeting:
      return step_meeting();
    case State::moving:
      break;
  }
  const bool moved = movement_->step();
  if (movement_->done()) finish();
  return moved;
}

void Request::wait() {
  movement_->wait();
  if (movement_->done()) finish();
}

void Request::finish() {
  StepTimes& steps = call_.comm->steps;
  if (steps.on && since_) {
    const std::uint64_t packing = steps.packing - packing_before_, all = steps.now() - since_;
    steps.transmission += all > packing ? all - packing : 0;
    ++steps.transfers;
  }
  state_ = State::ready;
  complete_ = true;
}

void Request::fail(Error error) {
  if (!errors_return) {
    // All processes of both tasks know it; the tasks' first ones say it, unless they never come here.
    if (call_.comm->rank() != 0) {
      const timespec pause{1, 0};
      nanosleep(&pause, nullptr);
    }
    report("a transfer of arrays", error);
  }
  status_.error = std::move(error);
  status_.elements = 0;
  if (started_) complete_ = true;
}

bool Request::landed(const std::int64_t* first, const std::int64_t* count) const {
  if (complete_) return true;
  if (state_ != State::moving || call_.kind == Kind::ghosts || call_.transform) return false;
  std::vector<Landed> pieces;
  if (!movement_->landed(&pieces)) return false;
  const View& here = *(call_.to ? call_.to : call_.descriptor)->views[0];
  return std::all_of(pieces.begin(), pieces.end(), [&](const Landed& landed) {
    return landed.elements >= elements_before(*landed.piece, here, first, count);
  });
}

}  // namespace lapwing::arrays
