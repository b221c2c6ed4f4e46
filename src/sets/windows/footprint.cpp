// SPDX-License-Identifier: Apache-2.0
#include "sets/windows/footprint.hpp"

#include <climits>
#include <cstddef>

#include "transfer/wire/datatype.hpp"

namespace lapwing::sets {
namespace {

constexpr MPI_Aint most_spread = 1 << 18;
constexpr std::size_t most_runs_of_one = 4096;

// MPI itself says which bytes it writes.
std::vector<ByteRange> written_runs(int count, MPI_Datatype type, MPI_Aint first, MPI_Aint spread,
                                    std::size_t size) {
  std::vector<char> memory(static_cast<std::size_t>(spread)), bytes(size, 1);
  int position = 0;
  if (PMPI_Unpack(bytes.data(), static_cast<int>(size), &position, memory.data() - first, count, type,
                  MPI_COMM_SELF) != MPI_SUCCESS)
    return {};
  std::vector<ByteRange> runs;
  for (MPI_Aint i = 0; i < spread; ++i) {
    if (memory[static_cast<std::size_t>(i)] == 0) continue;
    if (!runs.empty() && runs.back().end() == first + i) {
      ++runs.back().length;
    } else {
      runs.push_back({first + i, 1});
    }
  }
  return runs;
}

}  // namespace

std::vector<ByteRange> footprint(MPI_Count count, MPI_Datatype type, bool* known) {
  *known = true;
  const std::size_t size = count > 0 ? transfer::payload_bytes(count, type) : 0;
  if (size == 0) return {};
  MPI_Aint lower = 0, extent = 0, first = 0, true_extent = 0;
  if (PMPI_Type_get_extent(type, &lower, &extent) == MPI_SUCCESS &&
      PMPI_Type_get_true_extent(type, &first, &true_extent) == MPI_SUCCESS) {
    const MPI_Aint spread = extent * static_cast<MPI_Aint>(count - 1) + true_extent;
    if (extent >= 0 && static_cast<std::size_t>(spread) == size) return {{first, spread}};
    // Packed bytes that are all the same are these bytes in any representation of one machine.
    if (extent >= 0 && spread <= most_spread && count <= INT_MAX && size <= most_spread) {
      std::vector<ByteRange> runs = written_runs(static_cast<int>(count), type, first, spread, size);
      if (!runs.empty() && runs.size() <= most_runs_of_one) return runs;
    }
  }
  *known = false;
  return {};
}

}  // namespace lapwing::sets
