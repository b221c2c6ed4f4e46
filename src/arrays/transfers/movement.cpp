// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/movement.hpp"

#include <algorithm>
#include <map>

#include "arrays/schedules/adder.hpp"

namespace lapwing::arrays {
namespace {

Exchange::Way way_of(Strategy strategy) {
  if (strategy == Strategy::packed) return Exchange::Way::whole;
  return strategy == Strategy::direct ? Exchange::Way::datatype : Exchange::Way::strips;
}

// The pieces of all arrays that go to one partner are one stream; streams are in
// the order of the first array's rounds.
class Streams {
 public:
  void add(const Plan& plan, const std::vector<char*>& local) {
    for (std::size_t i = 0; i < plan.schedules.size(); ++i) {
      for (const Piece& piece : plan.schedules[i].pieces()) {
        const auto [place, is_new] = places_.try_emplace(piece.partner, streams_.size());
        if (is_new) streams_.emplace_back(piece.partner, std::vector<Part>{});
        streams_[place->second].second.push_back({&piece, local[i], piece.wire_bytes});
      }
    }
  }
  const std::vector<std::pair<int, std::vector<Part>>>& all() const { return streams_; }
  const std::vector<Part>* of(int partner) const {
    const auto found = places_.find(partner);
    return found == places_.end() ? nullptr : &streams_[found->second].second;
  }

