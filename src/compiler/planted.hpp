// SPDX-License-Identifier: Apache-2.0
// Mistakes that tests plant in the pass, one at a time, to see them found:
// LAPWING_PASS_FAULT=NAME, honoured only with LAPWING_TESTING=1.
#pragma once

namespace lapwing::compiler {

enum class Planted {
  none,
  writes,      ///< stores to what is sent are not seen
  reads,       ///< loads of what is received are not seen
  overwrites,  ///< stores to what is received are not seen
  blocks,      ///< memory that is copied or set as a block is not seen
  calls,       ///< what functions of the program touch is not seen
  aliases,     ///< what only may be the same memory counts as different
  sizes,       ///< a message counts as one element
  exchanged,   ///< pointers that change places count as different
  status,      ///< uses of the status are not seen
  place,       ///< the wait is forgotten at one of its places
  climb,       ///< a start rises above writes to its buffer
  interior,    ///< a loop that is divided does not ask which of its rounds touch what is received
  survey,      ///< a loop on the way to a divided one does not say what it touches
  lists,       ///< a list that may have been written counts as unchanged
};

/// Whether this one is planted.
bool has(Planted fault);

}  // namespace lapwing::compiler
