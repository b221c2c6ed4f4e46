// SPDX-License-Identifier: Apache-2.0
#include "sets/check/deadlock.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "sets/check/epochs.hpp"
#include "sets/check/kinds.hpp"
#include "sets/check/pending.hpp"
#include "sets/check/stuck.hpp"
#include "sets/check/waiting.hpp"
#include "sets/packed_values.hpp"
#include "sets/report/report.hpp"
#include "sets/windows/locks.hpp"
#include "transfer/engine.hpp"

namespace lapwing::sets {
namespace {

enum Phase : std::int32_t { where, confirm, claim, explain, phases };

constexpr std::uint64_t millisecond = 1'000'000;

// One attempt of this process' to prove that it waits for ever.
struct Attempt {
  std::uint64_t number = 0;
  bool running = false;
  Phase phase = where;
  std::map<int, Stuck> known;
  std::set<int> asked, open;  ///< whom, and who has not answered in this phase
  std::set<int> suspects;     ///< those that seemed stuck when confirming began
  std::set<int> core;
  std::vector<Account> accounts;
  std::vector<Attended> calls;
  std::uint64_t look_at = 0;    ///< when to see which of those that do not answer have ended
  std::uint64_t report_at = 0;  ///< when those have answered who must
};
Attempt attempt;
std::uint64_t next_try = 0, pause_between = 0;
int granted_to = -1;

void ask(int rank, Phase phase);

void give_up() {
  attempt.running = false;
  const std::uint64_t now = transfer::now_ns();
  pause_between = std::min<std::uint64_t>(pause_between * 2, 3000 * millisecond);
  next_try = now + pause_between;
}

// --- what this process answers ----------------------------------------------

Stuck own_stuck() {
  Stuck stuck;
  const Standing& here = standing();
  stuck.epoch = here.epoch;
  if (!here.wait) return stuck;
  Edges edges;
  here.wait->edges(&edges);
  stuck.waits = !edges.goes_on;
  stuck.clauses = edges.clauses;
  stuck.edges = std::move(edges.list);
  return stuck;
}

// Has this process done what `edge` of `asker`'s waits for, or may it do so
// without anybody's help?
bool is_done(const Edge& edge, int asker) {
  if (edge.kind == Edge::exposes || edge.kind == Edge::completes) return Epochs::is_done(edge, asker);
  if (edge.kind == Edge::releases) return Locks::is_done(edge);
  Circle* circle = Circles::by_id(edge.circle);
  if (edge.kind == Edge::round) return circle && circle->has_sent(edge.a, static_cast<int>(edge.b));
  if (!circle) return false;  // what it does not know yet, it has not used
  const auto at = std::find(circle->peers.begin(), circle->peers.end(), asker);
  if (at == circle->peers.end()) return true;
  const int rank = static_cast<int>(at - circle->peers.begin());
  return edge.kind == Edge::message ? has_sent_more(*circle, rank, edge.a, edge.b)
                                    : has_received(*circle, rank, static_cast<int>(edge.a), edge.b);
}

void write_state(PackedValues* out) {
  const Stuck stuck = own_stuck();
  out->put<std::int32_t>(stuck.waits);
  out->put(stuck.epoch);
  out->put<std::int32_t>(stuck.clauses);
  out->put_all(stuck.edges);
}

void write_confirmation(PackedValues* in, PackedValues* out) {
  const auto epoch = in->get<std::uint64_t>();
  const auto edges = in->get_all<Edge>();
  const auto askers = in->get_all<std::int32_t>();
  const Standing& here = standing();
  bool same = here.wait != nullptr && here.epoch == epoch;
  if (same) {
    Edges own;
    here.wait->edges(&own);
    same = !own.goes_on;
  }
  std::vector<std::int32_t> done(edges.size());
  for (std::size_t i = 0; i < edges.size() && same; ++i) done[i] = is_done(edges[i], askers[i]);
  out->put<std::int32_t>(same);
  out->put_all(done);
}

void write_account(PackedValues* in, PackedValues* out) {
  const auto circles = in->get_all<std::uint64_t>();
  const auto numbers = in->get_all<std::uint64_t>();
  const Standing& here = standing();
  Account account = here.wait ? account_of(*here.wait) : Account{};
  account.rank = Messages::rank();
  out->put_text(account.packed());
  std::vector<std::int32_t> come(circles.size());
  for (std::size_t i = 0; i < circles.size(); ++i) {
    const Circle* circle = Circles::by_id(circles[i]);
    come[i] = circle && circle->calls() > numbers[i];
  }
  out->put_all(come);
}

void reply(Phase phase, int asker, PackedValues* in, PackedValues* out) {
  switch (phase) {
    case where:
      return write_state(out);
    case confirm:
      return write_confirmation(in, out);
    case claim:
      if (granted_to < 0) granted_to = asker;
      return out->put<std::int32_t>(granted_to == asker);
    default:
      return write_account(in, out);
  }
}

// --- what the asker makes of it ------------------------------------------------

void ask_new_targets(const Stuck& stuck) {
  for (const Edge& edge : stuck.edges) {
    if (attempt.asked.insert(edge.peer).second) ask(edge.peer, where);
  }
}

void next_phase(Phase phase, const std::set<int>& whom) {
  attempt.phase = phase;
  attempt.open = whom;
  const std::uint64_t number = attempt.number;
  for (const int rank : whom) {
    if (!attempt.running || attempt.number != number || attempt.phase != phase) return;
    ask(rank, phase);
  }
}

void consider() {
  const std::set<int> stuck = stuck_ones(attempt.known, false);
  if (stuck.count(Messages::rank()) != 0) {
    attempt.suspects = stuck;
    next_phase(confirm, stuck);
  } else if (attempt.open.empty()) {
    give_up();
  }
}

// One that lives says who reports: the same for all that have come to the same proof.
int judge() {
  const auto lives = [](int rank) { return !Messages::board() || !Messages::board()->has_ended(rank); };
  const auto found = std::find_if(attempt.core.begin(), attempt.core.end(), lives);
  if (found != attempt.core.end()) return *found;
  return *std::find_if(attempt.suspects.begin(), attempt.suspects.end(), lives);
}

void prove() {
  const std::set<int> stuck = stuck_ones(attempt.known, true);
  if (stuck.count(Messages::rank()) == 0) return give_up();
  attempt.core = core_of(attempt.known, stuck);
  attempt.suspects = stuck;
  for (const int rank : stuck) {
    for (const Edge& edge : attempt.known[rank].edges) {
      const auto same = [&](const Attended& call) {
        return call.circle == edge.circle && call.number == edge.a;
      };
      if (edge.kind == Edge::round && std::none_of(attempt.calls.begin(), attempt.calls.end(), same))
        attempt.calls.push_back({edge.circle, edge.a, {}});
    }
  }
  next_phase(claim, {judge()});
}

// Those that are stuck, and the other members of what they wait in.
std::set<int> witnesses() {
  std::set<int> whom = attempt.suspects;
  for (const Attended& call : attempt.calls) {
    if (const Circle* circle = Circles::by_id(call.circle))
      whom.insert(circle->members.begin(), circle->members.end());
  }
  return whom;
}

void take_answer(Phase phase, int from, PackedValues* in) {
  attempt.open.erase(from);
  switch (phase) {
    case where: {
      Stuck stuck;
      stuck.waits = in->get<std::int32_t>() != 0;
      stuck.epoch = in->get<std::uint64_t>();
      stuck.clauses = in->get<std::int32_t>();
      stuck.edges = in->get_all<Edge>();
      attempt.known[from] = stuck;
      if (stuck.waits) ask_new_targets(stuck);
      if (attempt.running && attempt.phase == where) consider();
      return;
    }
    case confirm: {
      const bool same = in->get<std::int32_t>() != 0;
      const auto done = in->get_all<std::int32_t>();
      if (!same) return give_up();
      std::size_t i = 0;
      for (const int rank : attempt.suspects) {
        for (Edge& edge : attempt.known[rank].edges) {
          if (edge.peer == from && i < done.size()) edge.unused = done[i++];
        }
      }
      if (attempt.open.empty()) prove();
      return;
    }
    case claim:
      if (in->get<std::int32_t>() == 0) {
        give_up();
        next_try += 10'000 * millisecond;  // another process is reporting
        return;
      }
      return next_phase(explain, witnesses());
    default: {
      const std::string text = in->get_text();
      Account account = Account::unpacked(text.data(), text.size());
      const auto come = in->get_all<std::int32_t>();
      for (std::size_t i = 0; i < come.size() && i < attempt.calls.size(); ++i) {
        if (come[i]) attempt.calls[i].come.insert(from);
      }
      attempt.accounts.push_back(std::move(account));
      if (attempt.open.empty()) report_deadlock(attempt.accounts, attempt.core, attempt.calls);
      // Of the others some may compute: they are given a moment to say where they are.
      if (std::none_of(attempt.open.begin(), attempt.open.end(),
                       [](int rank) { return attempt.suspects.count(rank) != 0; }) &&
          attempt.report_at == 0)
        attempt.report_at = transfer::now_ns() + 300 * millisecond;
      return;
    }
  }
}

void ask(int rank, Phase phase) {
  attempt.open.insert(rank);
  PackedValues question;
  question.put(attempt.number);
  question.put<std::int32_t>(phase);
  if (phase == confirm) {
    std::vector<Edge> edges;
    std::vector<std::int32_t> askers;
    for (const int waiting : attempt.suspects) {
      for (const Edge& edge : attempt.known[waiting].edges) {
        if (edge.peer != rank) continue;
        edges.push_back(edge);
        askers.push_back(waiting);
      }
    }
    question.put(attempt.known[rank].epoch);
    question.put_all(edges);
    question.put_all(askers);
  } else if (phase == explain) {
    std::vector<std::uint64_t> circles, numbers;
    for (const Attended& call : attempt.calls) {
      circles.push_back(call.circle);
      numbers.push_back(call.number);
    }
    question.put_all(circles);
    question.put_all(numbers);
  }
  Messages::send(rank, question_kind, question.data(), question.size());
}

void on_question(int source, const char* data, std::size_t size) {
  PackedValues in(data, size), out;
  const auto number = in.get<std::uint64_t>();
  const auto phase = in.get<std::int32_t>();
  out.put(number);
  out.put(phase);
  reply(static_cast<Phase>(phase), source, &in, &out);
  Messages::send(source, answer_kind, out.data(), out.size());
}

void on_answer(int source, const char* data, std::size_t size) {
  PackedValues in(data, size);
  const auto number = in.get<std::uint64_t>();
  const auto phase = in.get<std::int32_t>();
  if (!attempt.running || attempt.number != number || attempt.phase != phase) return;
  take_answer(static_cast<Phase>(phase), source, &in);
}

// A process that has ended waits for ever and says nothing; its messages are here by now.
void answer_for(int rank) {
  PackedValues out;
  switch (attempt.phase) {
    case where:
      out.put<std::int32_t>(1);
      out.put<std::uint64_t>(0);
      out.put<std::int32_t>(1);
      out.put_all(std::vector<Edge>());
      break;
    case confirm: {
      out.put<std::int32_t>(1);
      std::size_t edges = 0;
      for (const int waiting : attempt.suspects) {
        for (const Edge& edge : attempt.known[waiting].edges) edges += edge.peer == rank ? 1u : 0u;
      }
      out.put_all(std::vector<std::int32_t>(edges));
      break;
    }
    case claim:
      out.put<std::int32_t>(1);
      break;
    default: {
      Account account;
      account.rank = rank;
      account.call = "exit";
      account.ended = true;
      out.put_text(account.packed());
      out.put_all(std::vector<std::int32_t>(attempt.calls.size()));
    }
  }
  PackedValues in(out.data(), out.size());
  take_answer(attempt.phase, rank, &in);
}

void look_for_ended(std::uint64_t now) {
  if (!attempt.running || !Messages::board() || now < attempt.look_at) return;
  const bool first = attempt.look_at == 0;
  attempt.look_at = now + 300 * millisecond;
  if (first) return;
  const std::set<int> open = attempt.open;
  const std::uint64_t number = attempt.number;
  const Phase phase = attempt.phase;
  for (const int rank : open) {
    if (!attempt.running || attempt.number != number || attempt.phase != phase) return;
    if (attempt.open.count(rank) != 0 && Messages::board()->has_ended(rank)) answer_for(rank);
  }
}

}  // namespace

void Deadlock::start(bool provable) {
  provable_ = provable;
  Messages::on(question_kind, on_question);
  Messages::on(answer_kind, on_answer);
}

void Deadlock::look(std::uint64_t begun, std::uint64_t now) {
  if (attempt.running && attempt.report_at != 0 && now > attempt.report_at) {
    attempt.report_at = ~std::uint64_t{0};
    report_deadlock(attempt.accounts, attempt.core, attempt.calls);
  }
  look_for_ended(now);
  if (attempt.running) return;
  if (next_try < begun) {
    pause_between = 200 * millisecond;
    // The first to ask usually proves it for all.
    next_try = begun + pause_between + static_cast<std::uint64_t>(Messages::rank() % 32) * 3 * millisecond;
  }
  if (now < next_try) return;
  const std::uint64_t number = attempt.number + 1;
  attempt = Attempt{};
  attempt.number = number;
  attempt.running = true;
  const int me = Messages::rank();
  attempt.known[me] = own_stuck();
  attempt.asked.insert(me);
  if (!attempt.known[me].waits) return give_up();
  const Stuck own = attempt.known[me];
  ask_new_targets(own);
  if (attempt.running && attempt.phase == where) consider();
}

void Deadlock::forget() {
  attempt.running = false;
  next_try = 0;
}

}  // namespace lapwing::sets
