// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace lapwing::mpi {

/// Whether each helper thread of the processes in `node`, the job's processes on this node, has a processor
/// that no rank needs. Where a launcher has bound ranks to processors and leaves others free, the helper is
/// placed on these: it would share its rank's processor otherwise. Collective over `node`, which must
/// hold all of them: the processors of a rank that is not asked would seem to be free. All get the same
/// answer.
bool find_spare_core(MPI_Comm node);

}  // namespace lapwing::mpi
