// SPDX-License-Identifier: Apache-2.0
// The words of a command line: options, some of which have a value behind them.
#pragma once

#include <string>
#include <string_view>

namespace lapwing::bench {

/// Goes through the words one by one.
class OptionWords {
 public:
  OptionWords(int argc, char** argv) : argc_(argc), argv_(argv) {}

  /// Whether there is a further option, which is the current one then.
  bool next();
  /// Whether the current option has this name.
  bool is(std::string_view name) const { return name == argv_[at_]; }
  /// The word behind the current option; throws BadOption where there is none.
  std::string value();
  /// Throws BadOption: the program does not know the current option.
  [[noreturn]] void refuse() const;

 private:
  int argc_;
  char** argv_;
  int at_ = 0;
};

}  // namespace lapwing::bench
