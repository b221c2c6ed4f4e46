// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/element.hpp"

#include <array>

namespace lapwing::arrays {

namespace {
struct Known {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<Known, element_types> known{{{"int8", 1},
                                                  {"uint8", 1},
                                                  {"int16", 2},
                                                  {"uint16", 2},
                                                  {"int32", 4},
                                                  {"uint32", 4},
                                                  {"int64", 8},
                                                  {"uint64", 8},
                                                  {"float32", 4},
                                                  {"float64", 8},
                                                  {"long double", sizeof(long double)},
                                                  {"complex64", 8},
                                                  {"complex128", 16},
                                                  {"complex long double", 2 * sizeof(long double)},
                                                  {"opaque", 0}}};
}  // namespace

std::int64_t size_of(ElementType type) { return known[static_cast<std::size_t>(type)].bytes; }
std::string_view name_of(ElementType type) { return known[static_cast<std::size_t>(type)].name; }

bool convertible(ElementType from, ElementType to) {
  return from == to || (from != ElementType::opaque && to != ElementType::opaque);
}

}  // namespace lapwing::arrays
