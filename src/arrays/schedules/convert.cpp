// SPDX-License-Identifier: Apache-2.0
// One loop for each pair of element types.
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "arrays/schedules/element.hpp"

namespace lapwing::arrays {

namespace {

template <class>
inline constexpr bool is_complex = false;
template <class Part>
inline constexpr bool is_complex<std::complex<Part>> = true;

template <class To, class From>
To integer_from_real(From value) {
  // 2^digits is exact in every floating type here, where max() may not be.
  const From above = std::ldexp(From{1}, std::numeric_limits<To>::digits);
  if (std::isnan(value)) return 0;
  if (value >= above) return std::numeric_limits<To>::max();
  if (value <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  return static_cast<To>(value);
}

template <class To, class From>
To converted(From value) {
  if constexpr (is_complex<From> && is_complex<To>) {
    return To(static_cast<typename To::value_type>(value.real()),
              static_cast<typename To::value_type>(value.imag()));
  } else if constexpr (is_complex<From>) {
    return converted<To>(value.real());
  } else if constexpr (is_complex<To>) {
    return To(static_cast<typename To::value_type>(value), 0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return integer_from_real<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

/// Equal values have equal bytes: the padding of x86's long double is zero.
template <class Value>
void store(char* to, const Value& value) {
  if constexpr (is_complex<Value>) {
    store(to, value.real());
    store(to + sizeof(Value) / 2, value.imag());
  } else if constexpr (std::is_same_v<Value, long double> && std::numeric_limits<long double>::digits == 64) {
    std::memcpy(to, &value, 10);
    std::memset(to + 10, 0, sizeof value - 10);
  } else {
    std::memcpy(to, &value, sizeof value);
  }
}

template <class From, class To>
void loop(const void* source, void* destination, std::int64_t count) {
  const char* from = static_cast<const char*>(source);
  char* to = static_cast<char*>(destination);
  for (std::int64_t k = 0; k < count; ++k) {
    From value;
    std::memcpy(&value, from + k * static_cast<std::int64_t>(sizeof value), sizeof value);
    store(to + k * static_cast<std::int64_t>(sizeof(To)), converted<To>(value));
  }
}

using Loop = void (*)(const void*, void*, std::int64_t);
// In the order of ElementType, without opaque.
template <class... Types>
struct List {
  template <class From>
  static constexpr std::array<Loop, sizeof...(Types)> row{&loop<From, Types>...};
  static constexpr std::array<const std::array<Loop, sizeof...(Types)>*, sizeof...(Types)> table{
      &row<Types>...};
};
using Types = List<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t, float, double, long double, std::complex<float>,
                   std::complex<double>, std::complex<long double>>;
static_assert(Types::table.size() == element_types - 1);

}  // namespace

void convert(ElementType from, const void* source, ElementType to, void* destination, std::int64_t count) {
  (*Types::table[static_cast<std::size_t>(from)])[static_cast<std::size_t>(to)](source, destination, count);
}

}  // namespace lapwing::arrays
