// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 1: distributions.
#include <fmt/format.h>

#include <algorithm>

#include "arrays/schedules/local.hpp"
#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"
#include "mpi/references.hpp"

namespace arrays = lapwing::arrays;
using arrays::Code;
using arrays::View;
using lapwing::entry::refused;

namespace lapwing::entry {

bool uses_arrays() {
  static constexpr const char* names[] = {"lapwing_array_", "lapwing_tasks_", nullptr};
  return mpi::refers_to(names);
}

int refused(const char* routine, Code code, std::string why) {
  return arrays::report(routine, {code, std::move(why)});
}

}  // namespace lapwing::entry

namespace {

bool type_from(int type, arrays::Distribution* out) {
  if (type >= LAPWING_OPAQUE(1)) {
    out->type = arrays::ElementType::opaque;
    out->opaque_bytes = type - LAPWING_OPAQUE(0);
    return true;
  }
  if (type < 0 || type > LAPWING_COMPLEX_LONG_DOUBLE) return false;
  out->type = static_cast<arrays::ElementType>(type);
  return true;
}

arrays::Dimension dimension_from(const lapwing_dimension& from, const lapwing_grid& grid) {
  arrays::Dimension to;
  to.extent = from.extent;
  to.layout = static_cast<arrays::Layout>(from.layout);
  to.block = from.layout == LAPWING_CYCLIC ? from.block : 1;
  to.grid_dimension = from.layout == LAPWING_COLLAPSED ? -1 : from.grid_dimension;
  if (from.layout == LAPWING_IRREGULAR && from.bounds && from.grid_dimension >= 0 &&
      from.grid_dimension < grid.dimensions)
    to.bounds.assign(from.bounds, from.bounds + grid.extents[from.grid_dimension] + 1);
  to.first_process = from.first_process;
  to.offset = from.offset;
  to.ghost_below = from.ghost_below;
  to.ghost_above = from.ghost_above;
  if (from.layout == LAPWING_INDEXED && from.lists) to.lists = from.lists->lists;
  return to;
}

int keep(const char* routine, View view, lapwing_distribution** out) {
  if (std::string why = validate(view.distribution, -1); !why.empty())
    return refused(routine, Code::argument, std::move(why));
  if (std::string why = validate(view.section, view.distribution); !why.empty())
    return refused(routine, Code::argument, std::move(why));
  *out = new lapwing_distribution{std::make_shared<const View>(std::move(view))};
  return LAPWING_ARRAY_OK;
}

std::size_t dimensions_of(const lapwing_distribution* distribution) {
  return distribution->view->distribution.dimensions.size();
}

}  // namespace

LAPWING_ENTRY int lapwing_array_errors_return(int on) {
  const int before = arrays::errors_return ? 1 : 0;
  arrays::errors_return = on != 0;
  return before;
}

LAPWING_ENTRY const char* lapwing_array_error_string(void) { return arrays::last_error(); }

LAPWING_ENTRY size_t lapwing_array_type_size(int type) {
  arrays::Distribution distribution;
  return type_from(type, &distribution) ? static_cast<size_t>(distribution.element_bytes()) : 0;
}

LAPWING_ENTRY struct lapwing_dimension lapwing_collapsed(int64_t extent) {
  return {extent, LAPWING_COLLAPSED, 1, nullptr, -1, 0, 0, 0, 0, nullptr};
}

LAPWING_ENTRY struct lapwing_dimension lapwing_block(int64_t extent, int processes, int grid_dimension) {
  const int64_t each = processes > 0 ? (extent + processes - 1) / processes : extent;
  return lapwing_cyclic(extent, std::max<int64_t>(each, 1), grid_dimension);
}

LAPWING_ENTRY struct lapwing_dimension lapwing_cyclic(int64_t extent, int64_t block, int grid_dimension) {
  return {extent, LAPWING_CYCLIC, block, nullptr, grid_dimension, 0, 0, 0, 0, nullptr};
}

