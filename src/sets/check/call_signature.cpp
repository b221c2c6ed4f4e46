// SPDX-License-Identifier: Apache-2.0
#include "sets/check/call_signature.hpp"

#include <cstring>
#include <iterator>

#include "sets/check/type_signature.hpp"

namespace lapwing::sets {
namespace {

using Field = Signature::Field;

struct KnownOp {
  MPI_Op op;
  const char* name;
};
const KnownOp known_ops[] = {
    {MPI_SUM, "MPI_SUM"},         {MPI_MAX, "MPI_MAX"},       {MPI_MIN, "MPI_MIN"},
    {MPI_PROD, "MPI_PROD"},       {MPI_LAND, "MPI_LAND"},     {MPI_LOR, "MPI_LOR"},
    {MPI_LXOR, "MPI_LXOR"},       {MPI_BAND, "MPI_BAND"},     {MPI_BOR, "MPI_BOR"},
    {MPI_BXOR, "MPI_BXOR"},       {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"},
    {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"}};

// Functions of the program's have no name that processes could compare.
std::size_t op_index(MPI_Op op) {
  std::size_t i = 0;
  while (i < std::size(known_ops) && known_ops[i].op != op) ++i;
  return i;
}

bool in_place(const Data& data) { return data.given && data.buffer == MPI_IN_PLACE; }

std::uint64_t block(const Data& data, int process = 0) {
  return signature_of(data.count(process), data.type(process)).value();
}

// The part of this process in a call with a root.
enum class Part { root, other, none };

Part part_of(const GroupCall& call, const Circle& circle) {
  if (!circle.inter) return call.root == circle.me ? Part::root : Part::other;
  if (call.root == MPI_ROOT) return Part::root;
  return call.root == MPI_PROC_NULL ? Part::none : Part::other;
}

void say_root(const GroupCall& call, const Circle& circle, Signature* s) {
  if (!call.has_root) return;
  if (!circle.inter || call.operation == Operation::intercomm_create) {
    s->say(Field::root, static_cast<std::uint32_t>(call.root) + std::uint64_t{1});
    return;
  }
  int world = -1;
  if (call.root == MPI_ROOT) {
    world = circle.members[static_cast<std::size_t>(circle.me)];
  } else if (call.root >= 0 && static_cast<std::size_t>(call.root) < circle.peers.size()) {
    world = circle.peers[static_cast<std::size_t>(call.root)];
  }
  if (world >= 0) s->say(Field::root, static_cast<std::uint64_t>(world) + 1);
}

void say_reduced(const GroupCall& call, Signature* s) {
  s->say(Field::data, block(in_place(call.send) ? call.receive : call.send));
}

void say_exchanged(const GroupCall& call, const Circle& circle, Signature* s) {
  // Between two groups each direction has an amount of its own.
  const Field out = circle.inter && !circle.first_side ? Field::reverse : Field::data;
  const Field in = circle.inter && circle.first_side ? Field::reverse : Field::data;
  if (!in_place(call.send)) s->say(out, block(call.send));
  s->say(in, block(call.receive));
}

void say_all_blocks(const GroupCall& call, const Circle& circle, Signature* s) {
  if (circle.inter) return;
  const Data& whole = call.receive.counts ? call.receive : call.send;
  std::uint64_t folded = 1;
  for (int i = 0; i < circle.size(); ++i) folded = mixed(folded, block(whole, i));
  s->say(Field::data, folded);
  if (call.operation == Operation::allgatherv && !in_place(call.send) &&
      block(call.send) != block(call.receive, circle.me)) {
    s->wrong |= 1u << Field::data;
  }
}

// In these only the root's data may be in place.
void say_in_place(const GroupCall& call, const Circle& circle, Part part, Signature* s) {
  if (circle.inter || part != Part::other) return;
  const bool sends = call.operation == Operation::reduce || call.operation == Operation::gather ||
                     call.operation == Operation::gatherv;
  const bool receives = call.operation == Operation::scatter || call.operation == Operation::scatterv;
  if ((sends && in_place(call.send)) || (receives && in_place(call.receive)))
    s->wrong |= 1u << Field::in_place;
}

void say_data(const GroupCall& call, const Circle& circle, Signature* s) {
  const Part part = call.has_root ? part_of(call, circle) : Part::none;
  say_in_place(call, circle, part, s);
  switch (call.operation) {
    case Operation::bcast:
      if (part != Part::none || !circle.inter) s->say(Field::data, block(call.send));
      break;
    case Operation::reduce:
      if (circle.inter && part == Part::root) {
        s->say(Field::data, block(call.receive));
      } else if (part != Part::none) {
        say_reduced(call, s);
      }
      break;
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
      say_reduced(call, s);
      break;
    case Operation::gather:
      if (part == Part::root) s->say(Field::data, block(call.receive));
      if (part == Part::other || (part == Part::root && !circle.inter && !in_place(call.send)))
        s->say(Field::data, block(call.send));
      break;
    case Operation::scatter:
      if (part == Part::root) s->say(Field::data, block(call.send));
      if (part == Part::other || (part == Part::root && !circle.inter && !in_place(call.receive)))
        s->say(Field::data, block(call.receive));
      break;
    case Operation::allgather:
      say_exchanged(call, circle, s);
      break;
    case Operation::alltoall:
      say_exchanged(call, circle, s);
      s->say(Field::in_place, in_place(call.send) ? 2 : 1);
      break;
    case Operation::alltoallv:
    case Operation::alltoallw:
      s->say(Field::in_place, in_place(call.send) ? 2 : 1);
      break;
    case Operation::allgatherv:
    case Operation::reduce_scatter:
      say_all_blocks(call, circle, s);
      break;
    case Operation::reduce_scatter_block:
      if (!circle.inter) s->say(Field::data, block(call.receive));
      break;
    default:
      break;
  }
}

void send_blocks(const Data& data, int to, bool each, Blocks* blocks) {
  Amount amount{};
  amount.value = block(data, each ? to : 0);
  amount.count = data.count(each ? to : 0);
  amount.to = to;
  std::strncpy(amount.type, type_name(data.type(each ? to : 0)), sizeof amount.type - 1);
  blocks->outgoing.push_back(amount);
}

// ROMIO and OMPIO carry out both in the same way, and libraries rely on it: PnetCDF writes at an offset where
// it has something to write, and nothing by the file pointer elsewhere.
Operation matched_as(Operation operation) {
  if (operation == Operation::file_read_at_all) return Operation::file_read_all;
  if (operation == Operation::file_write_at_all) return Operation::file_write_all;
  return operation;
}

}  // namespace

Signature call_signature(const GroupCall& call, const Circle& circle) {
  Signature s;
  s.say(Field::operation, mixed(static_cast<std::uint64_t>(matched_as(call.operation)) + 1,
                                static_cast<std::uint64_t>(call.way)));
  say_root(call, circle, &s);
  if (call.op != MPI_OP_NULL) s.say(Field::reduction, op_index(call.op) + 1);
  if (call.same) s.say(Field::same, call.same);
  say_data(call, circle, &s);
  return s;
}

Blocks call_blocks(const GroupCall& call, const Circle& circle) {
  Blocks blocks;
  if (circle.inter) return blocks;
  const int n = circle.size();
  const bool is_root = call.has_root && call.root == circle.me;
  if (call.has_root && (call.root < 0 || call.root >= n)) return blocks;
  auto expect_from_all = [&] {
    blocks.expected.resize(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) blocks.expected[static_cast<std::size_t>(i)] = block(call.receive, i);
  };
  switch (call.operation) {
    case Operation::gatherv:
      if (is_root) {
        expect_from_all();
        if (in_place(call.send)) blocks.expected[static_cast<std::size_t>(circle.me)] = 0;
      }
      if (!is_root || !in_place(call.send)) send_blocks(call.send, call.root, false, &blocks);
      break;
    case Operation::scatterv:
      if (is_root) {
        for (int i = 0; i < n; ++i) {
          if (i != circle.me || !in_place(call.receive)) send_blocks(call.send, i, true, &blocks);
        }
      }
      if (!is_root || !in_place(call.receive)) {
        blocks.expected.resize(static_cast<std::size_t>(n));
        blocks.expected[static_cast<std::size_t>(call.root)] = block(call.receive);
      }
      break;
    case Operation::alltoallv:
    case Operation::alltoallw: {
      // In place, what is sent is as much as what is received.
      const Data& out = in_place(call.send) ? call.receive : call.send;
      for (int i = 0; i < n; ++i) send_blocks(out, i, true, &blocks);
      expect_from_all();
      break;
    }
    default:
      break;
  }
  return blocks;
}

Told told_of_call(const GroupCall& call) {
  Told told;
  told.name = call.name;
  told.operation = call.operation;
  told.way = call.way;
  told.returns_to = call.returns_to;
  told.site = call.site;
  return told;
}

Told call_told(const GroupCall& call, const Circle& circle) {
  Told told = told_of_call(call);
  told.has_root = call.has_root;
  told.root = call.root;
  if (call.op != MPI_OP_NULL) {
    const std::size_t op = op_index(call.op);
    told.op = op < std::size(known_ops) ? known_ops[op].name : "an operation of the program's";
  }
  if (call.operation > Operation::neighbor_alltoallw) return told;
  // A scatter's send arguments mean nothing but at its root.
  const Part part = part_of(call, circle);
  if (circle.inter && part == Part::none) return told;
  const bool scatters = call.operation == Operation::scatter || call.operation == Operation::scatterv;
  const bool takes = (scatters && part != Part::root) || in_place(call.send) ||
                     (circle.inter && call.operation == Operation::gather && part == Part::root);
  const Data& shown = takes ? call.receive : call.send;
  if (!shown.given || shown.counts || shown.types || shown.buffer == MPI_IN_PLACE) return told;
  told.has_data = true;
  told.count = shown.one_count;
  told.type = type_name(shown.one_type);
  return told;
}

}  // namespace lapwing::sets
