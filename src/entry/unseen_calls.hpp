// SPDX-License-Identifier: Apache-2.0
// Calls of MPI's profiling interface that a program makes itself: Lapwing does not see them.
#pragma once

namespace lapwing::entry {

/// Whether a message may be received, looked for or completed by a call that Lapwing does not see, since the
/// program, or a library that it brought, makes it by its name PMPI_. Such a program's messages must travel
/// as MPI lets them: a receive that Lapwing has taken over would never be retired. A tool that wraps these
/// calls, and whose wrappers Lapwing's come before, makes none of them. Asked before MPI starts; communicates
/// nothing.
bool receives_unseen();

}  // namespace lapwing::entry
