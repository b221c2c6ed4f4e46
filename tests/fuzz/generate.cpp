// SPDX-License-Identifier: Apache-2.0
// Turns a seed into a program.
#include <algorithm>

#include "placing.hpp"

namespace lapwing::fuzz {
namespace {

constexpr int kTagsPerStep = 16;

// The world ranks on each side of a group; an ordinary communicator has one side, twice.
const std::vector<int>& side(const Group& group, bool second) {
  return group.making == Making::inter && second ? group.others : group.members;
}

std::vector<Group> make_groups(Random& random, int ranks) {
  std::vector<int> all(ranks);
  for (int i = 0; i < ranks; ++i) all[i] = i;
  std::vector<Group> groups{{Making::world, all, {}}};
  if (random.chance(30)) groups.push_back({Making::duplicate, all, {}});
  if (random.chance(30)) groups.push_back({Making::reversed, {all.rbegin(), all.rend()}, {}});
  if (ranks > 2 && random.chance(40)) {
    size_t out = random.below(ranks);
    std::vector<int> some = all;
    some.erase(some.begin() + static_cast<long>(out));
    groups.push_back({Making::subset, some, {}});
  }
  if (random.chance(25)) {
    int cut = static_cast<int>(random.between(1, ranks - 1));
    groups.push_back({Making::inter, {all.begin(), all.begin() + cut}, {all.begin() + cut, all.end()}});
  }
  return groups;
}

class Maker {
 public:
  Maker(const Program& program, Step& step)
      : program_(program),
        step_(step),
        group_(program.groups[step.group]),
        random_(step.key),
        placer_(step.kind != Kind::threads) {}

  void make() {
    switch (step_.kind) {
      case Kind::sendrecv:
        shift();
        break;
      case Kind::truncate:
      case Kind::causality:
      case Kind::request_free:
      case Kind::persistent:
        pair();
        break;
      case Kind::wild:
        wild();
        break;
      case Kind::collective:
      case Kind::local:
      case Kind::touch:
      case Kind::cancel:
      case Kind::null_process:
      case Kind::window:
        everyone();
        break;
      default:
        messages();
        break;
    }
  }

 private:
  Message& add(int source, int target, bool second_side_sends, size_t bytes) {
    Message m;
    m.source = source;
    m.target = target;
    m.send.world = side(group_, second_side_sends)[source];
    m.recv.world = side(group_, !second_side_sends)[target];
    m.elem = random_.pick<Elem>({Elem::byte, Elem::byte, Elem::byte, Elem::integer, Elem::real});
    m.count = bytes / size_of(m.elem);
    m.tag = step_.index * kTagsPerStep + static_cast<int>(step_.messages.size() % kTagsPerStep);
    if (step_.index % 7 == 3) m.tag += 20000;
    step_.messages.push_back(m);
    return step_.messages.back();
  }

  void part(Part& p, const Message& m, bool received, bool temporary, bool plain) {
    if (!plain) p.layout = choose_layout(random_, m.count);
    p.elements = m.count;
    if (received && p.layout.kind == LayoutKind::plain && random_.chance(15))
      p.elements += random_.below(3000);
    size_t width = size_of(m.elem);
    p.region = placer_.place(random_, p.world, span_of(p.layout, p.elements) * width, width, temporary);
    p.fill =
        random_.pick<Fill>({Fill::as_is, Fill::generated, Fill::generated, Fill::generated, Fill::from_file});
    p.ignore_status = random_.chance(30);
    p.touches = choose_touches(random_, received);
    p.release = choose_release(random_, p.region.home);
    p.key = random_.next();
  }

  void choose_peers(int& source, int& target, bool& second_side_sends, bool self_allowed) {
    second_side_sends = group_.making == Making::inter && random_.chance(50);
    const auto& from = side(group_, second_side_sends);
    const auto& to = side(group_, !second_side_sends);
    do {
      source = static_cast<int>(random_.below(from.size()));
      target = static_cast<int>(random_.below(to.size()));
    } while (from[source] == to[target] && !self_allowed);
  }

  void messages() {
    bool ordered = step_.kind == Kind::ordered || step_.kind == Kind::threads;
    bool posted = step_.kind == Kind::posted;
    step_.barrier = posted && group_.making != Making::inter && random_.chance(40);
    bool one_tag = random_.chance(40);
    bool stream = random_.chance(40);  // all between the same two, as one after another
    bool buffered = random_.chance(30) && step_.kind != Kind::threads;
    size_t wanted = random_.between(1, 6), volume = 0;
    int source = 0, target = 0;
    bool second = false;
    for (size_t i = 0; i < wanted && volume < (5u << 20); ++i) {
      if (i == 0 || !stream) choose_peers(source, target, second, !ordered && random_.chance(10));
      size_t bytes = choose_bytes(random_);
      volume += bytes;
      Message& m = add(source, target, second, bytes);
      if (one_tag) m.tag = step_.messages.front().tag;
      m.thread = static_cast<int>(i % 2);
      if (step_.kind == Kind::threads && one_tag) m.tag += m.thread;
      part(m.send, m, false, false, false);
      if (i > 0) share_with_previous();
      part(m.recv, m, true, false, false);
      m.send.send = choose_send(random_, bytes, ordered, step_.barrier, buffered);
      if (step_.kind == Kind::eager) m.send.send = random_.chance(70) ? SendCall::isend : SendCall::issend;
      m.recv.recv = choose_recv(random_, posted);
    }
    choose_wildcards(one_tag);
  }

