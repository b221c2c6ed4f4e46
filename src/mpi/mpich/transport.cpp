// SPDX-License-Identifier: Apache-2.0
// MPICH over UCX. Over TCP and in shared memory UCX asks the receiver from some 8 KiB on whether it is ready
// (the rendezvous protocol), and nothing moves until both processes have called MPI again. A message that is
// sent at once is there 40 to 60 us earlier over TCP, two to five times as soon in shared memory, and travels
// while both processes compute. The sender alone chooses, so ranks may differ. MPICHs without UCX do not read
// the variable.
#include "mpi/transport.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "mpi/launch.hpp"
#include "mpi/references.hpp"

namespace lapwing::mpi {
namespace {

namespace fs = std::filesystem;

/// Shorter messages are sent at once. A receiver that has not posted them holds them in memory, as under MPIs
/// that have this limit of their own.
constexpr TransportVariable sent_at_once{"UCX_RNDV_THRESH", "262144"};
/// With fewer cores than ranks, ranks that keep their cores while they wait take 8 ms for a small Allreduce
/// of four, and 10 us if they yield. Where each rank has a core, yields would only cost. Over UCX they yield
/// anyway (preload/ucx_progress.cpp). Intel MPI has the first of these; MPICH has the second from 4.3 on, and
/// the third from 5.0 on, whose own value is 4,096 looks in vain: 7.6 ms, instead of 0.1 ms.
constexpr std::array<TransportVariable, 3> yields{
    {{"I_MPI_THREAD_YIELD", "2"},
     {"MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1"},
     {"MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "16"}}};
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

bool runs_over_ucx() {
  if (const char* const chosen = std::getenv("MPIR_CVAR_CH4_NETMOD"))
    return std::string_view(chosen) == "ucx";
  void* const ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (ucx) dlclose(ucx);
  return ucx != nullptr;
}

/// UCX hands MPICH a long message that was sent at once in pieces, and MPICH 4.0 reports a message as
/// truncated where a piece ends within a basic element of a receive that leaves gaps: complex numbers,
/// records. Senders that leave gaps cut between elements; one that leaves none does not know its receiver. So
/// a program keeps MPICH's own threshold if it refers to a constructor of types that may leave gaps.
bool may_leave_gaps() {
  static constexpr const char* constructors[] = {"MPI_Type_vector",
                                                 "MPI_Type_hvector",
                                                 "MPI_Type_indexed",
                                                 "MPI_Type_hindexed",
                                                 "MPI_Type_struct",
                                                 "MPI_Type_create_",
                                                 "mpi_type_vector",
                                                 "mpi_type_hvector",
                                                 "mpi_type_indexed",
                                                 "mpi_type_hindexed",
                                                 "mpi_type_struct",
                                                 "mpi_type_create_",
                                                 "PMPI_Type_vector",
                                                 "PMPI_Type_hvector",
                                                 "PMPI_Type_indexed",
                                                 "PMPI_Type_struct",
                                                 "PMPI_Type_hindexed",
                                                 "PMPI_Type_create_",
                                                 "pmpi_type_vector",
                                                 "pmpi_type_hvector",
                                                 "pmpi_type_indexed",
                                                 "pmpi_type_struct",
                                                 "pmpi_type_hindexed",
                                                 "pmpi_type_create_",
                                                 nullptr};
  return refers_to(constructors, Files::outside_mpi);
}

}  // namespace

std::vector<TransportVariable> protocol_variables() {
  if (user_chooses() || has_rdma_device() || may_leave_gaps()) return {};
  return {sent_at_once};
}

std::vector<TransportVariable> yield_variables() {
  std::vector<TransportVariable> given;
  if (node_is_crowded() && !runs_over_ucx()) {
    for (const TransportVariable& variable : yields)
      if (!std::getenv(variable.name)) given.push_back(variable);
  }
  return given;
}

}  // namespace lapwing::mpi
