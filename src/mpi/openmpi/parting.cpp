// SPDX-License-Identifier: Apache-2.0
#include "mpi/parting.hpp"

namespace lapwing::mpi {

void remember_connections() {}
void answer_while_parting() {}

}  // namespace lapwing::mpi
