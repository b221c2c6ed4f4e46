/* SPDX-License-Identifier: Apache-2.0
 *
 * Two matrices are multiplied; each process has some rows of both and of the product. It reads the rows of B
 * from their owners, block after block, as a UPC program does with upc_memget, and writes its rows of the
 * product to the first process. Then the same with gets that are only started, a block ahead.
 * usage: mpiexec -n N multiply [SIZE]     N divides SIZE
 */
#include <lapwing/memory.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static double* new_rows(int rows, int n) { return calloc((size_t)rows * (size_t)n, sizeof(double)); }

/* product += columns first to first + rows - 1 of a, times b */
static void multiply(int rows, int n, const double* a, int first, const double* b, double* product) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < rows; ++k)
      for (int j = 0; j < n; ++j) product[i * n + j] += a[i * n + first + k] * b[k * n + j];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc > 1 ? atoi(argv[1]) : 240, rows = n / size;
  const size_t bytes = (size_t)rows * (size_t)n * sizeof(double);
  if (rows == 0 || rows * size != n) {
    fprintf(stderr, "multiply: %d rows cannot be shared by %d processes\n", n, size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  double *b, *whole;
  MPI_Win b_window, whole_window;
  lapwing_memory_allocate(bytes, MPI_COMM_WORLD, &b, &b_window);
  lapwing_memory_allocate(rank == 0 ? bytes * (size_t)size : 0, MPI_COMM_WORLD, &whole, &whole_window);
  double *a = new_rows(rows, n), *product = new_rows(rows, n), *again = new_rows(rows, n);
  double* block[2] = {new_rows(rows, n), new_rows(rows, n)};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < n; ++j) {
      a[i * n + j] = (rank * rows + i + 2 * j) % 7;
      b[i * n + j] = (3 * (rank * rows + i) + j) % 5;
    }
  }
  lapwing_memory_barrier(b_window, MPI_COMM_WORLD);

  for (int k = 0; k < size; ++k) {
    const int owner = (rank + k) % size;
    lapwing_memget(block[0], 0, owner, bytes, b_window);
    multiply(rows, n, a, owner * rows, block[0], product);
  }
  lapwing_memput((MPI_Aint)bytes * rank, 0, product, bytes, whole_window);

  lapwing_memory_handle next;
  lapwing_memget_nb(block[0], 0, rank, bytes, b_window, &next);
  for (int k = 0; k < size; ++k) {
    const int owner = (rank + k) % size;
    lapwing_memory_wait(&next);
    if (k + 1 < size) lapwing_memget_nb(block[(k + 1) % 2], 0, (owner + 1) % size, bytes, b_window, &next);
    multiply(rows, n, a, owner * rows, block[k % 2], again);
  }
  int same = 1;
  for (int i = 0; i < rows * n; ++i) same = same && product[i] == again[i];

  lapwing_memory_barrier(whole_window, MPI_COMM_WORLD);
  if (rank == 0) {
    uint64_t sum = 0;
    for (int i = 0; i < n * n; ++i) sum = sum * 31 + (uint64_t)whole[i];
    printf("multiply: %d rows, checksum %016llx, %s\n", n, (unsigned long long)sum,
           same ? "twice the same" : "not the same again");
  }
  lapwing_memory_free(&whole_window);
  lapwing_memory_free(&b_window);
  free(a), free(product), free(again), free(block[0]), free(block[1]);
  MPI_Finalize();
  return !same;
}
