// SPDX-License-Identifier: Apache-2.0
// The compiler that is driven: clang or flang of the version that the pass was built for.
#pragma once

#include <string>

#include "language.hpp"
#include "words.hpp"

namespace lapwing::wrapper {

/// The major version of LLVM, as "19".
inline constexpr const char* llvm_version = LAPWING_LLVM_MAJOR;

/// The compiler's words: a program, perhaps behind another such as ccache. By
/// LAPWING_CC and its like; else by what the MPI's wrapper would follow
/// (`by_option`, -cc=; MPICH_CC, OMPI_CC), which is reported and not followed
/// if it is of no such version; else the one on PATH. Throws Failure if there is none.
Words find_compiler(Language language, Mpi mpi, const std::string& by_option);

/// The linker that full LTO needs, if it is there.
bool has_lld(const Words& compiler);

}  // namespace lapwing::wrapper
