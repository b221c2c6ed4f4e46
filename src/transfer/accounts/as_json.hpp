// SPDX-License-Identifier: Apache-2.0
// Texts and times as JSON has them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace lapwing::transfer {

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

inline std::string decimal_seconds(std::uint64_t nanoseconds) {
  return fmt::format("{:.9f}", 1e-9 * static_cast<double>(nanoseconds));
}

}  // namespace lapwing::transfer
