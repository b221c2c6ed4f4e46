// SPDX-License-Identifier: Apache-2.0
// Open MPI over TCP. A receiver asks there for a whole long message by one request (the PUT protocol of ob1),
// which queues up behind the bytes that the receiver itself sends to the same rank. In an exchange the rank
// that comes late asks after the other has begun to send, so that the two directions travel one after the
// other; the rank that was late is the early one next time, and so it stays. There are two ways out. Both
// concern what a rank receives, so ranks without Lapwing, and other jobs that connect, are served as well.
#include "mpi/transport.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "mpi/launch.hpp"
#include "parameters.hpp"

namespace lapwing::mpi {
namespace {

namespace fs = std::filesystem;

/// A receiver that is allowed no requests says once how far the message has come, and its sender sends the
/// rest. The limit holds for shared memory, too, where it would cost the single copy between two processes.
constexpr std::array<TransportVariable, 1> no_requests{{{"OMPI_MCA_pml_ob1_max_rdma_per_request", "0"}}};
/// A receiver asks for this many bytes by one request, and for the next ones when they are here, with two
/// requests under way. Half of the bytes make single messages slower on a link of 10 Gbit/s. Twice the
/// requests, Open MPI's own number, ask for 512 KiB at once, and exchanges below 1 MiB travel one direction
/// after the other as before. A receive whose buffer is too small for the message spins for good in Open MPI.
constexpr std::array<TransportVariable, 2> small_requests{
    {{"OMPI_MCA_btl_tcp_rdma_pipeline_frag_size", "131072"}, {"OMPI_MCA_pml_ob1_recv_pipeline_depth", "2"}}};
/// With fewer cores than ranks, where Open MPI's own launcher gives the parameter in most jobs and other
/// launchers do not; and where ranks of a full node wait for other nodes, whose messages take so long that
/// yields cost nothing. Four ranks of NPB CG on two hosts that share two cores take 3.6 s without and 0.25 s
/// with it.
constexpr std::string_view yield_when_idle = "mpi_yield_when_idle";
constexpr TransportVariable yields{"OMPI_MCA_mpi_yield_when_idle", "1"};
/// A user who chooses one of these has tuned the protocol already.
constexpr std::array<std::string_view, 4> choices{"btl_tcp_rdma_pipeline_frag_size",
                                                  "pml_ob1_recv_pipeline_depth", "btl_tcp_flags",
                                                  "pml_ob1_max_rdma_per_request"};
/// On links beyond this, in Mbit/s, requests would delay messages of some 300 KB, and the receiver's copy
/// longer ones.
constexpr int fastest_link = 10'000;

bool user_chooses() {
  return std::ranges::any_of(choices, [](std::string_view name) { return parameter(name).has_value(); });
}

/// Links that do not say how fast they are count as slow: virtual machines have them.
bool has_fast_link() {
  std::error_code none;
  for (const fs::directory_entry& link : fs::directory_iterator("/sys/class/net", none)) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        std::fopen((link.path() / "speed").c_str(), "re"), std::fclose);
    int speed = 0;
    if (file && std::fscanf(file.get(), "%d", &speed) == 1 && speed > fastest_link) return true;
  }
  return false;
}

/// Every other rank is reached over TCP: it runs on another host, or the user has named the transports and
/// none of them is shared memory. False where the launcher does not say how many ranks the host has.
bool all_ranks_over_tcp() {
  if (has_rdma_device()) return false;
  if (const char* const size = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
      size && size == std::string_view("1"))
    return true;
  const char* const named = std::getenv("OMPI_MCA_btl");
  if (!named) return false;
  const std::string_view transports = named;
  return transports == "tcp" || transports == "self,tcp" || transports == "tcp,self";
}

}  // namespace

std::vector<TransportVariable> protocol_variables() {
  if (user_chooses() || has_fast_link()) return {};
  const auto chosen = all_ranks_over_tcp() ? std::span<const TransportVariable>(no_requests)
                                           : std::span<const TransportVariable>(small_requests);
  return {chosen.begin(), chosen.end()};
}

std::vector<TransportVariable> yield_variables() {
  if (!cores_are_scarce() || parameter(yield_when_idle)) return {};
  return {yields};
}

}  // namespace lapwing::mpi
