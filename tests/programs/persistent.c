/* SPDX-License-Identifier: Apache-2.0 */
/* Large messages and persistent collectives that one MPI_Waitall completes. Says a sum of all that came, and
   the last statuses of the messages. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 1 << 17, kShare = 10, kRounds = 12 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  double sum = 0;
#if MPI_VERSION >= 4
  double* out = malloc(kCount * sizeof *out);
  double* in = malloc(kCount * sizeof *in);
  double* shares = calloc((size_t)size * kShare, sizeof *shares);
  double* got = calloc((size_t)size * kShare, sizeof *got);
  MPI_Request requests[5];
  MPI_Status statuses[5];
  /* Also one that is never started, and a null one. */
  requests[4] = MPI_REQUEST_NULL;
  MPI_Alltoall_init(shares, kShare, MPI_DOUBLE, got, kShare, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &requests[1]);
  MPI_Recv_init(got, 1, MPI_DOUBLE, last, 9, MPI_COMM_WORLD, &requests[2]);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kCount; ++i) out[i] = i + round * rank;
    for (int i = 0; i < size * kShare; ++i) shares[i] = round + rank * i;
    MPI_Irecv(in, kCount, MPI_DOUBLE, last, round, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, kCount, MPI_DOUBLE, next, round, MPI_COMM_WORLD, &requests[3]);
    MPI_Start(&requests[1]);
    MPI_Waitall(5, requests, round % 3 ? statuses : MPI_STATUSES_IGNORE);
    if (requests[0] != MPI_REQUEST_NULL || requests[3] != MPI_REQUEST_NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    if (requests[1] == MPI_REQUEST_NULL || requests[2] == MPI_REQUEST_NULL) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < kCount; ++i) sum += in[i] * (i % 7);
    for (int i = 0; i < size * kShare; ++i) sum += got[i];
  }
  int count = 0;
  MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
  if (count != kCount || statuses[0].MPI_SOURCE != last || statuses[0].MPI_TAG != kRounds - 1)
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (statuses[2].MPI_SOURCE != MPI_ANY_SOURCE || statuses[4].MPI_SOURCE != MPI_ANY_SOURCE)
    MPI_Abort(MPI_COMM_WORLD, 4);
  MPI_Request_free(&requests[1]);
  MPI_Request_free(&requests[2]);
  free(out);
  free(in);
  free(shares);
  free(got);
#endif
  printf("%d of %d: %.17g\n", rank, size, sum);
  MPI_Finalize();
  return 0;
}
