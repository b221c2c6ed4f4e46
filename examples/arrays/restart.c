/* SPDX-License-Identifier: Apache-2.0
 *
 * A restart: what 4 processes wrote, 6 read. In memory, or through a file that holds
 * the array in the order of its indices, whoever wrote it and whoever reads it.
 *
 *   mpiexec -n 6 restart memory
 *   mpiexec -n 4 restart write FILE; mpiexec -n 6 restart read FILE
 *
 * A FILE whose name ends in .h5 is an HDF5 file with the array as its dataset "x".
 */
#include <lapwing/arrays.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20, COLUMNS = 14 };

static lapwing_distribution* make(struct lapwing_dimension rows, struct lapwing_dimension columns,
                                  int grid_rows, int grid_columns) {
  const struct lapwing_dimension dimensions[2] = {rows, columns};
  const int extents[2] = {grid_rows, grid_columns};
  const struct lapwing_grid grid = {2, extents, LAPWING_ROW_MAJOR, NULL};
  lapwing_distribution* out;
  lapwing_distribution_create(LAPWING_INT64, 2, dimensions, &grid, LAPWING_ROW_MAJOR, NULL, &out);
  return out;
}

/* As the program of 4 processes has it, and as that of 6 likes it. */
static lapwing_distribution* written(void) {
  return make(lapwing_block(ROWS, 2, 0), lapwing_block(COLUMNS, 2, 1), 2, 2);
}
static lapwing_distribution* wanted(void) {
  return make(lapwing_cyclic(ROWS, 3, 0), lapwing_cyclic(COLUMNS, 2, 1), 3, 2);
}
static int64_t allocated(const lapwing_distribution* array, int rank) {
  struct lapwing_local_part part;
  lapwing_distribution_local(array, rank, &part, NULL, NULL, NULL);
  return part.allocated;
}

static int64_t* memory(const lapwing_distribution* array, int rank) {
  return calloc((size_t)allocated(array, rank) + 1, sizeof(int64_t));
}

static void set(const lapwing_distribution* array, int rank, int64_t* local) {
  for (int64_t position = 0; position < allocated(array, rank); ++position) {
    int64_t index[2];
    lapwing_distribution_index(array, rank, position, index);
    local[position] = 1000 * (index[0] + 1) + index[1] + 1;
  }
}

static void print_checksum(const lapwing_distribution* array, int rank, const int64_t* local) {
  long long sum = 0, total = 0;
  for (int64_t position = 0; position < allocated(array, rank); ++position) {
    int64_t index[2];
    lapwing_distribution_index(array, rank, position, index);
    sum += local[position] * ((index[0] * COLUMNS + index[1]) % 31 + 1);
  }
  MPI_Reduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("restart: %d x %d, checksum %lld\n", ROWS, COLUMNS, total);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* mode = argc > 1 ? argv[1] : "memory";
  int rank, processes;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  lapwing_tasks* tasks;
  lapwing_tasks_of_sizes(MPI_COMM_WORLD, 1, &processes, &tasks);
  const int writing = strcmp(mode, "write") == 0, reading = strcmp(mode, "read") == 0;
  if (processes < (writing ? 4 : 6)) {
    if (rank == 0) fprintf(stderr, "restart: start it on 4 processes to write, and on 6 to read\n");
    lapwing_tasks_free(&tasks);
    MPI_Finalize();
    return 2;
  }

  lapwing_distribution *from = written(), *to = wanted();
  int64_t *a = reading ? NULL : memory(from, rank), *b = writing ? NULL : memory(to, rank);
  if (!reading) set(from, rank, a);
  const size_t letters = argc > 2 ? strlen(argv[2]) : 0;
  const int hdf5 = letters > 3 && strcmp(argv[2] + letters - 3, ".h5") == 0;
  if (writing && hdf5)
    lapwing_array_write_hdf5(argv[2], "x", a, allocated(from, rank), from, tasks);
  else if (reading && hdf5)
    lapwing_array_read_hdf5(argv[2], "x", b, allocated(to, rank), to, tasks);
  else if (writing)
    lapwing_array_write(argv[2], 0, a, allocated(from, rank), from, tasks);
  else if (reading)
    lapwing_array_read(argv[2], 0, b, allocated(to, rank), to, tasks);
  else
    lapwing_array_redistribute(a, allocated(from, rank), from, b, allocated(to, rank), to, tasks);
  print_checksum(writing ? from : to, rank, writing ? a : b);

  free(a);
  free(b);
  lapwing_distribution_free(&from);
  lapwing_distribution_free(&to);
  lapwing_tasks_free(&tasks);
  MPI_Finalize();
  return 0;
}
