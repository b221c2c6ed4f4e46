// SPDX-License-Identifier: Apache-2.0
#include "support/option_words.hpp"

#include "support/texts.hpp"

namespace lapwing::bench {

bool OptionWords::next() { return ++at_ < argc_; }

std::string OptionWords::value() {
  if (at_ + 1 >= argc_) throw BadOption("the option " + std::string(argv_[at_]) + " needs a value");
  return argv_[++at_];
}

void OptionWords::refuse() const { throw BadOption("there is no option '" + std::string(argv_[at_]) + "'"); }

}  // namespace lapwing::bench
