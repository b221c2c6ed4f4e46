// SPDX-License-Identifier: Apache-2.0
// Preloaded: counts how often each form of each collective is made, and says it at
// the end, from rank 0. Defines what Lapwing calls, and nothing more.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

enum {
  bcast,
  reduce,
  allreduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  kinds
};
static const char* const names[] = {"bcast",    "reduce",    "allreduce",  "gather",   "gatherv",  "scatter",
                                    "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv"};
static int blocking[kinds], split[kinds];

#define REAL(name)                      \
  static __typeof__(PMPI_##name)* real; \
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "PMPI_" #name)
#define WORDS(...) __VA_ARGS__
#define BOTH(low, name, parameters, arguments)        \
  int PMPI_##name(WORDS parameters) {                 \
    REAL(name);                                       \
    ++blocking[low];                                  \
    return real(WORDS arguments);                     \
  }                                                   \
  int PMPI_I##low(WORDS parameters, MPI_Request* q) { \
    REAL(I##low);                                     \
    ++split[low];                                     \
    return real(WORDS arguments, q);                  \
  }

typedef MPI_Datatype type;
typedef MPI_Comm comm;
BOTH(bcast, Bcast, (void* b, int n, type t, int root, comm c), (b, n, t, root, c))
BOTH(reduce, Reduce, (const void* s, void* r, int n, type t, MPI_Op o, int root, comm c),
     (s, r, n, t, o, root, c))
BOTH(allreduce, Allreduce, (const void* s, void* r, int n, type t, MPI_Op o, comm c), (s, r, n, t, o, c))
BOTH(gather, Gather, (const void* s, int n, type t, void* r, int m, type u, int root, comm c),
     (s, n, t, r, m, u, root, c))
BOTH(gatherv, Gatherv,
     (const void* s, int n, type t, void* r, const int m[], const int d[], type u, int root, comm c),
     (s, n, t, r, m, d, u, root, c))
BOTH(scatter, Scatter, (const void* s, int n, type t, void* r, int m, type u, int root, comm c),
     (s, n, t, r, m, u, root, c))
BOTH(scatterv, Scatterv,
     (const void* s, const int n[], const int d[], type t, void* r, int m, type u, int root, comm c),
     (s, n, d, t, r, m, u, root, c))
BOTH(allgather, Allgather, (const void* s, int n, type t, void* r, int m, type u, comm c),
     (s, n, t, r, m, u, c))
BOTH(allgatherv, Allgatherv,
     (const void* s, int n, type t, void* r, const int m[], const int d[], type u, comm c),
     (s, n, t, r, m, d, u, c))
BOTH(alltoall, Alltoall, (const void* s, int n, type t, void* r, int m, type u, comm c),
     (s, n, t, r, m, u, c))
BOTH(alltoallv, Alltoallv,
     (const void* s, const int n[], const int d[], type t, void* r, const int m[], const int e[], type u,
      comm c),
     (s, n, d, t, r, m, e, u, c))

int PMPI_Finalize(void) {
  REAL(Finalize);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int kind = 0; rank == 0 && kind < kinds; ++kind)
    fprintf(stderr, "forms: %s %d blocking %d split\n", names[kind], blocking[kind], split[kind]);
  return real();
}
