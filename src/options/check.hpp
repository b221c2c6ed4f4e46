// SPDX-License-Identifier: Apache-2.0
// Whether a user's environment holds what the table of options permits.
#pragma once

#include <charconv>
#include <optional>
#include <string>

#include "options/nearest.hpp"
#include "options/table.hpp"

namespace lapwing::options {

struct Range {
  double least, most;
  std::string_view unit;
};

/// Of Kind::number.
inline Range range_of(const Option& option) {
  Range range{};
  const std::string_view text = option.values;
  const std::size_t between = text.find(" to "), unit = text.find(' ', between + 4);
  std::from_chars(text.data(), text.data() + between, range.least);
  std::from_chars(text.data() + between + 4, text.data() + unit, range.most);
  range.unit = text.substr(unit + 1);
  return range;
}

/// The number that `text` is, if the option permits it.
inline std::optional<double> number_of(const Option& option, std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const Range range = range_of(option);
  if (error != std::errc() || rest != text.data() + text.size()) return {};
  if (!(value >= range.least && value <= range.most)) return {};
  return value;
}

/// Empty if `value` suits the option, else the values that it takes.
inline std::string complaint(const Option& option, std::string_view value) {
  std::size_t bytes = 0, least = 0;
  switch (option.kind) {
    case Kind::bytes:
      parse_bytes(option.values, &least);
      if (parse_bytes(value, &bytes) && bytes >= least) return {};
      return (least > 1 ? "a number of bytes from " + std::to_string(least) + " on" : "a number of bytes") +
             ", such as 65536, 64K or 1M";
    case Kind::number:
      if (number_of(option, value)) return {};
      return "a number from " + std::string(option.values);
    case Kind::choice: {
      if (option.index_of(value) < option.choices()) return {};
      std::string list;
      for (std::size_t i = 0; i < option.choices(); ++i) {
        if (i > 0) list += i + 1 == option.choices() ? " or " : ", ";
        list += option.choice(i);
      }
      return list;
    }
    case Kind::path:
    case Kind::word:
      break;
  }
  return {};
}

/// The nearest of the variables; empty if none is near.
inline std::string nearest_variable(const std::string& name) {
  std::vector<std::string> names;
  for (const Option& option : table) names.emplace_back(option.name);
  return nearest(name, names);
}

}  // namespace lapwing::options
