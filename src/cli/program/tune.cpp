// SPDX-License-Identifier: Apache-2.0
// lapwing tune's measuring program: two ranks, the transport between them, and the machine and the guards of
// rank 0. Rank 0 prints a record of the profile, which the command keeps: rank 0 may be on another host.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "cli/program/measure.hpp"
#include "machine/profile.hpp"
#include "mpi/product.hpp"

namespace {

namespace machine = lapwing::machine;
namespace tune = lapwing::tune;

std::string library_version() {
  std::vector<char> text(1 << 16);
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  return text.data();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[16] = "";
  if (localtime_r(&now, &parts)) std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

void measure(MPI_Comm pair) {
  MPI_Comm node;
  int here = 0, rank = 0;
  PMPI_Comm_rank(pair, &rank);
  PMPI_Comm_split_type(pair, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  PMPI_Comm_size(node, &here);
  PMPI_Comm_free(&node);
  machine::Measured record;
  record.key = {here == 2 ? machine::Link::node : machine::Link::network, machine::this_machine(),
                lapwing::mpi::product_of(library_version()), lapwing::mpi::chosen_transport()};
  record.date = today();
  machine::Costs& costs = record.costs;
  tune::measure_link(pair, &costs);
  costs.spare_cores = tune::measure_spare_cores(pair, here);
  if (rank == 0) {
    costs.copy_ns_per_byte = tune::measure_copy();
    // A receive of a message that MPI sends only when it is asked for has waited for the wire as well, and
    // one that hardly takes longer than a receive of nothing has been measured badly: a byte is copied at
    // least once, by whatever caches help, and costs a processor no more than a few copies.
    costs.receive_ns_per_byte =
        std::clamp(costs.receive_ns_per_byte, costs.copy_ns_per_byte / 2, 4 * costs.copy_ns_per_byte);
    tune::measure_guards(&costs);
    std::printf("%s\n", machine::as_json(record).c_str());
    std::fflush(stdout);
  }
  // The other rank leaves its core free meanwhile.
  MPI_Request both;
  PMPI_Ibarrier(pair, &both);
  for (int here_too = 0; !here_too; usleep(500)) PMPI_Test(&both, &here_too, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0, size = 1;
  PMPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) {
    std::fprintf(stderr, "tune: needs two ranks; run it as lapwing tune\n");
    PMPI_Finalize();
    return 2;
  }
  // The first rank and the last one: launchers put neighbours on one node.
  MPI_Comm pair;
  const bool measures = rank == 0 || rank == size - 1;
  PMPI_Comm_split(MPI_COMM_WORLD, measures ? 0 : MPI_UNDEFINED, rank, &pair);
  if (measures) {
    measure(pair);
    PMPI_Comm_free(&pair);
  }
  PMPI_Finalize();
  return 0;
}
