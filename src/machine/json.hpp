// SPDX-License-Identifier: Apache-2.0
// A small reader of JSON, for files that Lapwing itself has written. It throws nothing: engines read such
// files in programs in which a throw ends the process.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lapwing::machine {

struct Json {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  double number = 0;  ///< of a boolean 0 or 1
  std::string text;
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  const Json* member(std::string_view name) const;
  bool is(Kind wanted) const { return kind == wanted; }
};

/// The one value that `text` consists of; false where it is anything else, or deeper than files of ours are.
bool read_json(std::string_view text, Json* value);

/// `text` between quotation marks, with what JSON wants escaped.
std::string json_text(std::string_view text);

}  // namespace lapwing::machine
