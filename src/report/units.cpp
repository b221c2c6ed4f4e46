// SPDX-License-Identifier: Apache-2.0
#include "report/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace lapwing::report {

namespace {

/// Three significant digits, never in scientific form.
std::string three_digits(double value) {
  const double size = std::fabs(value);
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string seconds(double s) {
  const double size = std::fabs(s);
  if (size == 0) return "0 s";
  if (size < 0.9995e-6) return fmt::format("{:.0f} ns", s * 1e9);
  if (size < 0.9995e-3) return three_digits(s * 1e6) + " us";
  if (size < 0.9995) return three_digits(s * 1e3) + " ms";
  return three_digits(s) + " s";
}

std::string bytes(std::uint64_t count) {
  static constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(count);
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", count) : three_digits(value) + " " + kNames[unit];
}

std::string share(std::optional<double> value) { return value ? fmt::format("{:.0f} %", *value * 100) : "-"; }

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace lapwing::report
