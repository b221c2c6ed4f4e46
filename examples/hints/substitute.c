/* SPDX-License-Identifier: Apache-2.0
 *
 * Each even rank sends large messages to the next one, which uses them in three ways that the sender knows:
 * a bidiagonal system from its last row, a series from its first element, and four blocks one after the
 * other. It says so to Lapwing, if that is there; the messages and the result are the same without it. usage:
 * mpiexec -n 2 substitute [ROWS [STEPS]]
 */
#include <lapwing/hints.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { system_tag, series_tag, block_tag, blocks = 4 };

struct row {
  double diagonal, upper, right;
};

static void send_all(struct row* rows, double* series, double* block[blocks], int n, int to) {
  /* Back substitution begins with the last row: strips travel from the end. */
  lapwing_set_order(LAPWING_ORDER_DOWN);
  MPI_Send(rows, 3 * n, MPI_DOUBLE, to, system_tag, MPI_COMM_WORLD);
  lapwing_reset_hints();

  /* The first elements are wanted early: strips of 16 KiB that grow to 128 KiB. */
  lapwing_set_decomposition(16 << 10, 128 << 10);
  MPI_Send(series, n, MPI_DOUBLE, to, series_tag, MPI_COMM_WORLD);
  lapwing_reset_hints();

  /* The later blocks are hidden behind the earlier ones, and travel whole once two are on their way. */
  MPI_Request sent[blocks];
  lapwing_set_train(2);
  for (int k = 0; k < blocks; ++k)
    MPI_Isend(block[k], n, MPI_DOUBLE, to, block_tag + k, MPI_COMM_WORLD, &sent[k]);
  lapwing_reset_hints();
  for (int k = 0; k < blocks; ++k) MPI_Wait(&sent[k], MPI_STATUS_IGNORE);
}

static double receive_all(struct row* rows, double* series, double* block[blocks], int n, int from) {
  MPI_Recv(rows, 3 * n, MPI_DOUBLE, from, system_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double x = 0, result = 0;
  for (int i = n - 1; i >= 0; --i) {
    x = (rows[i].right - rows[i].upper * x) / rows[i].diagonal;
    result += x;
  }
  MPI_Recv(series, n, MPI_DOUBLE, from, series_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i) result = 0.5 * result + series[i];

  MPI_Request coming[blocks];
  for (int k = 0; k < blocks; ++k)
    MPI_Irecv(block[k], n, MPI_DOUBLE, from, block_tag + k, MPI_COMM_WORLD, &coming[k]);
  for (int k = 0; k < blocks; ++k) {
    MPI_Wait(&coming[k], MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i) result = 0.25 * result + block[k][i];
  }
  return result;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc > 1 ? atoi(argv[1]) : 1 << 17;
  const int steps = argc > 2 ? atoi(argv[2]) : 4;
  if (n < 1) {
    fprintf(stderr, "substitute: there must be rows\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  struct row* rows = malloc((size_t)n * sizeof *rows);
  double* series = malloc((size_t)n * sizeof *series);
  double* block[blocks];
  for (int k = 0; k < blocks; ++k) block[k] = malloc((size_t)n * sizeof *block[k]);

  double sum = 0, all = 0;
  for (int step = 0; step < steps; ++step) {
    if (rank % 2 == 1) {
      sum += receive_all(rows, series, block, n, rank - 1);
    } else if (rank + 1 < size) {
      for (int i = 0; i < n; ++i) {
        rows[i] = (struct row){4, 1, (double)((i + step) % 11)};
        series[i] = (i + 2 * step) % 7;
        for (int k = 0; k < blocks; ++k) block[k][i] = (i + k + step) % 5;
      }
      send_all(rows, series, block, n, rank + 1);
    }
  }
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("substitute: %d rows, %d steps, checksum %.6f\n", n, steps, all);
  for (int k = 0; k < blocks; ++k) free(block[k]);
  free(series);
  free(rows);
  MPI_Finalize();
  return 0;
}
