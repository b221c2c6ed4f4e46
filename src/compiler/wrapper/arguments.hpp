// SPDX-License-Identifier: Apache-2.0
// What a compiler is asked to do, as far as the wrapper must know it.
#pragma once

#include <string>

#include "language.hpp"
#include "words.hpp"

namespace lapwing::wrapper {

/// Whether the word after `word` belongs to it, whatever that looks like.
bool takes_value(const std::string& word);

enum class Lto { none, full, thin };

struct Asked {
  bool bare = false;           ///< a compiler-internal call (-cc1) or no input: nothing is added
  bool compiles = false;       ///< code is generated from a source
  bool sources = false;        ///< a source is read, be it only preprocessed
  bool reads_headers = false;  ///< a source in C or C++, or a header
  bool links = false;
  bool relocatable = false;  ///< -r: no libraries
  bool fully_static = false;
  bool optimises = false;
  bool never_optimises = false;  ///< -O0 said aloud
  bool reassociates = false;  ///< fast-math: the order of floating-point operations is the compiler's choice
  bool tunes_llvm = false;    ///< -mllvm: options of LLVM's own, of which each may be given once
  Lto lto = Lto::none;
  std::string linker;     ///< -fuse-ld= or --ld-path=
  Words fortran;          ///< the Fortran sources
  std::string c_source;   ///< a source that flang cannot read
  bool reads_as = false;  ///< -x is in force at the end
};

/// `assume_source`: as if a source had been named.
Asked read_arguments(const Words& words, Language language, bool assume_source);

}  // namespace lapwing::wrapper
