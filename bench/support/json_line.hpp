// SPDX-License-Identifier: Apache-2.0
// One result as one line of JSON: a flat object whose fields keep the order in
// which they were added.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lapwing::bench {

class JsonLine {
 public:
  JsonLine& text(std::string_view name, std::string_view value);
  /// A value that is not finite becomes null.
  JsonLine& number(std::string_view name, double value);
  JsonLine& integer(std::string_view name, std::int64_t value);
  JsonLine& boolean(std::string_view name, bool value);
  JsonLine& null(std::string_view name);

  /// The object, without a newline.
  std::string str() const;
  /// Writes the object and a newline to stdout, at once, and flushes.
  void print() const;

 private:
  JsonLine& raw(std::string_view name, std::string_view value);
  std::string body_;
};

}  // namespace lapwing::bench
