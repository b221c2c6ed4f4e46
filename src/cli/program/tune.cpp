// SPDX-License-Identifier: Apache-2.0
// lapwing tune's measuring program: two ranks, the transport between them, and
// the guards of rank 0's machine. Writes the profile named by --profile.
#include <mpi.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "guard/guard.hpp"
#include "machine/profile.hpp"

namespace {

namespace guard = lapwing::guard;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Seconds of one way, by ping-pong between ranks 0 and 1.
double one_way(int rank, std::vector<char>& buffer, int bytes, int rounds) {
  std::vector<double> times;
  for (int i = 0; i < rounds + 2; ++i) {
    const double begun = PMPI_Wtime();
    if (rank == 0) {
      PMPI_Send(buffer.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      PMPI_Recv(buffer.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      PMPI_Recv(buffer.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      PMPI_Send(buffer.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    if (i >= 2) times.push_back((PMPI_Wtime() - begun) / 2);
  }
  return median(times);
}

// Processor time to hand one small message to MPI.
double send_overhead(int rank, int rounds) {
  std::vector<double> times;
  char byte = 0;
  for (int i = 0; i < rounds; ++i) {
    MPI_Request request;
    const double begun = PMPI_Wtime();
    if (rank == 0) PMPI_Isend(&byte, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    times.push_back(PMPI_Wtime() - begun);
    if (rank == 0) PMPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) PMPI_Recv(&byte, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return median(times);
}

struct GuardCosts {
  double close = 0, open = 0;  // seconds
};

GuardCosts cost_of(char* memory, std::size_t bytes) {
  std::vector<double> close, open;
  for (int i = 0; i < 15; ++i) {
    std::memset(memory, i, bytes);
    const double begun = PMPI_Wtime();
    auto region = guard::close_incoming(memory, memory + bytes);
    const double closed = PMPI_Wtime();
    if (!region) return {};
    region->open(memory, memory + bytes);
    close.push_back(closed - begun);
    open.push_back(PMPI_Wtime() - closed);
  }
  return {median(close), median(open)};
}

// From a touch until the program goes on, with a thread that opens at once.
double fault_cost(char* memory, std::size_t bytes) {
  std::vector<double> times;
  for (int i = 0; i < 15; ++i) {
    std::memset(memory, i, bytes);
    auto region = guard::close_incoming(memory, memory + bytes);
    if (!region) return 0;
    std::thread opener([&] {
      guard::mark_engine_thread();
      while (region->faults.load() == 0) {
        if (guard::event_fd() >= 0) guard::serve();
      }
      region->open(memory, memory + bytes);
    });
    const double begun = PMPI_Wtime();
    *static_cast<volatile char*>(memory) = 1;
    times.push_back(PMPI_Wtime() - begun);
    opener.join();
  }
  return median(times);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0, size = 1;
  PMPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  std::string path;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--profile") == 0) path = argv[i + 1];
  }
  if (size < 2 || path.empty()) {
    if (rank == 0) std::fprintf(stderr, "tune: needs two ranks and --profile FILE; run it as lapwing tune\n");
    PMPI_Finalize();
    return 2;
  }
  lapwing::machine::Profile profile;
  std::vector<char> buffer(4 << 20, 1);
  profile.round_trip_us = 2e6 * one_way(rank, buffer, 8, 200);
  const double large = one_way(rank, buffer, 4 << 20, 7), medium = one_way(rank, buffer, 1 << 20, 11);
  profile.gap_ns_per_byte = 1e9 * (large - medium) / (3 << 20);
  profile.overhead_us = 2e6 * send_overhead(rank, 200);
  MPI_Comm node;
  int here = 0;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  PMPI_Comm_size(node, &here);
  PMPI_Comm_free(&node);
  int failed = 0;
  if (rank == 0) {
    if (guard::start(
            guard::Backend::none, [](void*) {}, nullptr)) {
      const std::size_t most = 4 << 20;
      void* memory = mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      const GuardCosts small = cost_of(static_cast<char*>(memory), 64 << 10),
                       big = cost_of(static_cast<char*>(memory), most);
      profile.close_us = 1e6 * small.close;
      profile.close_ns_per_byte =
          std::max(0.0, 1e9 * (big.close - small.close) / static_cast<double>(most - (64 << 10)));
      profile.open_ns_per_byte = 1e9 * big.open / static_cast<double>(most);
      profile.fault_us = 1e6 * fault_cost(static_cast<char*>(memory), 64 << 10);
      guard::stop();
    }
    std::ofstream file(path);
    file << lapwing::machine::profile_as_json(profile, LAPWING_FLAVOUR, here == size);
    file.close();
    failed = !file;
    if (failed) std::fprintf(stderr, "tune: the profile cannot be written to %s\n", path.c_str());
  }
  PMPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  PMPI_Finalize();
  return failed;
}
