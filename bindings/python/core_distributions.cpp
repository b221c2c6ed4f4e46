// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"

namespace lapwing::python {

namespace {

/// extent, layout, block, bounds, grid dimension, first process, offset, ghosts below and above.
using Axis = std::tuple<std::int64_t, int, std::int64_t, std::vector<std::int64_t>, int, int, std::int64_t,
                        std::int64_t, std::int64_t>;
using Numbers = std::vector<std::int64_t>;

std::unique_ptr<Distribution> create(int type, const std::vector<Axis>& axes, const std::vector<int>& extents,
                                     const std::vector<int>& ranks, int grid_order, int order,
                                     const Numbers& leading, const nb::list& lists) {
  std::vector<lapwing_dimension> dimensions;
  for (const Axis& axis : axes) {
    const auto& [extent, layout, block, bounds, grid_dimension, first, offset, below, above] = axis;
    const nb::handle list = lists[dimensions.size()];
    dimensions.push_back({extent, layout, block, bounds.empty() ? nullptr : bounds.data(), grid_dimension,
                          first, offset, below, above,
                          list.is_none() ? nullptr : nb::cast<const IndexLists&>(list).get()});
  }
  const lapwing_grid grid{static_cast<int>(extents.size()), extents.data(), grid_order,
                          ranks.empty() ? nullptr : ranks.data()};
  lapwing_distribution* out = nullptr;
  check(lapwing_distribution_create(type, static_cast<int>(dimensions.size()), dimensions.data(), &grid,
                                    order, leading.empty() ? nullptr : leading.data(), &out));
  return std::make_unique<Distribution>(out);
}

std::unique_ptr<Distribution> from_scalapack(const std::vector<int>& descriptor, int type, int rows,
                                             int columns, int grid_order) {
  lapwing_distribution* out = nullptr;
  check(lapwing_distribution_from_scalapack(descriptor.data(), type, rows, columns, grid_order, &out));
  return std::make_unique<Distribution>(out);
}

std::unique_ptr<Distribution> section(const Distribution& whole, const Numbers& first, const Numbers& count,
                                      const Numbers& stride, const std::vector<int>& permutation) {
  lapwing_distribution* out = nullptr;
  check(lapwing_distribution_section(whole.get(), first.data(), count.data(), stride.data(),
                                     permutation.empty() ? nullptr : permutation.data(), &out));
  return std::make_unique<Distribution>(out);
}

std::unique_ptr<Distribution> converting(const Distribution& like) {
  lapwing_distribution* out = nullptr;
  check(lapwing_distribution_converting(like.get(), &out));
  return std::make_unique<Distribution>(out);
}

Numbers extents(const Distribution& distribution) {
  Numbers out(static_cast<std::size_t>(distribution.dimensions()));
  check(lapwing_distribution_extents(distribution.get(), out.data()));
  return out;
}

std::tuple<std::int64_t, std::int64_t, std::int64_t, Numbers, Numbers, Numbers> local(
    const Distribution& distribution, int rank) {
  lapwing_local_part part{};
  const auto dimensions = static_cast<std::size_t>(distribution.dimensions());
  Numbers extents(dimensions), allocation(dimensions), strides(dimensions);
  check(lapwing_distribution_local(distribution.get(), rank, &part, extents.data(), allocation.data(),
                                   strides.data()));
  return {part.elements, part.allocated, part.offset, extents, allocation, strides};
}

Numbers index(const Distribution& distribution, int rank, std::int64_t position) {
  Numbers out(static_cast<std::size_t>(distribution.dimensions()));
  check(lapwing_distribution_index(distribution.get(), rank, position, out.data()));
  return out;
}

std::string schedule(const Distribution& from, const Distribution& to, int rank, int form) {
  const std::int64_t bytes = lapwing_array_schedule(from.get(), to.get(), rank, form, nullptr, 0);
  if (bytes < 0) check(LAPWING_ARRAY_ERR_ARGUMENT);
  std::string out(static_cast<std::size_t>(bytes) + 1, '\0');
  lapwing_array_schedule(from.get(), to.get(), rank, form, out.data(), bytes + 1);
  out.resize(static_cast<std::size_t>(bytes));
  return out;
}

}  // namespace

void define_distributions(nb::module_& module) {
  nb::class_<IndexLists>(module, "IndexLists");
  nb::class_<Distribution>(module, "Distribution")
      .def("section", &section)
      .def("converting", &converting)
      .def("extents", &extents)
      .def("type", [](const Distribution& self) { return lapwing_distribution_type(self.get()); })
      .def("local", &local)
      .def("position",
           [](const Distribution& self, int rank, const Numbers& index) {
             return lapwing_distribution_position(self.get(), rank, index.data());
           })
      .def("index", &index);
  module.def("create", &create);
  module.def("from_scalapack", &from_scalapack);
  module.def("schedule", &schedule);
}

}  // namespace lapwing::python