  // Two sends, perhaps at once, of the same bytes: then neither may be written between.
  void share_with_previous() {
    Message& m = step_.messages.back();
    Message& other = step_.messages[step_.messages.size() - 2];
    Home home = other.send.region.home;
    if (m.send.world != other.send.world || is_temporary(home) || home == Home::stack || !random_.chance(25))
      return;
    if (step_.kind == Kind::threads) return;
    m.send = other.send;
    m.elem = other.elem;
    m.count = other.count;
    m.send.fill = Fill::as_is;
    m.send.touches.clear();
    other.send.touches.clear();
  }

  // A wildcard may be used where only one message can match, whoever is faster.
  void choose_wildcards(bool one_tag) {
    for (Message& m : step_.messages) {
      bool alone = true;
      for (const Message& other : step_.messages)
        if (other.tag == m.tag && other.recv.world == m.recv.world && other.send.world != m.send.world)
          alone = false;
      if (alone && random_.chance(20))
        m.any_source = true;
      else if (step_.kind != Kind::threads && random_.chance(15))
        m.any_tag = true;
    }
  }

  void wild() {
    step_.barrier = group_.making != Making::inter;
    bool second = false;
    int source = 0, target = 0;
    choose_peers(source, target, second, false);
    size_t senders = side(group_, second).size(), largest = 0;
    size_t each = random_.between(1, 3);
    for (size_t s = 0; s < senders; ++s) {
      if (side(group_, second)[s] == side(group_, !second)[target]) continue;
      for (size_t i = 0; i < each && step_.messages.size() < 8; ++i) {
        Message& m = add(static_cast<int>(s), target, second, choose_bytes(random_) % 300000);
        m.elem = Elem::byte;
        m.tag = step_.index * kTagsPerStep;
        m.any_source = true;
        m.any_tag = step_.barrier && random_.chance(40);
        part(m.send, m, false, false, false);
        part(m.recv, m, true, true, true);
        m.send.send = choose_send(random_, m.count, true, false, false);
        m.recv.recv = choose_recv(random_, false);
        m.recv.ignore_status = false;
        m.recv.touches.clear();  // their notes would depend on who came first
        m.recv.release = random_.chance(50) ? Release::hold : Release::free_now;
        largest = std::max(largest, m.count);
      }
    }
    for (Message& m : step_.messages) m.recv.elements = m.recv.region.bytes = largest;
  }

  void pair() {
    bool second = false;
    int source = 0, target = 0;
    choose_peers(source, target, second, false);
    size_t bytes =
        step_.kind == Kind::truncate ? std::max<size_t>(choose_bytes(random_), 2) : choose_bytes(random_);
    if (step_.kind == Kind::persistent && bytes > 200000) bytes = 70001;
    step_.rounds = step_.kind == Kind::persistent ? static_cast<int>(random_.between(2, 5)) : 1;
    step_.variant = static_cast<int>(random_.below(6));
    // Open MPI 4.1 with MPI_THREAD_MULTIPLE never returns from an MPI_Waitall on a request that has already
    // failed.
    if (step_.kind == Kind::truncate && program_.threaded && step_.variant == 2) step_.variant = 1;
    size_t wanted = step_.kind == Kind::persistent ? random_.between(1, 3) : 1;
    for (size_t i = 0; i < wanted; ++i) {
      Message& m = add(source, target, second, bytes);
      if (step_.kind == Kind::truncate) {
        m.elem = Elem::byte;
        m.count = bytes;
      }
      part(m.send, m, false, false, step_.kind == Kind::truncate);
      part(m.recv, m, true, step_.kind == Kind::truncate, step_.kind == Kind::truncate);
      m.send.send = random_.chance(50) ? SendCall::send : SendCall::isend;
      m.recv.recv = choose_recv(random_, false);
      if (step_.kind == Kind::truncate) {
        // Room for fewer than come, often just beside a size that means something to the engine.
        size_t room = random_.pick<size_t>({0, 1, 4096, 8287, 8288, 8289, 12288, bytes / 2, bytes - 1});
        m.recv.elements = room < bytes ? room : bytes / 2;
        m.recv.region.bytes = bytes + 4096;  // Open MPI itself writes beyond the room, see truncate()
      }
    }
  }

