// SPDX-License-Identifier: Apache-2.0
// Messages at absolute addresses, whose MPI_BOTTOM is an argument, or one of two places. Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

enum { many = 131072 };
static double g[many], h[many], both[2 * many], left[many], right[many], work[work_length];

static MPI_Datatype type_of(double* one, double* two) {
  MPI_Aint at[2];
  const int lengths[2] = {many, many};
  MPI_Datatype type;
  MPI_Get_address(one, &at[0]);
  MPI_Get_address(two, &at[1]);
  MPI_Type_create_hindexed(two ? 2 : 1, lengths, at, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static double sum(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}

__attribute__((noinline)) static void take(void* where, MPI_Datatype type) {
  MPI_Recv(where, 1, type, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// What is sent is received over by a function that knows it as MPI_BOTTOM only.
__attribute__((noinline)) static void send_and_take(MPI_Datatype absolute, MPI_Datatype relative) {
  for (int i = 0; i < many; ++i) g[i] = 1;
  MPI_Send(g, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
  work_on(work, 500);
  take(MPI_BOTTOM, absolute);
  take(h, relative);
}

__attribute__((noinline)) static double choose(int scattered, MPI_Datatype places) {
  void* where = scattered ? MPI_BOTTOM : both;
  MPI_Recv(where, scattered ? 1 : 2 * many, scattered ? places : MPI_DOUBLE, 1, 3, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  work_on(work, 500);
  const double s = sum(left, many) + sum(right, many);
  return s + sum(both, 2 * many);
}

// The variables are this function's own, to which no address from elsewhere leads.
__attribute__((noinline)) static double own(void* where) {
  double one[many / 8], two[many / 8];
  MPI_Aint at[2];
  const int lengths[2] = {many / 8, many / 8};
  MPI_Datatype type;
  MPI_Get_address(one, &at[0]);
  MPI_Get_address(two, &at[1]);
  MPI_Type_create_hindexed(2, lengths, at, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < many / 8; ++i) one[i] = two[i] = -1;
  MPI_Recv(where, 1, type, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work_on(work, 500);
  const double s = sum(one, many / 8) + 2 * sum(two, many / 8);
  MPI_Type_free(&type);
  return s;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype absolute = type_of(g, NULL), places = type_of(left, right), relative;
  MPI_Type_contiguous(many, MPI_DOUBLE, &relative);
  MPI_Type_commit(&relative);
  if (rank == 0) {
    send_and_take(absolute, relative);
    printf("taken: %.0f\n", sum(g, many));
    for (int k = 0; k < 3; ++k) printf("chosen: %.0f\n", choose(k > 0, places));
    printf("own: %.0f\n", own(MPI_BOTTOM));
  } else {
    MPI_Request request;
    for (int i = 0; i < many; ++i) h[i] = 2;
    MPI_Isend(h, many, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &request);
    usleep(300000);
    MPI_Recv(g, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("sent: %.0f\n", sum(g, many));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(h, many, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < 2 * many; ++i) both[i] = k + 3;
      usleep(200000);
      MPI_Send(both, k < 3 ? 2 * many : many / 4, MPI_DOUBLE, 0, k < 3 ? 3 : 4, MPI_COMM_WORLD);
    }
  }
  MPI_Type_free(&absolute);
  MPI_Type_free(&places);
  MPI_Type_free(&relative);
  MPI_Finalize();
  return 0;
}
