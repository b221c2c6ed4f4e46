// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce_scatter on a set: the members' blocks are brought together, since
// MPI takes them one behind the other.
#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "guard/devices.hpp"
#include "sets/run/collectives.hpp"

namespace lapwing::sets {
namespace {

// Beyond this the input copies of non-blocking calls, which nobody tells us the
// end of, are not kept: the call is then over when it returns.
constexpr std::size_t most_kept = std::size_t{64} << 20;
std::size_t kept = 0;

struct Layout {
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  explicit Layout(MPI_Datatype type) {
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
  }
  std::size_t bytes(long long count) const {
    return count <= 0 ? 0 : static_cast<std::size_t>((count - 1) * extent + true_extent);
  }
};

}  // namespace

int reduce_blocks(Family& family, Set& set, const GroupCall& call, Made* made) {
  const MPI_Comm comm = family.comm_of(set);
  SetComms& known = family.comms(set);
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  const Data& counted = call.receive.given ? call.receive : call.send;
  const bool block = call.operation == Operation::reduce_scatter_block;
  const MPI_Datatype type = counted.one_type;
  const char* input = static_cast<const char*>(in_place ? call.receive.buffer : call.send.buffer);
  const Layout layout(type);
  std::vector<int> counts;
  std::vector<long long> from;
  long long at = 0, total = 0;
  std::size_t next = 0;
  for (int r = 0; r < set.members().ranks(); ++r) {
    const long long count = block ? counted.one_count : counted.count(r);
    if (next < known.ranks.size() && known.ranks[next] == r) {
      int small = 0;
      if (!as_int(count, &small))
        return refuse(family, set, call, MPI_ERR_COUNT, "a count does not fit an int");
      counts.push_back(small);
      from.push_back(at);
      total += count;
      ++next;
    }
    at += count;
  }
  // One process' mistake, which the others know nothing of.
  if (!guard::reachable(input + layout.true_lower, layout.bytes(at)))
    fail(
        fmt::format("{}: its input at {} is a device's memory, which the processor cannot read to bring the "
                    "blocks of the set together; copy it to host memory and give that",
                    place_of(call), static_cast<const void*>(input)));
  const std::size_t size = layout.bytes(total) + static_cast<std::size_t>(layout.extent);
  auto gathered = std::make_unique<char[]>(size + 1);
  char* to = gathered.get() - layout.true_lower;
  for (std::size_t m = 0; m < counts.size(); ++m) {
    const std::size_t bytes = layout.bytes(counts[m]);
    if (bytes > 0)
      std::memcpy(to + layout.true_lower, input + from[m] * layout.extent + layout.true_lower, bytes);
    to += counts[m] * layout.extent;
  }
  const char* start = gathered.get() - layout.true_lower;
  const int* lengths = known.keep(std::move(counts));
  if (call.way != Way::immediate || kept + size > most_kept) {
    made->request = MPI_REQUEST_NULL;
    return PMPI_Reduce_scatter(start, call.receive.buffer, lengths, type, call.op, comm);
  }
  kept += size;
  known.inputs.push_back(std::move(gathered));
  return PMPI_Ireduce_scatter(start, call.receive.buffer, lengths, type, call.op, comm, &made->request);
}

}  // namespace lapwing::sets
