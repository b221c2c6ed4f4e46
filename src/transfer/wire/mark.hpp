// SPDX-License-Identifier: Apache-2.0
// What tells a header from a message of the program's that has the same size.
//
// Each job draws 16 random bytes when it starts, and every header carries them.
// A program never sees them: a header's trailer is overwritten by the payload
// before the program's call returns. So no message of the program's is taken for a
// header, but for one in 2^128, and all its messages may travel as it sent them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "transfer/comms.hpp"

namespace lapwing::transfer {

class Mark {
 public:
  using Bytes = std::array<std::uint64_t, 2>;

  /// Collective over `comm`: rank 0 draws the bytes.
  static void agree(MPI_Comm comm);
  static const Bytes& bytes() { return bytes_; }
  /// Whether these bytes, which came as a message, are a header of this job's.
  static bool is_on(const HeaderBytes& header);

 private:
  static inline Bytes bytes_{};
};

}  // namespace lapwing::transfer
