// SPDX-License-Identifier: Apache-2.0
// For counting instructions: a loop of small calls in a function of its own,
// which callgrind is told to watch. The driver compares runs with and without
// Lapwing. usage: mpiexec -n 1|2 small_calls [LOOPS]
//
// One rank sends to itself (each loop 6 calls that never wait); two ranks play
// ping-pong (each loop 2 calls).
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int tag = 5;

void with_itself(std::uint64_t* out, std::uint64_t* in) {
  MPI_Request request;
  MPI_Irecv(in, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
  MPI_Send(out, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(out, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
  MPI_Recv(in, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void with_other(int rank, std::uint64_t* out, std::uint64_t* in) {
  if (rank == 0) MPI_Send(out, 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
  MPI_Recv(in, 8, MPI_BYTE, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(in, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
}

}  // namespace

extern "C" [[gnu::noinline]] bool lapwing_bench_small_calls(int loops, int rank, int size) {
  std::uint64_t out = 0, in = 0;
  bool right = true;
  for (int i = 0; i < loops; ++i) {
    ++out;
    if (size == 1)
      with_itself(&out, &in);
    else
      with_other(rank, &out, &in);
    right = right && (rank != 0 || in == out);
  }
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int loops = argc > 1 ? std::atoi(argv[1]) : 1000;
  const bool right = lapwing_bench_small_calls(loops, rank, size);
  if (!right) std::fprintf(stderr, "small_calls: wrong data received\n");
  MPI_Finalize();
  return right ? 0 : 1;
}