LAPWING_ENTRY struct lapwing_dimension lapwing_irregular(int64_t extent, const int64_t* bounds,
                                                         int grid_dimension) {
  return {extent, LAPWING_IRREGULAR, 1, bounds, grid_dimension, 0, 0, 0, 0, nullptr};
}

LAPWING_ENTRY int lapwing_distribution_create(int type, int dimensions,
                                              const struct lapwing_dimension* dimension,
                                              const struct lapwing_grid* grid, int order,
                                              const int64_t* leading, lapwing_distribution** out) {
  constexpr const char* name = "lapwing_distribution_create";
  View view;
  arrays::Distribution& made = view.distribution;
  if (!type_from(type, &made))
    return refused(name, Code::type, fmt::format("there is no element type {}", type));
  if (dimensions < 0 || (dimensions > 0 && !dimension) || !grid || grid->dimensions < 0 || !out)
    return refused(name, Code::argument, "the dimensions, the grid or the place for the result are missing");
  for (int d = 0; d < dimensions; ++d) {
    if (dimension[d].layout < LAPWING_COLLAPSED || dimension[d].layout > LAPWING_INDEXED)
      return refused(name, Code::argument,
                     fmt::format("dimension {}: there is no layout {}", d, dimension[d].layout));
    made.dimensions.push_back(dimension_from(dimension[d], *grid));
  }
  made.grid = arrays::make_grid({grid->extents, grid->extents + grid->dimensions},
                                grid->order == LAPWING_COLUMN_MAJOR);
  if (grid->ranks) std::copy_n(grid->ranks, made.grid.ranks.size(), made.grid.ranks.begin());
  made.order = static_cast<arrays::Order>(order != LAPWING_ROW_MAJOR);
  if (leading) made.leading.assign(leading, leading + dimensions);
  return keep(name, std::move(view), out);
}

LAPWING_ENTRY int lapwing_distribution_from_scalapack(const int descriptor[9], int type, int rows,
                                                      int columns, int grid_order,
                                                      lapwing_distribution** out) {
  constexpr const char* name = "lapwing_distribution_from_scalapack";
  View view;
  if (!type_from(type, &view.distribution))
    return refused(name, Code::type, fmt::format("there is no element type {}", type));
  if (rows < 1 || columns < 1)
    return refused(name, Code::argument, fmt::format("a grid of {} x {} processes", rows, columns));
  if (descriptor[0] != 1)
    return refused(name, Code::argument,
                   fmt::format("a descriptor of type {}; dense matrices have type 1", descriptor[0]));
  for (int d = 0; d < 2; ++d) {
    arrays::Dimension dimension = arrays::cyclic(descriptor[2 + d], descriptor[4 + d], d);
    dimension.first_process = descriptor[6 + d];
    view.distribution.dimensions.push_back(dimension);
  }
  view.distribution.grid = arrays::make_grid({rows, columns}, grid_order == LAPWING_COLUMN_MAJOR);
  view.distribution.order = arrays::Order::column_major;
  view.distribution.leading = {descriptor[8], 0};
  return keep(name, std::move(view), out);
}

LAPWING_ENTRY int lapwing_distribution_section(const lapwing_distribution* whole, const int64_t* first,
                                               const int64_t* count, const int64_t* stride,
                                               const int* permutation, lapwing_distribution** out) {
  constexpr const char* name = "lapwing_distribution_section";
  if (!whole || !first || !count) return refused(name, Code::argument, "the array or its section is null");
  View view = *whole->view;
  view.section = {};
  for (std::size_t d = 0; d < dimensions_of(whole); ++d)
    view.section.dimensions.push_back({first[d], count[d], stride ? stride[d] : 1});
  if (permutation) view.section.permutation.assign(permutation, permutation + dimensions_of(whole));
  return keep(name, std::move(view), out);
}

