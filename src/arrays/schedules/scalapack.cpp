// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/scalapack.hpp"

#include <fmt/format.h>

namespace lapwing::arrays {

Imported import_scalapack(const std::array<std::int64_t, 9>& descriptor, ElementType type,
                          const ProcessGrid& grid) {
  const auto [kind, context, rows, columns, row_block, column_block, row_source, column_source, leading] =
      descriptor;
  static_cast<void>(context);
  if (kind != 1) {
    return {
        {},
        fmt::format("the ScaLAPACK descriptor has DTYPE {}; only dense matrices, DTYPE 1, can be imported",
                    kind)};
  }
  if (grid.extents.size() != 2)
    return {{},
            fmt::format("a ScaLAPACK matrix needs a grid of 2 dimensions, but this one has {}",
                        grid.extents.size())};
  const std::int64_t sources[2] = {row_source, column_source};
  for (int d = 0; d < 2; ++d) {
    if (sources[d] < 0 || sources[d] >= grid.extents[static_cast<std::size_t>(d)]) {
      return {
          {},
          fmt::format("{} of the ScaLAPACK descriptor is {}, but grid dimension {} has {} processes",
                      d == 0 ? "RSRC" : "CSRC", sources[d], d, grid.extents[static_cast<std::size_t>(d)])};
    }
  }
  Distribution result;
  result.type = type;
  result.order = Order::column_major;
  result.grid = grid;
  result.dimensions = {cyclic(rows, row_block, 0), cyclic(columns, column_block, 1)};
  for (int d = 0; d < 2; ++d)
    result.dimensions[static_cast<std::size_t>(d)].first_process = static_cast<int>(sources[d]);
  if (leading < 0) return {{}, fmt::format("LLD of the ScaLAPACK descriptor is {}", leading)};
  result.leading = {leading, 0};
  if (std::string problem = validate(result, -1); !problem.empty())
    return {{}, "in the ScaLAPACK descriptor, " + problem};
  return {std::move(result), {}};
}

}  // namespace lapwing::arrays
