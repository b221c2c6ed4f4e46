// SPDX-License-Identifier: Apache-2.0
// Declared communication against a sequential program.
//
// A random program is a list of statements (sends, broadcasts, reductions, uses
// and definitions) that one simulator carries out in order. Each process gets its
// part of the list. The automata then run it with all orders of arrival that
// chance finds, and every use must see the value that the list demands.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "sets/declared/automata.hpp"
#include "sets/declared/tree.hpp"
#include "support/case_counts.hpp"

namespace lapwing::sets::declared {
namespace {

// Composition of x -> a x + b modulo a prime: associative, and does not commute.
struct Value {
  std::uint64_t a = 1, b = 0;
  bool operator==(const Value&) const = default;
};
constexpr std::uint64_t prime = 1000003;
Value operator*(const Value& f, const Value& g) { return {f.a * g.a % prime, (f.a * g.b + f.b) % prime}; }

struct Statement {
  enum What { define, use, send, receive, broadcast, reduction } what;
  int variable = 0, target = 0, peer = 0, tag = 0;  // peer: partner or root
  Value value;                                      // defined, or expected
  bool commutes = false;
};

struct Plan : Declaration {
  Value *from = nullptr, *to = nullptr, *variable = nullptr;
  Value copy, result;
  const Value* source = nullptr;
  std::map<const Leg*, Value> operands;
  bool copied = false;
};

class Process;

struct Message {
  enum What { announce, bytes, inquire, refuse } what;
  Key key;
  Terms terms;
  Value value;
};

struct Net {
  std::vector<Process*> processes;
  std::map<std::pair<int, int>, std::deque<Message>> queues;
  std::mt19937 random;
  std::size_t copies_allowed = 1000000;
};

class Process : public World {
 public:
  Process(Net& net, int rank, int variables) : net_(net), rank_(rank), memory(variables), automata(*this) {}

  void announce(Declaration& declaration, Leg& leg) override {
    net_.queues[{rank_, leg.key.peer}].push_back({Message::announce, leg.key, declaration.terms, {}});
  }
  void move(Declaration& declaration, Leg& leg) override { moves_.push_back({&declaration, leg.key, false}); }
  bool copy(Declaration& declaration) override {
    Plan& plan = static_cast<Plan&>(declaration);
    if (copies_ == net_.copies_allowed) return false;
    ++copies_;
    plan.copied = true;
    plan.copy = *plan.from;
    if (plan.source == plan.from) plan.source = &plan.copy;
    plan.from = &plan.copy;
    return true;
  }
  void combine(Declaration& declaration, Leg* leg) override {
    Plan& plan = static_cast<Plan&>(declaration);
    const Value& operand = leg ? plan.operands.at(leg) : *plan.from;
    if (!plan.source) {
      plan.source = &operand;
    } else {
      plan.result = *plan.source * operand;
      plan.source = &plan.result;
    }
  }
  void deliver(Declaration& declaration) override {
    Plan& plan = static_cast<Plan&>(declaration);
    *plan.to = *plan.source;
  }
  void ended(Declaration& declaration) override {
    if (static_cast<Plan&>(declaration).copied) --copies_;
    ++done;
  }
  void differs(const Declaration*, const Key&, const Terms&) override { ADD_FAILURE() << "terms differ"; }
  // Here only because the inquiry was overtaken: nobody may believe it.
  void refuse(const Key& key, bool) override {
    net_.queues[{rank_, key.peer}].push_back({Message::refuse, key, {}, {}});
  }

  void inquire() {
    for (const Key& key : automata.unanswered())
      net_.queues[{rank_, key.peer}].push_back({Message::inquire, key, {}, {}});
  }

  // A move takes any time; its bytes are read late, so that a value overwritten
  // too early is seen. They may arrive before it is known here that they left.
  bool finish_a_move() {
    if (moves_.empty()) return false;
    const std::size_t which = net_.random() % moves_.size();
    const auto [declaration, key, sent] = moves_[which];
    const auto [owner, leg] = automata.outgoing(key);
    EXPECT_EQ(owner, declaration);
    if (!sent) send_bytes(*declaration, key, *leg);
    moves_[which].sent = true;
    if (!sent && net_.random() % 2 == 0) return true;
    moves_.erase(moves_.begin() + static_cast<std::ptrdiff_t>(which));
    automata.finished(*declaration, *leg);
    return true;
  }

  void send_bytes(Declaration& declaration, const Key& key, const Leg& leg) {
    Plan& plan = static_cast<Plan&>(declaration);
    // What began from the variable is read from there, copied or not.
    const Value value = leg.from_variable && plan.kind != Kind::reduction ? *plan.variable
                        : plan.source                                     ? *plan.source
                                                                          : *plan.from;
    net_.queues[{rank_, key.peer}].push_back({Message::bytes, key, {}, value});
  }

