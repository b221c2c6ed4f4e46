// SPDX-License-Identifier: Apache-2.0
// Lapwing's environment variables: the rows of options.def, as a table that the
// compiler can read too. Every room may use this one; it uses none.
#pragma once

#include <cstddef>
#include <string_view>

namespace lapwing::options {

enum class Kind { choice, bytes, number, path, word };
enum class Part { engine, sets, tasks, wrappers, tests };

struct Option {
  std::string_view flag;  ///< of `lapwing run`; empty if it has none
  std::string_view name;  ///< the variable
  Kind kind;
  std::string_view values;    ///< as options.def says, by kind
  std::string_view fallback;  ///< the default, as the user would write it
  Part part;
  std::string_view meaning;

  constexpr std::size_t choices() const;
  constexpr std::string_view choice(std::size_t index) const;
  /// Which of the choices `value` is; choices() if it is none of them.
  constexpr std::size_t index_of(std::string_view value) const;
};

inline constexpr Option table[] = {
#define LAPWING_OPTION(flag, name, kind, values, fallback, part, meaning) \
  {flag, name, Kind::kind, values, fallback, Part::part, meaning},
#include "options/options.def"
#undef LAPWING_OPTION
};

constexpr const Option* find(std::string_view name) {
  for (const Option& option : table) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

constexpr std::size_t Option::choices() const {
  std::size_t count = 1;
  for (const char c : values) count += c == '|';
  return count;
}

constexpr std::string_view Option::choice(std::size_t index) const {
  std::string_view rest = values;
  for (; index > 0; --index) rest.remove_prefix(rest.find('|') + 1);
  return rest.substr(0, rest.find('|'));
}

constexpr std::size_t Option::index_of(std::string_view value) const {
  std::size_t index = 0;
  while (index < choices() && choice(index) != value) ++index;
  return index;
}

/// "64K", "1M", "12345" to bytes; false if `text` is not one of these.
constexpr bool parse_bytes(std::string_view text, std::size_t* bytes) {
  std::size_t value = 0, digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    const std::size_t digit = static_cast<std::size_t>(text[digits] - '0');
    if (value > (~std::size_t{0} - digit) / 10) return false;
    value = 10 * value + digit;
  }
  const std::string_view suffix = text.substr(digits);
  if (digits == 0 || suffix.size() > 1) return false;
  int shift = 0;
  if (!suffix.empty()) {
    const std::size_t unit = std::string_view("KkMmGg").find(suffix[0]);
    if (unit == std::string_view::npos) return false;
    shift = 10 * (1 + static_cast<int>(unit) / 2);
  }
  if (value > (~std::size_t{0} >> 1) >> shift) return false;
  *bytes = value << shift;
  return true;
}

/// The default of a variable of Kind::bytes, for the settings that it sets. A name
/// that is not in the table, or is not of this kind, does not compile.
consteval std::size_t default_bytes(std::string_view name) {
  std::size_t bytes = 0;
  const Option* option = find(name);
  if (option->kind != Kind::bytes || !parse_bytes(option->fallback, &bytes)) throw "not a size";
  return bytes;
}

}  // namespace lapwing::options
