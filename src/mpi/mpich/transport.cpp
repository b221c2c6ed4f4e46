// SPDX-License-Identifier: Apache-2.0
// MPICH over UCX. Over TCP and in shared memory UCX asks the receiver from some 8 KiB on whether it is ready
// (the rendezvous protocol), and nothing moves until both processes have called MPI again. A message that is
// sent at once is there 40 to 60 us earlier over TCP, two to five times as soon in shared memory, and travels
// while both processes compute. The sender alone chooses, so ranks may differ. MPICHs without UCX do not read
// the variable.
#include "mpi/transport.hpp"

#include <array>
#include <cstdlib>

#include <unistd.h>

namespace lapwing::mpi {
namespace {

namespace fs = std::filesystem;

/// Shorter messages are sent at once. A receiver that has not posted them holds them in memory, as under MPIs
/// that have this limit of their own.
constexpr std::array<TransportVariable, 1> given{{{"UCX_RNDV_THRESH", "262144"}}};
/// Threshold, scheme and their kin all begin so: whoever sets one has tuned the protocol already.
constexpr std::array<std::string_view, 1> choices{"UCX_RNDV_"};

bool user_chooses() {
  for (char* const* variable = environ; variable && *variable; ++variable) {
    if (std::string_view(*variable).starts_with(choices[0])) return true;
  }
  const char* const home = std::getenv("HOME");
  return names_parameter("/etc/ucx/ucx.conf", choices) || names_parameter("ucx.conf", choices) ||
         (home && names_parameter(fs::path(home) / "ucx.conf", choices));
}

}  // namespace

std::span<const TransportVariable> transport_variables() { return given; }

bool transport_is_chosen() { return user_chooses() || has_rdma_device(); }

}  // namespace lapwing::mpi
