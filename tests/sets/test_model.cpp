// SPDX-License-Identifier: Apache-2.0
// Ten thousand random programs, run by several processes that take their own
// ways, over a network that delivers in any order. What each believes its set to
// be at a collective is compared with a plain look at where everybody went.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>

#include "sets/graphs.hpp"
#include "sets/open_splits.hpp"
#include "sets/votes/votes.hpp"
#include "support/case_counts.hpp"

namespace {

using lapwing::from_environment;
using lapwing::random_cases;
using namespace lapwing::sets;
using model::below;
using model::Block;
using model::Function;
using model::Random;

struct Step {
  enum Kind { enter, block, collective, branch, leave } kind;
  int function, at, way;
  bool operator==(const Step&) const = default;
};

/// The way of one process, chosen before anybody runs.
class Walk {
 public:
  Walk(Random& random, const std::vector<Function>& functions) : random_(random), functions_(functions) {
    run(0, 0);
  }
  std::vector<Step> steps;

 private:
  void run(int f, int depth) {
    const Function& function = functions_[static_cast<std::size_t>(f)];
    steps.push_back({Step::enter, f, 0, 0});
    std::vector<int> visits(function.blocks().size());
    for (int b = 0;;) {
      steps.push_back({Step::block, f, b, 0});
      const Block& block = function.blocks()[static_cast<std::size_t>(b)];
      if (block.kind == Block::collective) steps.push_back({Step::collective, f, b, 0});
      if (block.kind == Block::call && depth < 2) run(block.callee, depth + 1);
      if (block.next.empty()) break;
      const int ways = static_cast<int>(block.next.size());
      const bool tired = ++visits[static_cast<std::size_t>(b)] > 3 || steps.size() > 400;
      const int way = tired ? block.way_out : below(random_, ways);
      if (ways > 1) steps.push_back({Step::branch, f, b, way});
      b = block.next[static_cast<std::size_t>(way)];
    }
    steps.push_back({Step::leave, f, 0, 0});
  }

  Random& random_;
  const std::vector<Function>& functions_;
};

/// From a branch on: the next arrival at block `target` (or at the end) in the
/// same activation.
std::size_t arrival(const std::vector<Step>& steps, std::size_t from, int target) {
  int depth = 0;
  for (std::size_t i = from; i < steps.size(); ++i) {
    if (depth == 0 && steps[i].kind == Step::leave) return i;
    if (depth == 0 && steps[i].kind == Step::block && steps[i].at == target) return i;
    if (steps[i].kind == Step::enter) ++depth;
    if (steps[i].kind == Step::leave) --depth;
  }
  return steps.size();
}

/// Which collective of `a` is one with which of `b`: two processes are together
/// until they take different branches, and again where these branches meet.
std::map<std::size_t, std::size_t> meetings(const std::vector<Function>& functions,
                                            const std::vector<Step>& a, const std::vector<Step>& b) {
  std::map<std::size_t, std::size_t> together;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] == b[j]) {
      if (a[i].kind == Step::collective) together[i] = j;
      ++i, ++j;
      continue;
    }
    EXPECT_EQ(a[i].kind, Step::branch);
    EXPECT_EQ(a[i].at, b[j].at);
    const Function& f = functions[static_cast<std::size_t>(a[i].function)];
    const auto& next = f.blocks()[static_cast<std::size_t>(a[i].at)].next;
    const int target =
        f.meet(next[static_cast<std::size_t>(a[i].way)], next[static_cast<std::size_t>(b[j].way)]);
    i = arrival(a, i + 1, target);
    j = arrival(b, j + 1, target);
  }
  return together;
}

struct Process;

struct Network {
  struct Letter {
    int to;
    std::string bytes;
  };
  std::vector<Letter> letters;
};

struct Process {
  Process(int me, int processes, const std::vector<Function>& program, std::vector<Step> way,
          Network& network)
      : functions(program),
        steps(std::move(way)),
        table(processes, me),
        stack(table.all()),
        votes([&network](std::uint64_t, const Set& set, int position, const void* data, std::size_t size) {
          network.letters.push_back(
              {set.members().rank(position), std::string(static_cast<const char*>(data), size)});
        }) {}

  void start_what_can() {
    while (!waiting.empty()) {
      auto& ballot = waiting.front();
      Set* voters = ballot->from.get();
      if (!voters) return;
      ballot->voters = voters;
      votes.start(7, *ballot);
      waiting.pop_front();
    }
  }
  void arrived(const std::string& bytes) {
    votes.arrived(bytes.data(), bytes.size());
    start_what_can();
  }
  bool done() const { return at == steps.size(); }

