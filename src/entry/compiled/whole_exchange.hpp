// SPDX-License-Identifier: Apache-2.0
// Send-receives that the compiler has split, where nothing is to be split
// (Proved::Way::blocking): the sending half is held until the receiving one
// comes, and the two go as the program's one call. Apart, both would stand still
// from their start to their wait, with nobody to move them.
#pragma once

#include "entry/p2p/p2p.hpp"

namespace lapwing::entry {

/// Of this thread. `replaces`: of MPI_Sendrecv_replace. The receiving half is the
/// very next start: the pass moves none past another's receive (compiler/waits/earlier.hpp).
void hold_half(const transfer::SendArguments& sends, bool replaces);
bool holds_half();

/// The sending half was started and has failed: the receiving one, which MPI would not
/// have begun either, is to give that error, and not to wait for an answer.
void fail_half(int error);
/// MPI_SUCCESS, or that error, once.
int take_failed_half();

/// The call, with the half that is held; gives what it returned.
int exchange_whole(const transfer::ReceiveArguments& receives, MPI_Status* status);

}  // namespace lapwing::entry