  void shift() {
    size_t size = group_.members.size();
    step_.variant = static_cast<int>(random_.below(3));
    size_t by = size == 1 ? 0 : random_.between(1, size - 1), bytes = choose_bytes(random_);
    if (bytes > (1u << 20)) bytes = 300007;
    Elem elem = random_.chance(70) ? Elem::byte : Elem::real;
    Layout layout = choose_layout(random_, bytes / size_of(elem));
    for (size_t i = 0; i < size; ++i) {
      Message& m = add(static_cast<int>(i), static_cast<int>((i + by) % size), false, bytes);
      m.elem = elem;
      m.count = bytes / size_of(elem);
      // MPICH 4.0's MPI_Isendrecv gives a derived type back once too often.
      bool plain = step_.variant == 2;
      part(m.send, m, false, false, plain);
      part(m.recv, m, true, false, plain);
      m.tag = step_.index * kTagsPerStep;
      m.any_source = random_.chance(15);
    }
    if (step_.variant != 1) return;
    // Sendrecv_replace: a rank's two parts are one region of one layout.
    Placer placer(true);
    for (Message& m : step_.messages) {
      m.send.layout = layout;
      m.send.region =
          placer.place(random_, m.send.world, span_of(layout, m.count) * size_of(elem), size_of(elem));
      m.send.release = choose_release(random_, m.send.region.home);
    }
  }

  void everyone() {
    step_.variant = static_cast<int>(random_.below(12));
    step_.bytes = choose_bytes(random_) % 200000;
    step_.root = static_cast<int>(random_.below(group_.members.size()));
    size_t factor = step_.kind == Kind::collective ? group_.members.size() : 1;
    // Two parts for each rank: what goes in, what comes out.
    for (int which = 0; which < 2; ++which)
      for (int world : group_.members) {
        Message m;
        Part p;
        p.world = world;
        m.count = step_.bytes / 8 * 8 * factor;
        part(p, m, which == 1, step_.kind == Kind::window, true);
        if (step_.kind == Kind::collective) p.region = placer_.place(random_, world, m.count, 8);
        p.elements = m.count;
        p.release = choose_release(random_, p.region.home);
        if (step_.kind == Kind::touch && p.touches.empty()) p.touches = {Touch::ascending};
        step_.parts.push_back(p);
      }
    step_.bytes = step_.bytes / 8 * 8;
  }

  const Program& program_;
  Step& step_;
  const Group& group_;
  Random random_;
  Placer placer_;
};

Kind choose_kind(Random& random, bool threaded) {
  struct Weight {
    Kind kind;
    unsigned weight;
  };
  static const std::vector<Weight> weights = {
      {Kind::ordered, 28}, {Kind::posted, 16},      {Kind::eager, 9},        {Kind::wild, 6},
      {Kind::sendrecv, 7}, {Kind::persistent, 4},   {Kind::threads, 8},      {Kind::truncate, 3},
      {Kind::cancel, 2},   {Kind::request_free, 3}, {Kind::causality, 3},    {Kind::collective, 7},
      {Kind::local, 2},    {Kind::touch, 4},        {Kind::null_process, 1}, {Kind::window, 1}};
  uint64_t total = 0;
  for (const Weight& w : weights) total += w.weight;
  uint64_t die = random.below(total);
  for (const Weight& w : weights) {
    if (die < w.weight) return w.kind == Kind::threads && !threaded ? Kind::ordered : w.kind;
    die -= w.weight;
  }
  return Kind::ordered;
}

}  // namespace

bool Group::has(int world) const {
  return std::count(members.begin(), members.end(), world) + std::count(others.begin(), others.end(), world) >
         0;
}

int Group::rank_of(int world) const {
  for (const auto* ranks : {&members, &others}) {
    auto at = std::find(ranks->begin(), ranks->end(), world);
    if (at != ranks->end()) return static_cast<int>(at - ranks->begin());
  }
  return -1;
}

Program generate(uint64_t seed, int ranks, bool threaded, bool one_sided) {
  Program program{seed, ranks, threaded, one_sided, {}, {}};
  Random random(combine(seed, ranks, threaded));
  program.groups = make_groups(random, ranks);
  size_t steps = random.between(6, 22);
  for (size_t i = 0; i < steps; ++i) {
    Step step;
    step.index = static_cast<int>(i);
    step.key = combine(seed, ranks, i);
    Random own(step.key + 1);
    step.kind = choose_kind(own, threaded);
    if (one_sided && i % 2 == 0) step.kind = Kind::window;
    step.group = static_cast<int>(own.below(program.groups.size()));
    bool inter = program.groups[step.group].making == Making::inter;
    bool needs_intra =
        step.kind == Kind::sendrecv || step.kind >= Kind::collective || step.kind == Kind::cancel;
    if (inter && needs_intra) step.group = 0;
    inter = program.groups[step.group].making == Making::inter;
    step.transient = !inter && step.kind <= Kind::eager && own.chance(6);
    Maker(program, step).make();
    program.steps.push_back(std::move(step));
  }
  return program;
}

}  // namespace lapwing::fuzz
