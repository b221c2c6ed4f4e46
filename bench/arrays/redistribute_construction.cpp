// SPDX-License-Identifier: Apache-2.0
// Step 4 alone: what one process of a large simulated grid computes for its part.
// Nothing is sent, so one process does it.
#include "arrays/redistribute.hpp"
#include "lapwing/arrays.h"

namespace lapwing::bench {
namespace {

struct Side {
  std::int64_t block;
  int processes;
};

lapwing_distribution* over(std::int64_t extent, const Side& side) {
  const lapwing_grid grid{1, &side.processes, LAPWING_ROW_MAJOR, nullptr};
  const lapwing_dimension dimension = lapwing_cyclic(extent, side.block, 0);
  lapwing_distribution* made = nullptr;
  lapwing_distribution_create(LAPWING_FLOAT64, 1, &dimension, &grid, LAPWING_ROW_MAJOR, nullptr, &made);
  return made;
}

}  // namespace

bool measure_construction(const RedistributeOptions& options) {
  constexpr std::int64_t extent = 1'000'000'000;
  const std::pair<Side, Side> cases[] = {{{1000, 1024}, {999, 1023}},
                                         {{3, 1024}, {5, 1023}},
                                         {{976563, 1024}, {1, 1023}},
                                         {{1, 1024}, {977518, 1023}},
                                         {{1, 1024}, {1, 1023}}};
  bool verified = true;
  for (const auto& [from, to] : cases) {
    lapwing_distribution *source = over(extent, from), *target = over(extent, to);
    for (int round = 0; round < options.rounds; ++round) {
      // Other processes' parts differ a little; over the rounds many are seen.
      const int rank = (17 + 101 * round) % from.processes;
      lapwing_schedule_size size{};
      const double cpu = cpu_seconds(), began = MPI_Wtime();
      verified = lapwing_array_schedule_size(source, target, rank, &size) == LAPWING_ARRAY_OK && verified;
      const double seconds = MPI_Wtime() - began, busy = cpu_seconds() - cpu;
      struct lapwing_local_part part {};
      lapwing_distribution_local(source, rank, &part, nullptr, nullptr, nullptr);
      verified = verified && size.elements == part.elements;
      const auto layout = [](const Side& side) {
        return "CYCLIC(" + std::to_string(side.block) + ")/" + std::to_string(side.processes);
      };
      JsonLine line;
      line.text("what", "construct").text("case", layout(from) + " -> " + layout(to)).integer("n", extent);
      line.integer("rank", rank).integer("round", round).number("construct_s", seconds);
      line.number("construct_cpu_s", busy).integer("partners", size.partners);
      line.integer("segments", size.segments).integer("elements", size.elements);
      line.boolean("verified", verified);
      line.print();
    }
    lapwing_distribution_free(&source);
    lapwing_distribution_free(&target);
  }
  return verified;
}

}  // namespace lapwing::bench
