/* SPDX-License-Identifier: Apache-2.0
 *
 * The experiment of MIPS 5: a recursive program with
 * irregular point-to-point communication, whose set of processes stays whole.
 *
 * MIPS gives its counts only: 5, 15 and 39 recursive calls and 13, 39 and
 * 103 splits at 4, 8 and 16 processes. These follow from one shape. A call on n > 2 processes takes one
 * branch, calls itself on both halves, and then on each of the n/2 pairs across
 * them; a call on a pair takes that branch and two more, in which one process
 * sends and the other receives. All processes go through all calls. With that,
 * calls(n) = 2 calls(n/2) + n/2 + 1 and splits(n) = 2 splits(n/2) + 3 n/2 + 1,
 * which are the numbers of MIPS 5.
 */
#ifndef LAPWING_BENCH_SPLIT_RECURSION_H
#define LAPWING_BENCH_SPLIT_RECURSION_H

#include <math.h>
#include <mpi.h>

typedef struct lapwing_recursion {
  MPI_Comm comm;
  int rank;
  long repetitions; /* of the load in each call; MIPS 5 has 0 or 100000 */
  /* Called where the processes take a branch and where the branches meet; may be null. */
  void (*split)(void* context, int branches, int branch);
  void (*merge)(void* context);
  void* context;
  /* Results. */
  long calls, splits;
  long value;  /* of this process; starts as its rank + 1 */
  double load; /* so that the load is not left out */
} lapwing_recursion;

static inline void lapwing_recursion_split(lapwing_recursion* r, int branch) {
  ++r->splits;
  if (r->split) r->split(r->context, 2, branch);
}

static inline void lapwing_recursion_merge(lapwing_recursion* r) {
  if (r->merge) r->merge(r->context);
}

/* On `n` processes: first, first + stride, and so on. */
static inline void lapwing_recurse(lapwing_recursion* r, int first, int stride, int n) {
  const int half = n / 2, partner = first + stride;
  long arrived;
  int i;
  ++r->calls;
  for (long k = 0; k < r->repetitions; ++k) r->load = log((double)(k % 7 + 2)) * log(r->load) + r->load;
  if (r->load > 1e9) r->load = 2;
  lapwing_recursion_split(r, n > 2);
  if (n > 2) {
    lapwing_recurse(r, first, stride, half);
    lapwing_recurse(r, first + half * stride, stride, n - half);
    for (i = 0; i < half; ++i) lapwing_recurse(r, first + i * stride, half * stride, 2);
  } else if (n == 2) {
    lapwing_recursion_split(r, r->rank == first);
    if (r->rank == first) MPI_Send(&r->value, 1, MPI_LONG, partner, 0, r->comm);
    lapwing_recursion_merge(r);
    lapwing_recursion_split(r, r->rank == partner);
    if (r->rank == partner) {
      MPI_Recv(&arrived, 1, MPI_LONG, first, 0, r->comm, MPI_STATUS_IGNORE);
      r->value = (r->value * 3 + arrived) % 1000003;
    }
    lapwing_recursion_merge(r);
  }
  lapwing_recursion_merge(r);
}

/* The whole experiment on `comm`; give repetitions, split, merge and context before. */
static inline void lapwing_recursion_run(lapwing_recursion* r, MPI_Comm comm) {
  int size;
  r->comm = comm;
  MPI_Comm_rank(comm, &r->rank);
  MPI_Comm_size(comm, &size);
  r->calls = r->splits = 0;
  r->value = r->rank + 1;
  r->load = 2;
  lapwing_recurse(r, 0, 1, size);
}

/* What the values must be afterwards, without communication: values[size]. */
static inline void lapwing_recursion_expected(long* values, int first, int stride, int n) {
  const int half = n / 2;
  int i;
  if (n == 2) {
    values[first + stride] = (values[first + stride] * 3 + values[first]) % 1000003;
  } else if (n > 2) {
    lapwing_recursion_expected(values, first, stride, half);
    lapwing_recursion_expected(values, first + half * stride, stride, n - half);
    for (i = 0; i < half; ++i) lapwing_recursion_expected(values, first + i * stride, half * stride, 2);
  }
}

#endif
