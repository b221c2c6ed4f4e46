/* SPDX-License-Identifier: Apache-2.0 */
/* A library of one function, whose exchange goes on while it computes. */
#include <mpi.h>

double shift(const double* restrict out, double* restrict in, double* restrict own, int n, int other);

double shift(const double* restrict out, double* restrict in, double* restrict own, int n, int other) {
  double sum = 0;
  MPI_Sendrecv(out, n, MPI_DOUBLE, other, 0, in, n, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int k = 0; k < 20; ++k)
    for (int i = 0; i < n; ++i) own[i] = own[i] * 0.5 + k;
  for (int i = 0; i < n; ++i) sum += in[i] + own[i];
  return sum;
}