LAPWING_ENTRY int lapwing_distribution_converting(const lapwing_distribution* like,
                                                  lapwing_distribution** out) {
  if (!like) return refused("lapwing_distribution_converting", Code::argument, "the distribution is null");
  View view = *like->view;
  view.converts = true;
  return keep("lapwing_distribution_converting", std::move(view), out);
}

LAPWING_ENTRY int lapwing_distribution_free(lapwing_distribution** distribution) {
  if (distribution) {
    delete *distribution;
    *distribution = nullptr;
  }
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_distribution_type(const lapwing_distribution* distribution) {
  const arrays::Distribution& here = distribution->view->distribution;
  if (here.type == arrays::ElementType::opaque) return LAPWING_OPAQUE(static_cast<int>(here.opaque_bytes));
  return static_cast<int>(here.type);
}

LAPWING_ENTRY int lapwing_distribution_dimensions(const lapwing_distribution* distribution) {
  return static_cast<int>(dimensions_of(distribution));
}

LAPWING_ENTRY int lapwing_distribution_extents(const lapwing_distribution* distribution, int64_t* extents) {
  for (const arrays::Dimension& dimension : distribution->view->distribution.dimensions)
    *extents++ = dimension.extent;
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_distribution_local(const lapwing_distribution* distribution, int rank,
                                             struct lapwing_local_part* part, int64_t* extents,
                                             int64_t* allocation, int64_t* strides) {
  const arrays::LocalPart here = local_part(distribution->view->distribution, rank);
  if (part) *part = {here.elements, here.allocated, here.first};
  const std::size_t dimensions = dimensions_of(distribution);
  auto copy = [&](const std::vector<std::int64_t>& from, int64_t* to) {
    for (std::size_t d = 0; to && d < dimensions; ++d) to[d] = d < from.size() ? from[d] : 0;
  };
  copy(here.extents, extents);
  copy(here.allocation, allocation);
  copy(here.strides, strides);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int64_t lapwing_distribution_position(const lapwing_distribution* distribution, int rank,
                                                    const int64_t* index) {
  const arrays::Distribution& array = distribution->view->distribution;
  const arrays::LocalPart here = local_part(array, rank);
  if (!here.in_grid) return -1;
  int64_t position = here.first;
  for (std::size_t d = 0; d < array.dimensions.size(); ++d) {
    const arrays::Dimension& dimension = array.dimensions[d];
    if (index[d] < 0 || index[d] >= dimension.extent) return -1;
    const arrays::Place at = place(dimension, array.processes(d), index[d]);
    const int g = dimension.grid_dimension;
    // Of index lists only this process' own is known: no other one's places are.
    if (g >= 0 && here.coordinates[static_cast<std::size_t>(g)] != at.coordinate) return -1;
    position += at.local * here.strides[d];
  }
  return position;
}

LAPWING_ENTRY int lapwing_distribution_index(const lapwing_distribution* distribution, int rank,
                                             int64_t position, int64_t* index) {
  const arrays::Distribution& array = distribution->view->distribution;
  const arrays::LocalPart here = local_part(array, rank);
  if (here.elements == 0 || position < 0 || position >= here.allocated) return LAPWING_ARRAY_ERR_ARGUMENT;
  for (std::size_t d = 0; d < array.dimensions.size(); ++d) {
    const arrays::Dimension& dimension = array.dimensions[d];
    const int64_t local = position / here.strides[d] % here.allocation[d] - dimension.ghost_below;
    if (local < 0 || local >= here.extents[d]) return LAPWING_ARRAY_ERR_ARGUMENT;
    const int g = dimension.grid_dimension;
    index[d] = global_index(dimension, array.processes(d),
                            g < 0 ? 0 : here.coordinates[static_cast<std::size_t>(g)], local);
    if (index[d] < 0) return LAPWING_ARRAY_ERR_ARGUMENT;
  }
  return LAPWING_ARRAY_OK;
}
