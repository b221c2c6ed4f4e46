// SPDX-License-Identifier: Apache-2.0
// A Waitall for a receive and a send, with a vector alive: each stage reads what came and writes what is sent
// next. Then the same where a pointer from a structure is the request array: its elements are overwritten by
// hand.
#define MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int many = 50000;
struct Halo {
  double *in, *out;
  MPI_Request* requests;
};

double stages(Halo& h, int peer, std::vector<double>& work) {
  MPI_Request r[2];
  double sum = 0;
  for (int stage = 0; stage < 20; ++stage) {
    for (int i = 0; i < many; ++i) h.out[i] = work[i] + stage;
    MPI_Irecv(h.in, many, MPI_DOUBLE, peer, stage, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(h.out, many, MPI_DOUBLE, peer, stage, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < many; ++i) work[i] = work[i] * 0.5 + h.in[i];
    sum += work[stage];
  }
  return sum;
}

// The request is moved to another place, and waited for there.
double copied(Halo& h, int peer, std::vector<double>& work) {
  double sum = 0;
  for (int stage = 0; stage < 20; ++stage) {
    MPI_Request r[2];
    h.requests = r;
    for (int i = 0; i < many; ++i) h.out[i] = work[i] + stage;
    MPI_Irecv(h.in, many, MPI_DOUBLE, peer, stage, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(h.out, many, MPI_DOUBLE, peer, stage, MPI_COMM_WORLD, &r[1]);
    MPI_Request first = h.requests[0];
    h.requests[0] = h.requests[1];
    h.requests[1] = first;
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    for (int i = 0; i < many; ++i) work[i] = work[i] * 0.5 + h.in[i];
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    sum += work[stage];
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> in(many), out(many), work(many);
  for (int i = 0; i < many; ++i) work[i] = rank * 1000 + i;
  Halo h{in.data(), out.data(), nullptr};
  const double first = stages(h, 1 - rank, work);
  const double second = copied(h, 1 - rank, work);
  std::printf("%d: %.17g %.17g\n", rank, first, second);
  MPI_Finalize();
}
