// SPDX-License-Identifier: Apache-2.0
#include "support/texts.hpp"

#include <cmath>
#include <cstdlib>
#include <sstream>

namespace lapwing::bench {

std::size_t parse_bytes(const std::string& text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  unsigned shift = 0;
  if (*end == 'K' || *end == 'k') shift = 10;
  if (*end == 'M' || *end == 'm') shift = 20;
  if (*end == 'G' || *end == 'g') shift = 30;
  if (shift != 0) ++end;
  if (text.empty() || end == text.c_str() || *end != '\0' || text[0] == '-' || value > (1ULL << 40))
    throw BadOption("'" + text + "' is not a number of bytes; write for example 65536, 64K or 16M");
  return static_cast<std::size_t>(value) << shift;
}

double parse_positive(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value <= 0)
    throw BadOption("'" + text + "' is not a number above zero");
  return value;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) out.push_back(item);
  return out;
}

}  // namespace lapwing::bench
