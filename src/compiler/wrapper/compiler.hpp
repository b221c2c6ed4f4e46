// SPDX-License-Identifier: Apache-2.0
// The compiler that is driven: clang 19 or flang 19, for the pass is built for
// these.
#pragma once

#include <string>

#include "language.hpp"
#include "words.hpp"

namespace lapwing::wrapper {

/// The compiler's words: a program, perhaps behind another such as ccache. By
/// LAPWING_CC and its like; else by what the MPI's wrapper would follow
/// (`by_option`, -cc=; MPICH_CC, OMPI_CC), which is reported and not followed
/// if it is no LLVM 19; else the one on PATH. Throws Failure if there is none.
Words find_compiler(Language language, Mpi mpi, const std::string& by_option);

/// The linker that full LTO needs, if it is there.
bool has_lld(const Words& compiler);

}  // namespace lapwing::wrapper
