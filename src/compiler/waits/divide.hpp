// SPDX-License-Identifier: Apache-2.0
// A Waitall for sends and receives: the receives are waited for where it stands, the sends where their
// buffers are written again. MPI 4.0, 3.7.5: a Waitall completes as one Wait for each of its requests does,
// in any order.
#pragma once

#include <optional>

#include "compiler/waits/transfer.hpp"

namespace lapwing::compiler {

struct Division {
  struct Run {
    unsigned first, count;
  };
  llvm::SmallVector<Run, 4> sends, others;
  llvm::SmallVector<llvm::CallBase*, 4> starts_of_others;
};

/// How the Waitall of `whole` can be divided: each start says by a constant index which request it starts,
/// and of some only standard sends do. `sends`: their part of `whole`.
std::optional<Division> find_division(const MpiCall& wait, const Transfer& whole, Transfer& sends);

/// Puts the waits for the others before the call, which becomes the last wait for sends.
struct Divided {
  llvm::SmallVector<llvm::CallBase*, 4> sends, others;
};
Divided divide(const MpiCall& wait, const Division& division);

}  // namespace lapwing::compiler
