/* SPDX-License-Identifier: Apache-2.0 */
/* A program that knows nothing of Lapwing: loads LIBRARY LEVEL. The library is loaded between MPI_Init and
 * MPI_Finalize, neither of which it sees, while this process waits for any message to itself. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef double Shift(const double*, double*, double*, int, int);

int main(int argc, char** argv) {
  enum { n = 200000 };
  double *in = calloc(n, 8), *out = calloc(n, 8), *own = calloc(n, 8), sum = 0;
  int level, rank, word = 0, late = 7;
  MPI_Request any;
  MPI_Init_thread(&argc, &argv, atoi(argv[2]) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Irecv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &any);
  void* library = dlopen(argv[1], RTLD_NOW);
  Shift* shift = library ? (Shift*)dlsym(library, "shift") : NULL;
  if (!shift) return puts(dlerror()), 1;
  MPI_Send(&late, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
  MPI_Wait(&any, MPI_STATUS_IGNORE);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < n; ++i) out[i] = i % 7 + rank + round;
    sum += shift(out, in, own, n, 1 - rank);
  }
  printf("rank %d got %d, sum %.17g\n", rank, word, sum);
  MPI_Finalize();
  return 0;
}
