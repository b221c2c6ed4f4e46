// SPDX-License-Identifier: Apache-2.0
#include "transfer/collectives/lowering.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mpi/handles.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::transfer {
namespace {

using Message = Lowering::Message;

// Arguments that MPI would refuse, it refuses in the program's own call.
bool well_formed(const Blocks& blocks, bool one, int size) {
  if (blocks.type == MPI_DATATYPE_NULL) return false;
  if ((blocks.counts && !blocks.places) || (blocks.large_counts && !blocks.large_places)) return false;
  for (int i = 0; i < (!one && blocks.uneven() ? size : 1); ++i) {
    if (blocks.count(i) < 0) return false;
  }
  return true;
}

// MPICH refuses an exchange between all within one buffer. Nothing else about buffers may decide here:
// members decide alike, and one whose blocks are all empty, or lie beside each other, may give one address
// for both sides.
bool refused_as_one_buffer(const Shape& shape, const Blocks& out, const Blocks& in) {
  const bool all_to_all = !shape.one_out && !shape.one_in;
  return mpi::family != mpi::Family::openmpi && all_to_all && !in.uneven() && in.each > 0 &&
         out.buffer == in.buffer;
}

// Looks at the datatype once for all blocks.
class Side {
 public:
  explicit Side(const Blocks& blocks) : blocks_(blocks), bytes_of_element_(payload_bytes(1, blocks.type)) {
    MPI_Count lower = 0;
    PMPI_Type_get_extent_x(blocks.type, &lower, &extent_);
  }
  Block block(int process) const {
    char* const begin = const_cast<char*>(static_cast<const char*>(blocks_.buffer));
    const MPI_Count count = blocks_.count(process);
    return {begin + blocks_.place(process) * extent_, count, blocks_.type,
            static_cast<std::size_t>(count) * bytes_of_element_};
  }

 private:
  const Blocks& blocks_;
  std::size_t bytes_of_element_;
  MPI_Count extent_ = 0;
};

std::size_t sum_of(const std::vector<Message>& messages) {
  return std::accumulate(messages.begin(), messages.end(), std::size_t{0},
                         [](std::size_t sum, const Message& m) { return sum + m.block.bytes; });
}

void add(std::vector<Message>& messages, int peer, const Block& block) {
  if (block.bytes > 0) messages.push_back({peer, block});
}

// A process at place p of a binary tree, whose top is the root, feeds those at 2p+1 and 2p+2: of
// a long message each link carries two copies at most, however many members there are.
void lower_to_tree(Lowering& all, const Block& block, int root, int rank, int size) {
  const int place = (rank - root + size) % size;
  const auto at = [&](int p) { return (p + root) % size; };
  if (place > 0) add(all.comes, at((place - 1) / 2), block);
  for (const int child : {2 * place + 1, 2 * place + 2}) {
    if (child < size) add(all.leaves, at(child), block);
  }
  all.passes_on = place > 0 && !all.leaves.empty();
}

}  // namespace

std::size_t Lowering::bytes_coming() const { return sum_of(comes); }
std::size_t Lowering::bytes_leaving() const { return sum_of(leaves); }

const Lowering::Message* Lowering::largest_coming() const {
  const auto largest = std::max_element(
      comes.begin(), comes.end(), [](const auto& a, const auto& b) { return a.block.bytes < b.block.bytes; });
  return largest == comes.end() ? nullptr : &*largest;
}

bool Lowering::coming_overlap() const {
  std::vector<std::pair<const char*, const char*>> runs;
  runs.reserve(comes.size() + 1);
  const auto note = [&](const Block& block) {
    if (const char* base = contiguous_base(block.buffer, block.count, block.type); base && block.bytes > 0)
      runs.emplace_back(base, base + block.bytes);
  };
  for (const Message& message : comes) note(message.block);
  if (keeps) note(kept_to);
  std::sort(runs.begin(), runs.end());
  const auto meet = [](const auto& a, const auto& b) { return b.first < a.second; };
  return std::adjacent_find(runs.begin(), runs.end(), meet) != runs.end();
}

std::optional<Lowering> lower(Collective kind, const CollectiveArguments& a, int rank, int size) {
  const Shape shape = shape_of(kind);
  const bool rooted = shape.from_root || shape.to_root;
  if (rooted && (a.root < 0 || a.root >= size)) return {};
  const auto gives = [&](int process) { return !shape.from_root || process == a.root; };
  const auto gets = [&](int process) { return !shape.to_root || process == a.root; };
  const bool out = gives(rank), in = gets(rank);
  // In place, the one block that leaves stands where this process's share of all is to be, or the
  // one that comes stays where it is among those that leave. Nothing else can be.
  const bool out_in_place = out && a.out.buffer == MPI_IN_PLACE;
  const bool in_in_place = in && a.in.buffer == MPI_IN_PLACE;
  if (out_in_place && (!shape.one_out || shape.one_in || !in)) return {};
  if (in_in_place && (!shape.one_in || shape.one_out || !out)) return {};
  if (out && !out_in_place && !well_formed(a.out, shape.one_out, size)) return {};
  if (in && !in_in_place && !well_formed(a.in, shape.one_in, size)) return {};
  if (refused_as_one_buffer(shape, a.out, a.in)) return {};

  Lowering all;
  const Blocks& source = out_in_place || !out ? a.in : a.out;
  const Blocks& target = in_in_place || !in ? a.out : a.in;
  const Side sent(source), received(target);
  if (shape.by_tree) {
    lower_to_tree(all, received.block(0), a.root, rank, size);
    return all;
  }
  const auto leaving = [&](int to) { return sent.block(out_in_place ? rank : shape.one_out ? 0 : to); };
  const auto coming = [&](int from) { return received.block(in_in_place ? rank : shape.one_in ? 0 : from); };
  // The nearest first, in opposite directions: no process is the first of all others.
  for (int i = 1; i < size; ++i) {
    const int from = (rank - i + size) % size, to = (rank + i) % size;
    if (in && gives(from)) add(all.comes, from, coming(from));
    if (out && gets(to)) add(all.leaves, to, leaving(to));
  }
  if (out && in) {
    all.kept_from = leaving(rank);
    all.kept_to = coming(rank);
    const bool any = all.kept_from.bytes > 0 || all.kept_to.bytes > 0;
    const bool there = all.kept_from.buffer == all.kept_to.buffer && all.kept_from.bytes == all.kept_to.bytes;
    all.keeps = any && !there;
  }
  return all;
}

}  // namespace lapwing::transfer
