// SPDX-License-Identifier: Apache-2.0
// Every collective that can be split, on several communicators, with something to
// compute behind it, checked against what it must give. Says "everything adds up".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_DLOPEN
#include <dlfcn.h>
#endif

enum { N = 6000, MOST = 4, ALL = N * MOST };
static int out[ALL], in[ALL], counts[MOST], places[MOST];
static double numbers[N], sums[N], work[40000];
static int rank, n;
static MPI_Comm comm;

#define COMPUTE() \
  for (int i_ = 0; i_ < 40000; ++i_) work[i_] = work[i_] * 0.5 + i_

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d of %d: %s gave something else\n", rank, n, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(int count) {
  for (int i = 0; i < count; ++i) out[i] = rank * 100000 + i;
  for (int i = 0; i < ALL; ++i) in[i] = -1;
  for (int i = 0; i < n; ++i) counts[i] = N - i, places[i] = i * N;
}

static void from_root(int root) {
  fill(N);
  if (rank == root) memcpy(in, out, sizeof(int) * N);
  MPI_Bcast(in, N, MPI_INT, root, comm);
  COMPUTE();
  long bad = 0;
  for (int i = 0; i < N; ++i) bad += in[i] != root * 100000 + i;
  expect(bad == 0, "MPI_Bcast");

  fill(ALL);
  MPI_Scatter(out, N, MPI_INT, in, N, MPI_INT, root, comm);
  COMPUTE();
  for (int i = 0; i < N; ++i) bad += in[i] != root * 100000 + rank * N + i;
  expect(bad == 0, "MPI_Scatter");

  fill(ALL);
  MPI_Scatterv(out, counts, places, MPI_INT, in, N - rank, MPI_INT, root, comm);
  COMPUTE();
  for (int i = 0; i < N - rank; ++i) bad += in[i] != root * 100000 + rank * N + i;
  expect(bad == 0 && in[N] == -1, "MPI_Scatterv");
}

static void to_root(int root) {
  long bad = 0;
  fill(N);
  MPI_Reduce(out, in, N, MPI_INT, MPI_SUM, root, comm);
  COMPUTE();
  for (int i = 0; rank == root && i < N; ++i) bad += in[i] != n * (n - 1) / 2 * 100000 + n * i;
  expect(bad == 0, "MPI_Reduce");

  fill(N);
  MPI_Gather(out, N, MPI_INT, in, N, MPI_INT, root, comm);
  COMPUTE();
  for (int i = 0; rank == root && i < n * N; ++i) bad += in[i] != i / N * 100000 + i % N;
  expect(bad == 0, "MPI_Gather");

  fill(N);
  MPI_Gatherv(out, N - rank, MPI_INT, in, counts, places, MPI_INT, root, comm);
  COMPUTE();
  counts[0] = 0;
  for (int i = 0; rank == root && i < n * N; ++i)
    bad += in[i] != (i % N < N - i / N ? i / N * 100000 + i % N : -1);
  expect(bad == 0, "MPI_Gatherv");
}

static void among_all(void) {
  long bad = 0;
  fill(N);
  memcpy(in, out, sizeof(int) * N);
  MPI_Allreduce(MPI_IN_PLACE, in, N, MPI_INT, MPI_MAX, comm);
  COMPUTE();
  for (int i = 0; i < N; ++i) bad += in[i] != (n - 1) * 100000 + i;
  expect(bad == 0, "MPI_Allreduce");

  fill(N);
  MPI_Allgather(out, N, MPI_INT, in, N, MPI_INT, comm);
  COMPUTE();
  for (int i = 0; i < n * N; ++i) bad += in[i] != i / N * 100000 + i % N;
  expect(bad == 0, "MPI_Allgather");

  fill(N);
  MPI_Allgatherv(out, N - rank, MPI_INT, in, counts, places, MPI_INT, comm);
  COMPUTE();
  places[0] = 5;
  for (int i = 0; i < n * N; ++i) bad += in[i] != (i % N < N - i / N ? i / N * 100000 + i % N : -1);
  expect(bad == 0, "MPI_Allgatherv");

  fill(ALL);
  MPI_Alltoall(out, N, MPI_INT, in, N, MPI_INT, comm);
  COMPUTE();
  for (int i = 0; i < n * N; ++i) bad += in[i] != i / N * 100000 + rank * N + i % N;
  expect(bad == 0, "MPI_Alltoall");

  fill(ALL);
  int to[MOST];
  for (int i = 0; i < n; ++i) to[i] = N - rank;
  MPI_Alltoallv(out, to, places, MPI_INT, in, counts, places, MPI_INT, comm);
  COMPUTE();
  for (int i = 0; i < n * N; ++i)
    bad += in[i] != (i % N < N - i / N ? i / N * 100000 + rank * N + i % N : -1);
  expect(bad == 0, "MPI_Alltoallv");
}