  void arrive(int source, Message message) {
    message.key.peer = source;
    if (message.what == Message::announce) return automata.announced(message.key, message.terms, 0);
    if (message.what == Message::inquire) return automata.inquired(message.key);
    if (message.what == Message::refuse) {
      ASSERT_EQ(automata.refused(message.key, true), nullptr) << "what will happen was given up";
      return;
    }
    const auto [declaration, leg] = automata.incoming(message.key);
    ASSERT_NE(declaration, nullptr);
    Plan& plan = static_cast<Plan&>(*declaration);
    if (plan.kind == Kind::reduction)
      plan.operands[leg] = message.value;
    else
      *plan.to = message.value;
    automata.finished(*declaration, *leg);
  }

  // One statement, if it need not wait. False: it must.
  bool step() {
    if (next_ == program.size()) return false;
    const Statement& statement = program[next_];
    Value& variable = memory[static_cast<std::size_t>(statement.variable)];
    if (statement.what == Statement::define) {
      if (!automata.definable(range(variable))) return false;
      variable = statement.value;
    } else if (statement.what == Statement::use) {
      if (!automata.usable(range(variable))) return false;
      EXPECT_EQ(variable, statement.value) << "rank " << rank_ << " statement " << next_;
    } else {
      declare(statement);
    }
    ++next_;
    return true;
  }
  bool ended() const { return next_ == program.size() && automata.pending_count() == 0; }

 private:
  static Range range(const Value& value) {
    const auto begin = reinterpret_cast<std::uintptr_t>(&value);
    return {begin, begin + sizeof value};
  }

  void declare(const Statement& statement) {
    auto plan = std::make_unique<Plan>();
    Value& variable = memory[static_cast<std::size_t>(statement.variable)];
    Value& target = memory[static_cast<std::size_t>(statement.target)];
    const int size = static_cast<int>(net_.processes.size());
    plan->terms = {sizeof(Value), -1, Kind::send};
    plan->from = plan->to = plan->variable = &variable;
    const auto leg = [&](int peer, bool outgoing) {
      const bool collective = statement.what >= Statement::broadcast;
      Key key{1, peer, collective ? 0 : statement.tag, 0, collective};
      key.number = collective ? collectives_ : channels_[{peer, statement.tag, outgoing}]++;
      plan->legs.push_back({key, outgoing});
    };
    if (statement.what == Statement::send) {
      leg(statement.peer, true);
      plan->reads = range(variable);
    } else if (statement.what == Statement::receive) {
      plan->kind = Kind::receive;
      leg(statement.peer, false);
      plan->writes = range(variable);
    } else if (statement.what == Statement::broadcast) {
      plan->kind = Kind::broadcast;
      const Neighbours around = tree(rank_, size, statement.peer);
      if (around.parent >= 0) leg(around.parent, false), plan->writes = range(variable);
      for (const int child : around.children) leg(child, true);
      if (!around.children.empty()) plan->reads = range(variable);
    } else {
      plan->kind = Kind::reduction;
      plan->reads = range(variable);
      plan->to = &target;
      if (rank_ == statement.peer) plan->writes = range(target);
      if (statement.commutes) {
        const Neighbours around = tree(rank_, size, statement.peer);
        for (const int child : around.children) leg(child, false);
        if (around.parent >= 0) leg(around.parent, true);
      } else if (rank_ == statement.peer) {
        plan->own = static_cast<std::size_t>(rank_);
        for (int other = 0; other < size; ++other)
          if (other != rank_) leg(other, false);
      } else {
        leg(statement.peer, true);
      }
    }
    if (statement.what >= Statement::broadcast) {
      plan->terms.kind = plan->kind;
      plan->terms.root = statement.peer;
      ++collectives_;
    }
    automata.declare(std::move(plan));
  }

  Net& net_;
  int rank_;
  std::size_t next_ = 0, copies_ = 0;
  std::uint32_t collectives_ = 0;
  std::map<std::tuple<int, int, bool>, std::uint32_t> channels_;
  struct Move {
    Declaration* declaration;
    Key key;
    bool sent;
  };
  std::vector<Move> moves_;

