// SPDX-License-Identifier: Apache-2.0
// A text as a string of JSON.
#pragma once

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

}  // namespace lapwing::transfer
