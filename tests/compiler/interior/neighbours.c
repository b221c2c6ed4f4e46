/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanges with a list of neighbours, whose buffers and places are read from the list: the messages start in
 * one loop, are waited for and unpacked in another one, and a sweep follows, in tiles or by rows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

static int rank, size;

static void show(const char* name, const double* numbers, long count) {
  unsigned long sum = 0;
  for (long i = 0; i < count; ++i) {
    unsigned long bits;
    memcpy(&bits, numbers + i, 8);
    sum = (sum ^ bits) * 1099511628211ul;
  }
  printf("%s %d %lx\n", name, rank, sum);
}

typedef struct {
  int partner;
  int first_out, first_in, rows; /* of the grid */
  double *out, *in;
  MPI_Request sent, received;
} Neighbour;

typedef struct {
  int rows, columns; /* ghosts apart: `ghosts` rows above and below */
  int ghosts, count;
  Neighbour neighbour[4];
} Halo;

static double* grid(const Halo* halo, int salt) {
  const long all = (long)(halo->rows + 2 * halo->ghosts) * halo->columns;
  double* made = malloc(all * sizeof *made);
  for (long i = 0; i < all; ++i) made[i] = (i * 7919 + rank * 31 + salt) % 1000 * 0.01;
  return made;
}

static Halo* halo_of(int rows, int columns, int ghosts) {
  Halo* halo = malloc(sizeof *halo);
  *halo = (Halo){rows, columns, ghosts, 4, {{0}}};
  const int partner[4] = {(rank + size - 1) % size, MPI_PROC_NULL, (rank + 1) % size, MPI_PROC_NULL};
  for (int n = 0; n < 4; ++n) {
    Neighbour* one = &halo->neighbour[n];
    one->partner = partner[n];
    one->rows = ghosts;
    one->first_out = n < 2 ? ghosts : rows;
    one->first_in = n < 2 ? 0 : rows + ghosts;
    one->out = malloc((long)ghosts * columns * sizeof(double));
    one->in = malloc((long)ghosts * columns * sizeof(double));
  }
  return halo;
}

static void start_all(Halo* halo, int count, double* u) {
  const int columns = halo->columns;
  for (int n = 0; n < count; ++n) {
    Neighbour* one = &halo->neighbour[n];
    MPI_Irecv(one->in, one->rows * columns, MPI_DOUBLE, one->partner, 1, MPI_COMM_WORLD, &one->received);
    if (one->partner != MPI_PROC_NULL)
      for (int i = 0; i < one->rows; ++i)
        for (int j = 0; j < columns; ++j)
          one->out[i * columns + j] = u[(long)(one->first_out + i) * columns + j];
    MPI_Isend(one->out, one->rows * columns, MPI_DOUBLE, one->partner, 1, MPI_COMM_WORLD, &one->sent);
  }
}

static void wait_and_unpack(Halo* halo, int count, double* u) {
  const int columns = halo->columns;
  for (int n = 0; n < count; ++n) {
    Neighbour* one = &halo->neighbour[n];
    MPI_Wait(&one->sent, MPI_STATUS_IGNORE);
    MPI_Wait(&one->received, MPI_STATUS_IGNORE);
    if (one->partner != MPI_PROC_NULL)
      for (int i = 0; i < one->rows; ++i)
        for (int j = 0; j < columns; ++j)
          u[(long)(one->first_in + i) * columns + j] = one->in[i * columns + j];
  }
}

__attribute__((noinline)) static void by_rows(Halo* halo, int count, double* u, double* v) {
  start_all(halo, count, u);
  wait_and_unpack(halo, count, u);
  const int columns = halo->columns, ghosts = halo->ghosts;
  for (int i = ghosts; i < halo->rows + ghosts; ++i)
    for (int j = 1; j < columns - 1; ++j) {
      const long at = (long)i * columns + j;
      v[at] = 0.25 * (u[at - 1] + u[at + 1] + u[at - columns] + u[at + columns]) - 0.125 * u[at];
    }
}

__attribute__((noinline)) static void by_tiles(Halo* halo, int count, double* u, double* v, int tile) {
  start_all(halo, count, u);
  wait_and_unpack(halo, count, u);
  const int columns = halo->columns, first = halo->ghosts, last = halo->rows + halo->ghosts - 1;
  for (int block = first; block <= last; block += tile)
    for (int strip = 1; strip <= columns - 2; strip += tile)
      for (int i = block; i <= MIN(last, block + tile - 1); ++i)
        for (int j = strip; j <= MIN(columns - 2, strip + tile - 1); ++j) {
          const long at = (long)i * columns + j;
          v[at] = 0.25 * (u[at - 1] + u[at + 1] + u[at - columns] + u[at + columns]) - 0.125 * u[at];
        }
}

