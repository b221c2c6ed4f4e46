// SPDX-License-Identifier: Apache-2.0
// LLVM's OpenMP library, which mpicc's gcc needs none of: Debian has it in a package of its own.
#pragma once

#include "words.hpp"

namespace lapwing::wrapper {

/// Says which package to install where a program is linked with -fopenmp by a compiler of Debian's that has
/// no libomp; the linker then says only that it finds none.
void miss_openmp(const Words& compiler, const Words& arguments);

}  // namespace lapwing::wrapper
