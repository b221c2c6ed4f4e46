/* SPDX-License-Identifier: Apache-2.0 */
/* Two buffers take turns: the receive of the next round is posted before the loop that reads this round's.
 * Waits that follow calls which look at their requests or statuses. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { count = 30000, rounds = 5 };

static int rank, size;

static void show(const char* name, const double* numbers) {
  unsigned long sum = 0;
  for (long i = 0; i < count; ++i) {
    unsigned long bits;
    memcpy(&bits, numbers + i, 8);
    sum = (sum ^ bits) * 1099511628211ul;
  }
  printf("%s %d %lx\n", name, rank, sum);
}

static double* numbers(int salt) {
  double* made = malloc(2 * count * sizeof(double));
  for (int i = 0; i < 2 * count; ++i) made[i] = i % 97 + salt;
  return made;
}

static void send(double* out, int round, int tag, int some) {
  for (int i = 0; i < count; ++i) out[i] = rank * 1000 + i % 89 + round;
  if (round % 2 == rank % 2) usleep(20000);
  MPI_Send(out, some, MPI_DOUBLE, (rank + 1) % size, tag, MPI_COMM_WORLD);
}

static void expect(double* in, int tag, MPI_Request* request) {
  MPI_Irecv(in, count, MPI_DOUBLE, (rank + size - 1) % size, tag, MPI_COMM_WORLD, request);
}

static void ahead(void) {
  double *out = numbers(1), *came = numbers(2), *sums = numbers(3);
  MPI_Request request;
  expect(came, 1, &request);
  for (int round = 0; round < rounds; ++round) {
    send(out, round, 1, count);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (round + 1 < rounds) expect(came + (round + 1) % 2 * count, 1, &request);
    for (int i = 0; i < count; ++i) sums[i] = sums[i] * 0.5 + came[round % 2 * count + i];
  }
  show("ahead", sums);
  free(out), free(came), free(sums);
}

static void any(void) {
  double *out = numbers(1), *came = numbers(2), *sums = numbers(3);
  for (int round = 0; round < rounds; ++round) {
    MPI_Request requests[2];
    int which = -1;
    expect(came, 2, &requests[0]);
    expect(came + count, 3, &requests[1]);
    send(out, round, 2, count);
    send(out, round + 1, 3, count);
    MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i) sums[i] = sums[i] * 0.5 + 3;
    if (which != 0 && which != 1) printf("any %d got none\n", rank);
  }
  show("any", sums);
  free(out), free(came), free(sums);
}

static void counted(void) {
  double *out = numbers(1), *came = numbers(2), *sums = numbers(3);
  for (int round = 0; round < rounds; ++round) {
    MPI_Request first, second;
    MPI_Status status;
    int one = 0, two = 0;
    expect(came, 4, &first);
    expect(came + count, 5, &second);
    send(out, round, 4, count);
    send(out, round, 5, count / 2);
    MPI_Wait(&first, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &one);
    MPI_Wait(&second, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &two);
    for (int i = 0; i < count; ++i) sums[i] = sums[i] * 0.5 + 3;
    printf("counted %d %d %d\n", rank, one, two);
  }
  show("counted", sums);
  free(out), free(came), free(sums);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ahead();
  any();
  counted();
  MPI_Finalize();
  return 0;
}
