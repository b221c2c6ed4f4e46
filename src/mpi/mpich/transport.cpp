// SPDX-License-Identifier: Apache-2.0
// MPICH and its kin send both directions of an exchange at the same time.
#include "mpi/transport.hpp"

namespace lapwing::mpi {

TransportParameters::TransportParameters(bool) {}
TransportParameters::~TransportParameters() = default;

}  // namespace lapwing::mpi