/* One call waits for all; the places of what came are read from the list. */
__attribute__((noinline)) static void all_at_once(Halo* halo, double* u, double* v) {
  MPI_Request requests[8];
  const int columns = halo->columns, ghosts = halo->ghosts;
  for (int n = 0; n < halo->count; ++n) {
    Neighbour* one = &halo->neighbour[n];
    MPI_Irecv(one->in, one->rows * columns, MPI_DOUBLE, one->partner, 2, MPI_COMM_WORLD, &requests[2 * n]);
    for (int i = 0; i < one->rows * columns; ++i) one->out[i] = u[(long)one->first_out * columns + i];
    MPI_Isend(one->out, one->rows * columns, MPI_DOUBLE, one->partner, 2, MPI_COMM_WORLD,
              &requests[2 * n + 1]);
  }
  MPI_Waitall(2 * halo->count, requests, MPI_STATUSES_IGNORE);
  for (int n = 0; n < halo->count; ++n) {
    const Neighbour* one = &halo->neighbour[n];
    if (one->partner == MPI_PROC_NULL) continue;
    for (int i = 0; i < one->rows * columns; ++i) u[(long)one->first_in * columns + i] = one->in[i];
  }
  for (int i = ghosts; i < halo->rows + ghosts; ++i)
    for (int j = 1; j < columns - 1; ++j) {
      const long at = (long)i * columns + j;
      v[at] = 0.25 * (u[at - 1] + u[at + 1] + u[at - columns] + u[at + columns]) - 0.125 * u[at];
    }
}

/* Two loops unpack: each tells apart what it touches. */
__attribute__((noinline)) static void two_loops(Halo* halo, double* u, double* v) {
  MPI_Request requests[8];
  const int columns = halo->columns, ghosts = halo->ghosts;
  for (int n = 0; n < halo->count; ++n) {
    Neighbour* one = &halo->neighbour[n];
    MPI_Irecv(one->in, one->rows * columns, MPI_DOUBLE, one->partner, 3, MPI_COMM_WORLD, &requests[2 * n]);
    for (int i = 0; i < one->rows * columns; ++i) one->out[i] = u[(long)one->first_out * columns + i];
    MPI_Isend(one->out, one->rows * columns, MPI_DOUBLE, one->partner, 3, MPI_COMM_WORLD,
              &requests[2 * n + 1]);
  }
  MPI_Waitall(2 * halo->count, requests, MPI_STATUSES_IGNORE);
  for (int n = 0; n < halo->count; n += 2)
    if (halo->neighbour[n].partner != MPI_PROC_NULL)
      for (int i = 0; i < halo->neighbour[n].rows * columns; ++i)
        u[(long)halo->neighbour[n].first_in * columns + i] = halo->neighbour[n].in[i];
  for (int n = 1; n < halo->count; n += 2)
    if (halo->neighbour[n].partner != MPI_PROC_NULL)
      for (int i = 0; i < halo->neighbour[n].rows * columns; ++i)
        u[(long)halo->neighbour[n].first_in * columns + i] = halo->neighbour[n].in[i] + 0.5;
  for (int i = ghosts; i < halo->rows + ghosts; ++i)
    for (int j = 1; j < columns - 1; ++j) {
      const long at = (long)i * columns + j;
      v[at] = 0.25 * (u[at - 1] + u[at + 1] + u[at - columns] + u[at + columns]) - 0.125 * u[at];
    }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = 600;
  Halo* halo = halo_of(97, columns, 2);
  double *u = grid(halo, 1), *v = grid(halo, 5);
  const long all = (97 + 4) * columns;
  for (int step = 0; step < 12; ++step) {
    by_rows(halo, halo->count, u, v);
    by_tiles(halo, halo->count, v, u, 8 + step % 3);
  }
  show("rows and tiles", u, all);
  for (int step = 0; step < 12; ++step) {
    all_at_once(halo, u, v);
    all_at_once(halo, v, u);
  }
  show("at once", u, all);
  for (int step = 0; step < 12; ++step) {
    two_loops(halo, u, v);
    two_loops(halo, v, u);
  }
  show("two loops", u, all);
  for (int step = 0; step < 4 && size == 1; ++step) {
    by_tiles(halo, 2, u, v, 1000);
    by_tiles(halo, 2, v, u, 1000);
  }
  show("one side", u, all);
  MPI_Finalize();
  return 0;
}
