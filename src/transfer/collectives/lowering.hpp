// SPDX-License-Identifier: Apache-2.0
// A collective call as messages of this process: which come, which leave, and what stays here.
#pragma once

#include <optional>
#include <vector>

#include "transfer/collectives/blocks.hpp"
#include "transfer/collectives/kinds.hpp"

namespace lapwing::transfer {

struct Lowering {
  struct Message {
    int peer;  ///< rank in the call's communicator
    Block block;
  };
  /// Those that have bytes, in the order in which they are to be posted.
  std::vector<Message> comes, leaves;
  /// This process gives a block to itself that is not in its place already.
  bool keeps = false;
  Block kept_from, kept_to;
  /// `leaves` sends what the one message of `comes` brings.
  bool passes_on = false;

  std::size_t bytes_coming() const;
  std::size_t bytes_leaving() const;
  /// The largest that comes, which stands for all of them; null where nothing comes.
  const Message* largest_coming() const;
  /// Bytes are to be written more than once: by two that come, or by one and the block that stays. Only of
  /// blocks that are one run of bytes.
  bool coming_overlap() const;
};

/// Nothing where the call is MPI's: this process's arguments are such as MPI refuses, or all members exchange
/// blocks with MPI_IN_PLACE. Communicates nothing.
std::optional<Lowering> lower(Collective kind, const CollectiveArguments& a, int rank, int size);

}  // namespace lapwing::transfer
