// SPDX-License-Identifier: Apache-2.0
#include "support/json_line.hpp"

#include <cmath>
#include <cstdio>

namespace lapwing::bench {

namespace {

std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

JsonLine& JsonLine::raw(std::string_view name, std::string_view value) {
  if (!body_.empty()) body_ += ", ";
  body_ += quoted(name);
  body_ += ": ";
  body_ += value;
  return *this;
}

JsonLine& JsonLine::text(std::string_view name, std::string_view value) { return raw(name, quoted(value)); }

JsonLine& JsonLine::number(std::string_view name, double value) {
  if (!std::isfinite(value)) return null(name);
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return raw(name, digits);
}

JsonLine& JsonLine::integer(std::string_view name, std::int64_t value) {
  return raw(name, std::to_string(value));
}

JsonLine& JsonLine::boolean(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }

JsonLine& JsonLine::null(std::string_view name) { return raw(name, "null"); }

std::string JsonLine::str() const { return "{" + body_ + "}"; }

void JsonLine::print() const {
  const std::string line = str() + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

}  // namespace lapwing::bench