  /// One step; false where it has to wait.
  bool step() {
    const Step& s = steps[at];
    const Function& f = functions[static_cast<std::size_t>(s.function)];
    switch (s.kind) {
      case Step::enter:
        ++frame.depth;
        break;
      case Step::leave:
        stack.leave(frame);
        --frame.depth;
        break;
      case Step::block:
        if (f.is_merge(s.at)) stack.merge(frame, f.head_of(s.at));
        break;
      case Step::branch:
        if (const model::Split* split = f.split_at(s.at)) {
          waiting.emplace_back(&stack.split(frame, split->site, s.way));
          start_what_can();
        }
        break;
      case Step::collective:
        inside = stack.current().get();
        return false;
    }
    ++at;
    return true;
  }

  const std::vector<Function>& functions;
  std::vector<Step> steps;
  SetTable table;
  Stack stack;
  Votes votes;
  std::deque<BallotRef> waiting;
  Frame frame;
  std::size_t at = 0;
  Set* inside = nullptr;  ///< of the collective that it has reached
};

void run_graph(std::uint64_t seed) {
  Random random(seed);
  const bool structured = random() % 3 != 0;
  const int count = 1 + below(random, 3), processes = 2 + below(random, 7);
  std::vector<Function> functions;
  for (int f = 0; f < count; ++f) functions.emplace_back(random, count, structured);
  std::vector<std::vector<Step>> ways;
  for (int p = 0; p < processes; ++p) ways.push_back(Walk(random, functions).steps);
  // expected[p][i]: who is with p at its step i.
  std::vector<std::map<std::size_t, Membership>> expected(ways.size());
  for (std::size_t p = 0; p < ways.size(); ++p) {
    for (std::size_t i = 0; i < ways[p].size(); ++i) {
      if (ways[p][i].kind == Step::collective)
        expected[p].emplace(i, Membership(processes, false)).first->second.add(static_cast<int>(p));
    }
    for (std::size_t q = 0; q < ways.size(); ++q) {
      if (p == q) continue;
      for (const auto& [i, j] : meetings(functions, ways[p], ways[q]))
        expected[p].at(i).add(static_cast<int>(q));
    }
  }
  Network network;
  std::vector<std::unique_ptr<Process>> all;
  for (int p = 0; p < processes; ++p)
    all.push_back(
        std::make_unique<Process>(p, processes, functions, ways[static_cast<std::size_t>(p)], network));

  const int eagerness = 1 + below(random, 20);  // of the network
  for (int stuck = 0;;) {
    const bool finished = std::all_of(all.begin(), all.end(), [](const auto& p) { return p->done(); });
    if (finished && network.letters.empty()) break;
    if (!network.letters.empty() && (finished || stuck > 0 || below(random, 20) < eagerness)) {
      const auto pick = static_cast<std::size_t>(below(random, static_cast<int>(network.letters.size())));
      Network::Letter letter = std::move(network.letters[pick]);
      network.letters.erase(network.letters.begin() + static_cast<std::ptrdiff_t>(pick));
      all[static_cast<std::size_t>(letter.to)]->arrived(letter.bytes);
      stuck = 0;
      continue;
    }
    const int first = below(random, processes);
    bool moved = false;
    for (int k = 0; k < processes && !moved; ++k) {
      Process& p = *all[static_cast<std::size_t>((first + k) % processes)];
      if (!p.done()) moved = p.step();
    }
    // A collective ends once all of its set have come.
    for (auto& p : all) {
      if (p->done() || !p->inside) continue;
      const Membership members = p->inside->members();
      bool here = true;
      for (const int m : members.members()) {
        const auto& other = all[static_cast<std::size_t>(m)];
        here = here && !other->done() && other->inside && other->inside->members() == members;
      }
      if (!here) continue;
      for (const int m : members.members()) {
        Process& other = *all[static_cast<std::size_t>(m)];
        ASSERT_EQ(members, expected[static_cast<std::size_t>(m)].at(other.at))
            << "seed " << seed << ", process " << m << ", step " << other.at;
        other.inside = nullptr;
        ++other.at;
      }
      moved = true;
    }
    stuck = moved ? 0 : stuck + 1;
    ASSERT_FALSE(stuck > 1 && network.letters.empty()) << "nobody can go on; seed " << seed;
  }
  for (const auto& p : all) {
    EXPECT_FALSE(p->stack.divided()) << "seed " << seed;
    EXPECT_EQ(p->votes.open(), 0u) << "seed " << seed;
    EXPECT_EQ(p->votes.owed(), 0) << "seed " << seed;
    EXPECT_TRUE(p->waiting.empty()) << "seed " << seed;
  }
}

TEST(Model, RandomPrograms) {
  const std::int64_t graphs = from_environment("LAPWING_TEST_GRAPHS", random_cases(10000));
  for (std::int64_t seed = 1; seed <= graphs; ++seed) {
    run_graph(static_cast<std::uint64_t>(seed));
    if (HasFailure()) FAIL() << "graph " << seed;
  }
}

}  // namespace