 private:
  std::vector<std::pair<int, std::vector<Part>>> streams_;
  std::map<int, std::size_t> places_;
};

std::shared_ptr<const Descriptor> gathered(const Descriptor& from) {
  std::vector<std::shared_ptr<const View>> views;
  for (const auto& view : from.views) views.push_back(std::make_shared<View>(gathered(*view)));
  return Descriptor::of(std::move(views));
}

std::int64_t bytes_of(const Descriptor& descriptor) {
  std::int64_t bytes = 0;
  for (const auto& view : descriptor.views) {
    std::int64_t elements = 1;
    for (const SectionDimension& dimension : filled(view->section, view->distribution).dimensions)
      elements *= dimension.count;
    bytes += elements * view->distribution.element_bytes();
  }
  return bytes;
}

}  // namespace

std::shared_ptr<const Plan> Movement::plan(TaskComm& comm, const Descriptor& mine, const Descriptor& theirs,
                                           bool sends, bool same_task, int rank, const Met* met) {
  const std::uint64_t begin = steps_.now();
  // Each of the bytes says its own length, so nothing else has the same key.
  std::string key;
  key.reserve(mine.key.size() + theirs.bytes.size() + 8);
  key += static_cast<char>((sends ? 1 : 0) + (same_task ? 2 : 0) + (rank == comm.rank() ? 0 : 4));
  key += theirs.bytes;
  key += mine.key;
  // Plans of index lists do not follow from their descriptors; the sets of these are kept elsewhere
  // (met.hpp).
  std::shared_ptr<const Plan> found = met ? nullptr : comm.plans().find(key);
  if (!found) {
    auto made = std::make_shared<Plan>();
    const Processes processes = same_task ? Processes::same(comm.processes()) : Processes{};
    for (std::size_t i = 0; i < mine.views.size(); ++i) {
      const View &a = *mine.views[i], &b = *theirs.views[i];
      const KnownSets* known = !met ? nullptr : sends ? &met->views[i].sent : &met->views[i].received;
      made->schedules.push_back(sends ? Schedule::sending(a.distribution, a.section, rank, b.distribution,
                                                          b.section, processes, known)
                                      : Schedule::receiving(a.distribution, a.section, rank, b.distribution,
                                                            b.section, processes, known));
    }
    found = std::move(made);
    if (!met) comm.plans().keep(key, found);
  }
  steps_.add(&StepTimes::schedule, begin);
  plans_.push_back(found);
  return found;
}

Exchange& Movement::stage(MPI_Comm comm, const Near& near, Exchange::Tags tags, Strategy strategy,
                          bool persistent) {
  stages_.push_back(std::make_unique<Exchange>(comm, near, tags, way_of(strategy), persistent, steps_));
  return *stages_.back();
}

std::unique_ptr<Movement> Movement::between(TaskComm& comm, const Ends& ends, bool sends,
                                            const std::vector<char*>& local, Strategy strategy,
                                            bool persistent, std::uint64_t call, std::uint64_t match,
                                            const Met* met) {
  std::unique_ptr<Movement> made(new Movement(comm.steps));
  if (strategy == Strategy::automatic) strategy = cheapest(comm, ends);
  // To gather an array would take a rendezvous with the process that has all of it.
  if (strategy == Strategy::centralized && met) strategy = Strategy::parallel;
  if (strategy == Strategy::centralized) {
    made->centralized(comm, ends, sends, local, persistent, call, match);
    return made;
  }
  const auto plan = made->plan(comm, sends ? *ends.from : *ends.to, sends ? *ends.to : *ends.from, sends,
                               false, comm.rank(), met);
  Exchange& exchange =
      made->stage(comm.all(), comm.near(), comm.data_tag(match, persistent), strategy, persistent);
  Streams streams;
  streams.add(*plan, local);
  const int other = sends ? ends.receiver.task : ends.sender.task;
  for (const auto& [partner, parts] : streams.all()) {
    if (sends)
      exchange.send(comm.member(other, partner), parts);
    else
      exchange.receive(comm.member(other, partner), parts);
  }
  made->elements_ = plan->elements();
  return made;
}

std::unique_ptr<Movement> Movement::within(TaskComm& comm, const Ends& ends, const std::vector<char*>& from,
                                           const std::vector<char*>& to, Strategy strategy, bool persistent,
                                           std::uint64_t call, const Met* met, const Transform* transform) {
  std::unique_ptr<Movement> made(new Movement(comm.steps));
  if (strategy == Strategy::centralized) strategy = Strategy::parallel;
  const auto out = made->plan(comm, *ends.from, *ends.to, true, true, comm.rank(), met);
  const auto in = made->plan(comm, *ends.to, *ends.from, false, true, comm.rank(), met);
  Exchange& exchange = made->stage(comm.own(), comm.own_near(), comm.own_tag(call), strategy, persistent);
  made->elements_ = in->elements();
  if (!transform) {
    made->carry(exchange, *out, from, *in, to, comm.rank());
    return made;
  }
  made->transform_ = *transform;
  auto apart = std::make_shared<Plan>();
  std::vector<char*> arrived;
  made->receive_apart(*in, to, dense_in_memory_order, apart.get(), &arrived);
  made->plans_.push_back(apart);
  if (transform->alpha == 0.0)
    made->stages_.clear();  // nothing is needed of A
  else
    made->carry(exchange, *out, from, *apart, arrived, comm.rank());
  return made;
}

// Kept as other plans are; no key of theirs begins like this.
std::shared_ptr<const Plan> Movement::ghost_plan(TaskComm& comm, const Descriptor& array,
                                                 const GhostUpdate& update, Schedule::Way way) {
  const std::uint64_t begin = steps_.now();
  std::string key(1, way == Schedule::Way::send ? 's' : 'r');
  key += update.key();
  key += array.key;
  std::shared_ptr<const Plan> found = comm.plans().find(key);
  if (!found) {
    auto made = std::make_shared<Plan>();
    for (const auto& view : array.views)
      made->schedules.push_back(ghost_schedule(way, view->distribution, update, comm.rank()));
    found = std::move(made);
    comm.plans().keep(key, found);
  }
  steps_.add(&StepTimes::schedule, begin);
  plans_.push_back(found);
  return found;
}

std::unique_ptr<Movement> Movement::ghosts(TaskComm& comm, const Descriptor& array,
                                           const std::vector<char*>& local, const GhostUpdate& update,
                                           Strategy strategy, bool persistent, Exchange::Tags tags) {
  std::unique_ptr<Movement> made(new Movement(comm.steps));
  if (strategy == Strategy::centralized) strategy = Strategy::parallel;
  const auto owners = made->ghost_plan(comm, array, update, Schedule::Way::send);
  const auto layers = made->ghost_plan(comm, array, update, Schedule::Way::receive);
  const Plan& out = update.adds ? *layers : *owners;
  const Plan& in = update.adds ? *owners : *layers;
  made->elements_ = in.elements();
  Exchange& exchange = made->stage(comm.own(), comm.own_near(), tags, strategy, persistent);
  if (!update.adds) {
    made->carry(exchange, out, local, in, local, comm.rank());
    return made;
  }
  auto apart = std::make_shared<Plan>();
  std::vector<char*> arrived;
  made->receive_apart(in, local, dense, apart.get(), &arrived);
  made->plans_.push_back(apart);
  made->carry(exchange, out, local, *apart, arrived, comm.rank());
  return made;
}

// The pieces of a plan, dense and one after the other; each a schedule of its own with its memory, in the
// order of the plan, so that a partner's ones keep theirs.
void Movement::receive_apart(const Plan& in, const std::vector<char*>& local, Piece (*lies)(const Piece&),
                             Plan* apart, std::vector<char*>* arrived) {
  for (std::size_t i = 0; i < in.schedules.size(); ++i) {
    for (const Piece& piece : in.schedules[i].pieces()) {
      if (!transform_ || transform_->alpha != 0.0)
        gathered_.emplace_back(new char[static_cast<std::size_t>(piece.bytes())]);
      else
        gathered_.emplace_back();
      arrived->push_back(gathered_.back().get());
      apart->schedules.emplace_back(Schedule::Way::receive, std::vector<Piece>{lies(piece)});
      additions_.push_back({&piece, local[i], gathered_.back().get()});
    }
  }
}

// Copies the elements that stay on this process, without MPI and without a buffer.
void Movement::carry(Exchange& exchange, const Plan& out, const std::vector<char*>& from, const Plan& in,
                     const std::vector<char*>& to, int rank) {
  Streams sent, received;
  sent.add(out, from);
  received.add(in, to);
  for (const auto& [partner, parts] : received.all())
    if (partner != rank) exchange.receive(partner, parts);
  for (const auto& [partner, parts] : sent.all())
    if (partner != rank) exchange.send(partner, parts);
  const std::vector<Part>*mine = sent.of(rank), *here = received.of(rank);
  if (!mine || !here) return;
  for (std::size_t i = 0; i < mine->size(); ++i) exchange.copy((*mine)[i], (*here)[i]);
}

// Section 2.3: all to one process, from there to one process, and out from there.
void Movement::centralized(TaskComm& comm, const Ends& ends, bool sends, const std::vector<char*>& local,
                           bool persistent, std::uint64_t call, std::uint64_t match) {
  const std::shared_ptr<const Descriptor> whole = gathered(*ends.from);
  std::vector<char*> arrays(whole->views.size(), nullptr);
  const bool first = comm.rank() == 0;
  for (std::size_t i = 0; first && i < arrays.size(); ++i) {
    const Distribution& array = whole->views[i]->distribution;
    gathered_.emplace_back(new char[static_cast<std::size_t>(array.elements() * array.element_bytes()) + 1]);
    arrays[i] = gathered_.back().get();
  }
  auto across = [&] {
    if (!first) return;
    const auto straight = plan(comm, *whole, *whole, sends, false, 0);
    Exchange& exchange =
        stage(comm.all(), comm.near(), comm.data_tag(match, persistent), Strategy::parallel, persistent);
    Streams streams;
    streams.add(*straight, arrays);
    for (const auto& [partner, parts] : streams.all()) {
      if (sends)
        exchange.send(comm.member(ends.receiver.task, partner), parts);
      else
        exchange.receive(comm.member(ends.sender.task, partner), parts);
    }
  };
  auto inside = [&](const Descriptor& from, const std::vector<char*>& sources, const Descriptor& to,
                    const std::vector<char*>& destinations) {
    const auto out = plan(comm, from, to, true, true, comm.rank());
    const auto in = plan(comm, to, from, false, true, comm.rank());
    Exchange& exchange =
        stage(comm.own(), comm.own_near(), comm.own_tag(call), Strategy::parallel, persistent);
    carry(exchange, *out, sources, *in, destinations, comm.rank());
    elements_ = sends ? out->elements() : in->elements();
  };
  if (sends) {
    inside(*ends.from, local, *whole, arrays);
    across();
  } else {
    across();
    inside(*whole, arrays, *ends.to, local);
  }
}

// Both sides know the sizes of the tasks, the bytes, and the measured costs. In
// parallel every process handles as many messages as the other task has processes;
// together they are as fast as there are cores for them. Centralized, they are few,
// one after the other, and all bytes pass the two first processes. Strips cost
// messages, but are packed while others travel; where memory is shared they cost
// neither. Whole messages are packed before, and unpacked after; datatypes leave
// that to MPI.
Strategy Movement::cheapest(const TaskComm& comm, const Ends& ends) {
  const double senders = ends.sender.processes, receivers = ends.receiver.processes;
  const double bytes = static_cast<double>(bytes_of(*ends.from)), streams = senders * receivers;
  const double at_once = std::min<double>({senders, receivers, std::max(1.0, comm.at_once / 2.0)});
  const double messages = streams * comm.message_ns;
  const double each = bytes / streams;
  const bool strips = each > static_cast<double>(Exchange::one_message);
  const double packed = messages + bytes * (comm.byte_ns + comm.packed_byte_ns);
  const double direct = messages + bytes * comm.direct_byte_ns;
  double parallel = packed;
  if (strips && comm.all_near) parallel = messages + bytes * std::min(comm.byte_ns, comm.packed_byte_ns);
  if (strips && !comm.all_near)
    parallel = messages + bytes / static_cast<double>(Exchange::strip_size) * comm.message_ns +
               bytes * std::max(comm.byte_ns, comm.packed_byte_ns);
  const double centralized = (senders + receivers - 1) * comm.message_ns + 3 * bytes * comm.byte_ns;
  // Within the errors of what was measured, what lets parts be used as they land.
  double best = 0.8 * parallel / at_once;
  Strategy chosen = Strategy::parallel;
  const std::pair<double, Strategy> others[] = {{direct / at_once, Strategy::direct},
                                                {packed / at_once, Strategy::packed},
                                                {centralized, Strategy::centralized}};
  for (const auto& [cost, strategy] : others) {
    if (cost >= best) continue;
    best = cost;
    chosen = strategy;
  }
  return chosen;
}

void Movement::start() {
  stage_ = 0;
  if (stages_.empty()) return take_arrived();
  stages_[0]->start();
  while (stage_ < stages_.size() && stages_[stage_]->done()) next();
}

void Movement::next() {
  if (++stage_ < stages_.size()) return stages_[stage_]->start();
  take_arrived();
}

void Movement::take_arrived() {
  if (additions_.empty()) return;
  const std::uint64_t begin = steps_.now();
  for (const Addition& each : additions_) {
    if (transform_)
      combine(*each.piece, *transform_, each.arrived, each.local);
    else
      add_to(*each.piece, each.arrived, each.local);
  }
  steps_.add(&StepTimes::packing, begin);
}

bool Movement::step() {
  if (done()) return false;
  const bool moved = stages_[stage_]->step();
  while (stage_ < stages_.size() && stages_[stage_]->done()) next();
  return moved;
}

void Movement::wait() {
  stages_[0]->wait();
  if (stages_[0]->done()) next();
}

bool Movement::landed(std::vector<Landed>* out) const {
  if (stages_.size() > 1 && stage_ + 1 < stages_.size()) return false;
  if (!stages_.empty()) stages_.back()->landed(out);
  return true;
}

}  // namespace lapwing::arrays