// Rows with gaps, of which one process speaks in elements and the others in rows.
static void with_types(int root) {
  long bad = 0;
  MPI_Datatype row;
  MPI_Type_contiguous(N / 10, MPI_INT, &row);
  MPI_Type_commit(&row);
  fill(N);
  if (rank == root) memcpy(in, out, sizeof(int) * N);
  MPI_Bcast(in, rank == root ? N : 10, rank == root ? MPI_INT : row, root, comm);
  COMPUTE();
  for (int i = 0; i < N; ++i) bad += in[i] != root * 100000 + i;
  expect(bad == 0, "MPI_Bcast of a derived type");
  MPI_Type_free(&row);
}

// What depends on the order is made as ever; what is small as well.
static void left_alone(void) {
  long bad = 0;
  for (int i = 0; i < N; ++i) numbers[i] = rank + 1;
  MPI_Allreduce(numbers, sums, N, MPI_DOUBLE, MPI_SUM, comm);
  COMPUTE();
  for (int i = 0; i < N; ++i) bad += sums[i] != n * (n + 1) / 2;
  // Names that begin alike are other routines.
  int sum = 3, share = 0;
  MPI_Reduce_local(&n, &sum, 1, MPI_INT, MPI_SUM);
  int each[MOST] = {sum, sum, sum, sum};
  MPI_Reduce_scatter_block(each, &share, 1, MPI_INT, MPI_MAX, comm);
  bad += share != n + 3;
  int one = rank == 0;
  MPI_Bcast(&one, 1, MPI_INT, 0, comm);
  expect(bad == 0 && one, "a sum of numbers, or a small MPI_Bcast");
}

// An error that is looked at; on some ranks it would be returned.
static void looked_at(void) {
  MPI_Comm mine;
  MPI_Comm_dup(comm, &mine);
  if (rank % 2) MPI_Comm_set_errhandler(mine, MPI_ERRORS_RETURN);
  fill(N);
  if (rank == 0) memcpy(in, out, sizeof(int) * N);
  int rc = MPI_Bcast(in, N, MPI_INT, 0, mine);
  COMPUTE();
  expect(rc == MPI_SUCCESS && in[N - 1] == N - 1, "MPI_Bcast whose error is looked at");
  if (rank % 2) {
    rc = MPI_Bcast(in, -1, MPI_INT, 0, mine);
    expect(rc != MPI_SUCCESS, "MPI_Bcast of fewer than no elements");
  }
  MPI_Comm_free(&mine);
}

static void on(MPI_Comm which) {
  comm = which;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &n);
  for (int root = 0; root < n; ++root) {
    from_root(root);
    to_root(root);
    with_types(root);
  }
  among_all();
  left_alone();
  looked_at();
}

static void between_halves(void) {
  int me = 0, all = 0;
  MPI_Comm half, both;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (all < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 9, &both);
  for (int i = 0; i < N; ++i) in[i] = me == 0 ? i : -1;
  MPI_Bcast(in, N, MPI_INT, me % 2 ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL, both);
  COMPUTE();
  if (me % 2) expect(in[N - 1] == N - 1, "MPI_Bcast between two groups");
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
#ifdef WITH_DLOPEN
  if (argc > 5 && !dlopen(argv[5], RTLD_NOW)) return 3;
#endif
#ifdef WITH_OPENER
  void late(const char*, int*);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < N; ++i) in[i] = rank == 0 ? i : -1;
  if (rank == 0) {
    late("./liblibrary.so", in);
  } else {
    MPI_Bcast(in, 5000, MPI_INT, 0, MPI_COMM_WORLD);
    COMPUTE();
  }
  expect(in[4999] == 4999, "MPI_Bcast of a library that came later");
#endif
#ifdef WITH_LIBRARY
  void library(int*);
  library(in);
#endif
  for (int round = 0; round < 2; ++round) {
    MPI_Comm other;
    on(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &other);
    on(other);
    MPI_Comm_free(&other);
  }
  on(MPI_COMM_SELF);
  between_halves();
  double total = 0;
  for (int i = 0; i < 40000; ++i) total += work[i];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && total > 0) puts("everything adds up");
  MPI_Finalize();
  return 0;
}
