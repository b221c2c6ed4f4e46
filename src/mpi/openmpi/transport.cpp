// SPDX-License-Identifier: Apache-2.0
// Open MPI over TCP. A receiver asks there for a whole long message by one request, which queues up behind
// the bytes that the receiver itself sends to the same rank. In an exchange the rank that comes late asks
// after the other has begun to send, so that the two directions travel one after the other; the rank that was
// late is the early one next time, and so it stays. Asked for in fragments, and few of them at once, the
// directions travel at the same time. Each rank chooses for what it receives, so ranks without Lapwing, and
// other jobs that connect, are served as well.
#include "mpi/transport.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "mpi/binding.hpp"

namespace lapwing::mpi {
namespace {

namespace fs = std::filesystem;

/// A receiver asks for this many bytes by one request, and for the next ones when they are here, with two
/// requests under way. Half of the bytes make single messages slower on a link of 10 Gbit/s. Twice the
/// requests, Open MPI's own number, ask for 512 KiB at once, and exchanges below 1 MiB travel one direction
/// after the other as before.
constexpr std::array<TransportVariable, 2> given{
    {{"OMPI_MCA_btl_tcp_rdma_pipeline_frag_size", "131072"}, {"OMPI_MCA_pml_ob1_recv_pipeline_depth", "2"}}};
/// A user who chooses one of these has tuned the protocol already.
constexpr std::array<std::string_view, 3> choices{"btl_tcp_rdma_pipeline_frag_size",
                                                  "pml_ob1_recv_pipeline_depth", "btl_tcp_flags"};
/// On links beyond this, in Mbit/s, the requests themselves would delay messages of some 300 KB.
constexpr int fastest_link = 10'000;

/// In one of the places where Open MPI looks.
bool user_chooses() {
  const auto in_environment = [](std::string_view name) {
    return std::getenv(("OMPI_MCA_" + std::string(name)).c_str()) != nullptr;
  };
  if (std::ranges::any_of(choices, in_environment)) return true;
  if (const char* const home = std::getenv("HOME");
      home && names_parameter(fs::path(home) / ".openmpi" / "mca-params.conf", choices))
    return true;
  const fs::path prefix = fs::path(library_path()).parent_path().parent_path();
  return names_parameter(prefix / "etc" / "openmpi-mca-params.conf", choices) ||
         names_parameter("/etc/openmpi/openmpi-mca-params.conf", choices);
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

}  // namespace

std::span<const TransportVariable> transport_variables() { return given; }

bool transport_is_chosen() { return user_chooses() || has_fast_link(); }

}  // namespace lapwing::mpi