 public:
  std::vector<Value> memory;
  std::vector<Statement> program;
  Automata automata;
  int done = 0;
};

// Gives each process its part of a sequential program, with what its uses must see.
void generate(Net& net, int variables, int statements) {
  const int size = static_cast<int>(net.processes.size());
  const auto any = [&](int below) { return static_cast<int>(net.random() % static_cast<unsigned>(below)); };
  std::vector<std::vector<Value>> memory(static_cast<std::size_t>(size),
                                         std::vector<Value>(static_cast<std::size_t>(variables)));
  const auto at = [&](int rank, int variable) -> Value& {
    return memory[static_cast<std::size_t>(rank)][static_cast<std::size_t>(variable)];
  };
  const auto give = [&](int rank, Statement statement) {
    net.processes[static_cast<std::size_t>(rank)]->program.push_back(statement);
  };
  for (int i = 0; i < statements; ++i) {
    const int rank = any(size), variable = any(variables), other = any(size), target = any(variables);
    const int what = any(10);
    if (what < 2) {
      at(rank, variable) = {1 + net.random() % (prime - 1), net.random() % prime};
      give(rank, {Statement::define, variable, 0, 0, 0, at(rank, variable)});
    } else if (what < 4) {
      give(rank, {Statement::use, variable, 0, 0, 0, at(rank, variable)});
    } else if (what < 8) {
      const int tag = any(2);
      give(rank, {Statement::send, variable, 0, other, tag, {}});
      give(other, {Statement::receive, target, 0, rank, tag, {}});
      at(other, target) = at(rank, variable);
    } else if (what == 8) {
      for (int r = 0; r < size; ++r) {
        give(r, {Statement::broadcast, variable, 0, rank, 0, {}});
        at(r, variable) = at(rank, variable);
      }
    } else {
      // The tree starts at the root, so a rotated order is what "commutes" means here.
      const bool commutes = any(2) == 0;
      Value result;
      for (int r = 0; r < size; ++r) result = result * at(commutes ? (r + rank) % size : r, variable);
      for (int r = 0; r < size; ++r) {
        Statement statement{Statement::reduction, variable, target, rank, 0, {}};
        statement.commutes = commutes;
        give(r, statement);
      }
      at(rank, target) = result;
    }
  }
  for (int r = 0; r < size; ++r)
    for (int v = 0; v < variables; ++v) give(r, {Statement::use, v, 0, 0, 0, at(r, v)});
}

// One scheduling choice after the other until nothing can happen any more.
void run(Net& net) {
  const std::size_t size = net.processes.size();
  int inquiries = 20;                               // some programs stand still, and would ask for ever
  const unsigned eagerness = 1 + net.random() % 4;  // how far programs run ahead of messages
  for (std::size_t idle = 0; idle < 40 * size;) {
    bool moved = false;
    Process& process = *net.processes[net.random() % size];
    switch (net.random() % (2 + eagerness)) {
      case 0: {
        const int to = static_cast<int>(net.random() % size), from = static_cast<int>(net.random() % size);
        auto& queue = net.queues[{from, to}];
        if (!queue.empty()) {
          // Bytes may overtake and be overtaken; all other messages keep their order.
          std::size_t which = net.random() % queue.size();
          if (queue[which].what != Message::bytes)
            for (std::size_t i = which; i-- > 0;)
              if (queue[i].what != Message::bytes) which = i;
          const Message message = queue[which];
          queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(which));
          net.processes[static_cast<std::size_t>(to)]->arrive(from, message);
          moved = true;
        }
        break;
      }
      case 1:
        if (inquiries > 0 && net.random() % 8 == 0) --inquiries, process.inquire();
        moved = process.finish_a_move();
        break;
      default:
        moved = process.step();
    }
    idle = moved ? 0 : idle + 1;
    if (idle < 40 * size) continue;
    // Chance may have missed something: ask everybody once.
    for (auto& [pair, queue] : net.queues)
      if (!queue.empty()) idle = 0;
    for (Process* p : net.processes)
      if (p->finish_a_move() || p->step()) idle = 0;
  }
}

class Model : public testing::TestWithParam<int> {};

TEST_P(Model, EveryUseSeesTheVersionOfProgramOrder) {
  for (unsigned seed = 0; seed < random_cases(1500); ++seed) {
    Net net;
    net.random.seed(seed * 16 + static_cast<unsigned>(GetParam()));
    const int variables = 1 + static_cast<int>(net.random() % 4);
    std::vector<std::unique_ptr<Process>> owned;
    for (int r = 0; r < GetParam(); ++r) owned.push_back(std::make_unique<Process>(net, r, variables));
    for (auto& process : owned) net.processes.push_back(process.get());
    generate(net, variables, 10 + static_cast<int>(net.random() % 60));
    run(net);
    for (auto& process : owned) ASSERT_TRUE(process->ended()) << "seed " << seed << " stands still";
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

// Without room for copies some programs cannot end; what does end is still right.
TEST_P(Model, WithoutRoomForCopiesNothingIsWrong) {
  int ended = 0;
  for (unsigned seed = 0; seed < random_cases(300); ++seed) {
    Net net;
    net.copies_allowed = seed % 3;
    net.random.seed(seed * 16 + static_cast<unsigned>(GetParam()));
    std::vector<std::unique_ptr<Process>> owned;
    for (int r = 0; r < GetParam(); ++r) owned.push_back(std::make_unique<Process>(net, r, 3));
    for (auto& process : owned) net.processes.push_back(process.get());
    generate(net, 3, 30);
    run(net);
    bool all = true;
    for (auto& process : owned) all = all && process->ended();
    ended += all;
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(ended, 0);
}

INSTANTIATE_TEST_SUITE_P(Processes, Model, testing::Values(1, 2, 3, 4, 7, 8));

}  // namespace
}  // namespace lapwing::sets::declared
