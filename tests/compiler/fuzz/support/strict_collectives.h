// SPDX-License-Identifier: Apache-2.0
// Part of strict.c: collectives in their non-blocking form. What is received comes
// at completion; what is sent may not change before. Kept by the first of two
// records that share a request.
#include <stddef.h>

static record* keep_bytes(const void* buffer, long bytes, int send) {
  if (buffer == MPI_IN_PLACE || buffer == MPI_BOTTOM || bytes <= 0) return NULL;
  record* r = begin((void*)buffer, (int)bytes, MPI_BYTE, 0, send);
  if (!r) return NULL;
  memcpy(r->staged, buffer, (size_t)bytes);  // what MPI leaves alone stays
  r->group = r->active = 1;
  return r;
}

static int group_of(MPI_Comm c, int* rank) {
  int inter = 0, size = 0;
  PMPI_Comm_test_inter(c, &inter);
  if (inter) return 1;
  PMPI_Comm_size(c, &size);
  PMPI_Comm_rank(c, rank);
  return size;
}

// Up to the last element of the last part.
static long last_byte(int parts, const int counts[], const int places[], MPI_Datatype t) {
  long most = 0;
  for (int i = 0; i < parts; ++i)
    if (counts[i] > 0 && places[i] + counts[i] > most) most = places[i] + counts[i];
  return plain_bytes((int)most, t);
}

static void started_group(record* out, record* in, MPI_Request handle) {
  record* first = in ? in : out;
  if (in) memset(in->buffer, POISON, (size_t)in->bytes);
  if (in) in->mate = out;
  holds(first, handle);
}

static void finish_group(record* r) {
  if (r->mate) finish_group(r->mate), forget(r->mate, 0);
  if (!r->send) memcpy(r->buffer, r->staged, (size_t)r->bytes);
  if (r->send && memcmp(r->staged, r->buffer, (size_t)r->bytes) != 0)
    report("what a collective sends was changed in flight", r->bytes);
  r->mate = NULL;
  __atomic_store_n(&r->active, IDLE, __ATOMIC_RELEASE);
}

#define FROM (out ? (const void*)out->staged : s)
#define INTO (in ? (void*)in->staged : b)

// `sends` and `receives`: bytes of the two buffers here; n is the number of processes, me the rank.
#define COLLECTIVE(name, parameters, sends, receives, arguments) \
  int PMPI_##name parameters {                                   \
    REAL(name);                                                  \
    int me = 0;                                                  \
    const int n = group_of(c, &me);                              \
    record* out = n > 1 ? keep_bytes(s, sends, 1) : NULL;        \
    record* in = n > 1 ? keep_bytes(b, receives, 0) : NULL;      \
    const int e = real arguments;                                \
    started_group(out, in, *q);                                  \
    return e;                                                    \
  }                                                              \
  ALSO(name)

int PMPI_Ibcast(void* b, int k, MPI_Datatype t, int root, MPI_Comm c, MPI_Request* q) {
  REAL(Ibcast);
  int me = 0;
  const int n = group_of(c, &me);
  record* r = n > 1 ? keep_bytes(b, plain_bytes(k, t), me == root) : NULL;
  const int e = real(r ? r->staged : b, k, t, root, c, q);
  started_group(me == root ? r : NULL, me == root ? NULL : r, *q);
  return e;
}
ALSO(Ibcast)

COLLECTIVE(Iallreduce, (const void* s, void* b, int k, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request* q),
           plain_bytes(k, t), plain_bytes(k, t), (FROM, INTO, k, t, o, c, q))
COLLECTIVE(Ireduce,
           (const void* s, void* b, int k, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c, MPI_Request* q),
           plain_bytes(k, t), me == root ? plain_bytes(k, t) : 0, (FROM, INTO, k, t, o, root, c, q))
COLLECTIVE(Igather,
           (const void* s, int k, MPI_Datatype t, void* b, int l, MPI_Datatype u, int root, MPI_Comm c,
            MPI_Request* q),
           plain_bytes(k, t), me == root ? plain_bytes(n * l, u) : 0, (FROM, k, t, INTO, l, u, root, c, q))
COLLECTIVE(Igatherv,
           (const void* s, int k, MPI_Datatype t, void* b, const int l[], const int p[], MPI_Datatype u,
            int root, MPI_Comm c, MPI_Request* q),
           plain_bytes(k, t), me == root ? last_byte(n, l, p, u) : 0, (FROM, k, t, INTO, l, p, u, root, c, q))
COLLECTIVE(Iscatter,
           (const void* s, int k, MPI_Datatype t, void* b, int l, MPI_Datatype u, int root, MPI_Comm c,
            MPI_Request* q),
           me == root ? plain_bytes(n * k, t) : 0, plain_bytes(l, u), (FROM, k, t, INTO, l, u, root, c, q))
COLLECTIVE(Iscatterv,
           (const void* s, const int k[], const int p[], MPI_Datatype t, void* b, int l, MPI_Datatype u,
            int root, MPI_Comm c, MPI_Request* q),
           me == root ? last_byte(n, k, p, t) : 0, plain_bytes(l, u), (FROM, k, p, t, INTO, l, u, root, c, q))
COLLECTIVE(Iallgather,
           (const void* s, int k, MPI_Datatype t, void* b, int l, MPI_Datatype u, MPI_Comm c, MPI_Request* q),
           plain_bytes(k, t), plain_bytes(n* l, u), (FROM, k, t, INTO, l, u, c, q))
COLLECTIVE(Iallgatherv,
           (const void* s, int k, MPI_Datatype t, void* b, const int l[], const int p[], MPI_Datatype u,
            MPI_Comm c, MPI_Request* q),
           plain_bytes(k, t), last_byte(n, l, p, u), (FROM, k, t, INTO, l, p, u, c, q))
COLLECTIVE(Ialltoall,
           (const void* s, int k, MPI_Datatype t, void* b, int l, MPI_Datatype u, MPI_Comm c, MPI_Request* q),
           plain_bytes(n* k, t), plain_bytes(n* l, u), (FROM, k, t, INTO, l, u, c, q))
COLLECTIVE(Ialltoallv,
           (const void* s, const int k[], const int p[], MPI_Datatype t, void* b, const int l[],
            const int o[], MPI_Datatype u, MPI_Comm c, MPI_Request* q),
           last_byte(n, k, p, t), last_byte(n, l, o, u), (FROM, k, p, t, INTO, l, o, u, c, q))
