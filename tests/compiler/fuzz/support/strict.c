// SPDX-License-Identifier: Apache-2.0
// The strictest MPI that the standard allows, preloaded before the real one, so
// that a program which is wrong fails always and not only when a message is late:
//
//   - a receive writes rubbish over its buffer when it is posted, and the message
//     only when it is completed;
//   - a send carries what its buffer held when it was started, and whoever changes
//     the buffer before completion is written to a file, strict.RANK;
//   - what is never completed is written there too;
//   - non-blocking collectives do all of the same.
//
// Compiled once with STRICT_PLAIN, which defines the MPI_ names as well, for
// programs without Lapwing; without it only PMPI_, which is what Lapwing calls.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef STRICT_PLAIN
#define ALSO(name) extern __typeof__(PMPI_##name) MPI_##name __attribute__((alias("PMPI_" #name)));
#else
#define ALSO(name)
#endif
#define REAL(name)                      \
  static __typeof__(PMPI_##name)* real; \
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "PMPI_" #name)

enum { POISON = 0xA5, LIMIT = 4096 };
enum { IDLE = 0, ACTIVE, FINISHING };

typedef struct record {
  MPI_Request handle;
  char *buffer, *staged, *before;
  long bytes, size;
  int used, send, persistent, active, temporary, group;
  struct record* mate;  // of a collective that sends and receives
} record;

static record records[LIMIT];
static int highest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void report(const char* what, long bytes) {
  char name[64];
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "strict.%d", rank);
  FILE* file = fopen(name, "a");
  if (!file) return;
  fprintf(file, "%s (%ld bytes)\n", what, bytes);
  fclose(file);
}

// Only types without holes, whose bytes can be put aside as they lie.
static long plain_bytes(int count, MPI_Datatype type) {
  int size = 0, a, b, c, combiner = 0;
  MPI_Aint low = 0, extent = 0;
  if (type == MPI_DATATYPE_NULL || count <= 0) return 0;
  if (PMPI_Type_get_envelope(type, &a, &b, &c, &combiner) != MPI_SUCCESS) return 0;
  if (combiner != MPI_COMBINER_NAMED) return 0;
  PMPI_Type_size(type, &size);
  PMPI_Type_get_extent(type, &low, &extent);
  return extent == size ? (long)size * count : 0;
}

static record* find(MPI_Request handle) {
  for (int i = 0; i < highest; ++i)
    if (records[i].used && records[i].handle == handle) return &records[i];
  return NULL;
}

// What stands behind a request that is still the caller's. To be asked before MPI completes it: as soon as it
// has, another thread may be given the same handle.
static record* behind(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return NULL;
  pthread_mutex_lock(&lock);
  record* r = find(handle);
  pthread_mutex_unlock(&lock);
  return r;
}

// MPI has given out this handle: who had it before has been completed, and only its thread does not know yet.
// `r` is NULL for a request of which nothing is kept.
static void holds(record* r, MPI_Request handle) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < highest; ++i)
    if (records[i].handle == handle) records[i].handle = MPI_REQUEST_NULL;
  if (r) r->handle = handle;
  pthread_mutex_unlock(&lock);
}

static record* begin(void* buffer, int count, MPI_Datatype type, int peer, int send) {
  const long bytes = peer == MPI_PROC_NULL || buffer == MPI_BOTTOM ? 0 : plain_bytes(count, type);
  if (bytes == 0) return NULL;
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < LIMIT && records[i].used) ++i;
  if (i < LIMIT) {
    records[i] =
        (record){.handle = MPI_REQUEST_NULL, .buffer = buffer, .bytes = bytes, .used = 1, .send = send};
    if (i >= highest) highest = i + 1;
  }
  pthread_mutex_unlock(&lock);
  if (i == LIMIT) return NULL;
  record* r = &records[i];
  r->size = bytes / count;
  // Open MPI 4.1 writes a whole message that is fetched by process_vm_readv, even one too long for the
  // receive.
  r->staged = malloc((size_t)bytes * 3 + 64);
  r->before = malloc((size_t)bytes);
  return r;
}

static void activate(record* r) {
  if (!r->send) memcpy(r->before, r->buffer, (size_t)r->bytes);
  if (!r->send) memset(r->buffer, POISON, (size_t)r->bytes);
  if (r->send) memcpy(r->staged, r->buffer, (size_t)r->bytes);
  __atomic_store_n(&r->active, ACTIVE, __ATOMIC_RELEASE);
}

static void forget(record* r, int leak) {
  if (!leak) free(r->staged);
  free(r->before);
  pthread_mutex_lock(&lock);
  r->handle = MPI_REQUEST_NULL;
  r->used = 0;
  pthread_mutex_unlock(&lock);
}

static void finish_group(record* r);

// The transfer is over; `status` tells how much of it came.
static void finish(record* r, MPI_Status* status) {
  if (r->group) {
    finish_group(r);
  } else if (r->send) {
    if (memcmp(r->staged, r->buffer, (size_t)r->bytes) != 0)
      report("a send's buffer was changed in flight", r->bytes);
  } else {
    int got = 0, cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    if (!cancelled) PMPI_Get_count(status, MPI_BYTE, &got);
    if (got < 0) got = 0;
    if (got > r->bytes) got = (int)r->bytes;
    memcpy(r->buffer, r->staged, (size_t)got);
    memcpy(r->buffer + got, r->before + got, (size_t)(r->bytes - got));
  }
  __atomic_store_n(&r->active, IDLE, __ATOMIC_RELEASE);
}

// One thread may ask for the status of a request while another does so or completes it: the bytes are written
// once, and nobody is told of the end before they are there. False while they are being written.
static int finished(record* r, MPI_Status* status) {
  int expected = ACTIVE;
  if (__atomic_compare_exchange_n(&r->active, &expected, FINISHING, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    finish(r, status);
  return __atomic_load_n(&r->active, __ATOMIC_ACQUIRE) == IDLE;
}

static void completed(record* r, MPI_Request handle, MPI_Request* place, MPI_Status* status) {
  if (!r) return;
  while (!finished(r, status)) sched_yield();
  if (r->persistent) return;
  const int temporary = r->temporary;
  forget(r, 0);
  if (temporary) {
    PMPI_Request_free(&handle);
    *place = MPI_REQUEST_NULL;
  }
}

// A send as a persistent one of our own: MPI may give equal handles to sends that
// are complete at once, which could not be told apart.
#define SEND(name, init)                                                                               \
  int PMPI_##name(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q) { \
    REAL(name);                                                                                        \
    record* r = begin((void*)b, n, t, to, 1);                                                          \
    if (!r) {                                                                                          \
      const int e = real(b, n, t, to, tag, c, q);                                                      \
      if (e == MPI_SUCCESS) holds(NULL, *q);                                                           \
      return e;                                                                                        \
    }                                                                                                  \
    activate(r);                                                                                       \
    static __typeof__(PMPI_##init)* real_init;                                                         \
    if (!real_init) real_init = (__typeof__(real_init))dlsym(RTLD_NEXT, "PMPI_" #init);                \
    static __typeof__(PMPI_Start)* real_start;                                                         \
    if (!real_start) real_start = (__typeof__(real_start))dlsym(RTLD_NEXT, "PMPI_Start");              \
    int e = real_init(r->staged, n, t, to, tag, c, q);                                                 \
    if (e == MPI_SUCCESS) e = real_start(q);                                                           \
    holds(r, *q);                                                                                      \
    r->temporary = 1;                                                                                  \
    if (e != MPI_SUCCESS) forget(r, 1);                                                                \
    return e;                                                                                          \
  }                                                                                                    \
  ALSO(name)

SEND(Isend, Send_init)
SEND(Issend, Ssend_init)
SEND(Irsend, Rsend_init)
SEND(Ibsend, Bsend_init)

#define PERSISTENT(name, constness, is_send)                                                                 \
  int PMPI_##name(constness void* b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Request* q) { \
    REAL(name);                                                                                              \
    record* r = begin((void*)b, n, t, peer, is_send);                                                        \
    const int e = real(r ? r->staged : b, n, t, peer, tag, c, q);                                            \
    if (e == MPI_SUCCESS) holds(r, *q);                                                                      \
    if (r) r->persistent = 1;                                                                                \
    return e;                                                                                                \
  }                                                                                                          \
  ALSO(name)

PERSISTENT(Send_init, const, 1)
PERSISTENT(Ssend_init, const, 1)
PERSISTENT(Bsend_init, const, 1)
PERSISTENT(Rsend_init, const, 1)
PERSISTENT(Recv_init, , 0)

int PMPI_Irecv(void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* q) {
  REAL(Irecv);
  record* r = begin(b, n, t, from, 0);
  if (r) activate(r);
  const int e = real(r ? r->staged : b, n, t, from, tag, c, q);
  if (e == MPI_SUCCESS) holds(r, *q);
  return e;
}
ALSO(Irecv)

int PMPI_Imrecv(void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Request* q) {
  REAL(Imrecv);
  record* r = *m == MPI_MESSAGE_NO_PROC ? NULL : begin(b, n, t, 0, 0);
  if (r) activate(r);
  const int e = real(r ? r->staged : b, n, t, m, q);
  if (e == MPI_SUCCESS) holds(r, *q);
  return e;
}
ALSO(Imrecv)

#include "strict_collectives.h"

static void started(MPI_Request handle) {
  record* r = behind(handle);
  if (r && r->active) report("a persistent request was started again before it was complete", r->bytes);
  if (r) activate(r);
}

int PMPI_Start(MPI_Request* q) {
  REAL(Start);
  started(*q);
  return real(q);
}
ALSO(Start)

int PMPI_Startall(int n, MPI_Request q[]) {
  REAL(Startall);
  for (int i = 0; i < n; ++i) started(q[i]);
  return real(n, q);
}
ALSO(Startall)

#define ONE(status) MPI_Status own, *seen = (status) == MPI_STATUS_IGNORE ? &own : (status)

int PMPI_Wait(MPI_Request* q, MPI_Status* s) {
  REAL(Wait);
  ONE(s);
  const MPI_Request before = *q;
  record* r = behind(before);
  const int e = real(q, seen);
  completed(r, before, q, seen);
  return e;
}
ALSO(Wait)

int PMPI_Test(MPI_Request* q, int* flag, MPI_Status* s) {
  REAL(Test);
  ONE(s);
  const MPI_Request before = *q;
  record* r = behind(before);
  const int e = real(q, flag, seen);
  if (*flag) completed(r, before, q, seen);
  return e;
}
ALSO(Test)

#define MANY(n, q, s)                                                                    \
  MPI_Request* before = malloc(sizeof(MPI_Request) * (size_t)((n) + 1));                 \
  record** mine = malloc(sizeof(record*) * (size_t)((n) + 1));                           \
  MPI_Status* own = malloc(sizeof(MPI_Status) * (size_t)((n) + 1));                      \
  MPI_Status* seen = (s) == MPI_STATUSES_IGNORE || (s) == MPI_STATUS_IGNORE ? own : (s); \
  for (int i = 0; i < (n); ++i) before[i] = (q)[i], mine[i] = behind((q)[i])
#define MANY_END \
  free(before);  \
  free(mine);    \
  free(own)

int PMPI_Waitall(int n, MPI_Request q[], MPI_Status s[]) {
  REAL(Waitall);
  MANY(n, q, s);
  const int e = real(n, q, seen);
  for (int i = 0; i < n; ++i) completed(mine[i], before[i], &q[i], &seen[i]);
  MANY_END;
  return e;
}
ALSO(Waitall)

int PMPI_Testall(int n, MPI_Request q[], int* flag, MPI_Status s[]) {
  REAL(Testall);
  MANY(n, q, s);
  const int e = real(n, q, flag, seen);
  for (int i = 0; *flag && i < n; ++i) completed(mine[i], before[i], &q[i], &seen[i]);
  MANY_END;
  return e;
}
ALSO(Testall)

int PMPI_Waitany(int n, MPI_Request q[], int* index, MPI_Status* s) {
  REAL(Waitany);
  MANY(n, q, s);
  const int e = real(n, q, index, seen);
  if (*index != MPI_UNDEFINED) completed(mine[*index], before[*index], &q[*index], seen);
  MANY_END;
  return e;
}
ALSO(Waitany)

int PMPI_Testany(int n, MPI_Request q[], int* index, int* flag, MPI_Status* s) {
  REAL(Testany);
  MANY(n, q, s);
  const int e = real(n, q, index, flag, seen);
  if (*flag && *index != MPI_UNDEFINED) completed(mine[*index], before[*index], &q[*index], seen);
  MANY_END;
  return e;
}
ALSO(Testany)

int PMPI_Waitsome(int n, MPI_Request q[], int* count, int indices[], MPI_Status s[]) {
  REAL(Waitsome);
  MANY(n, q, s);
  const int e = real(n, q, count, indices, seen);
  for (int i = 0; *count != MPI_UNDEFINED && i < *count; ++i)
    completed(mine[indices[i]], before[indices[i]], &q[indices[i]], &seen[i]);
  MANY_END;
  return e;
}
ALSO(Waitsome)

int PMPI_Testsome(int n, MPI_Request q[], int* count, int indices[], MPI_Status s[]) {
  REAL(Testsome);
  MANY(n, q, s);
  const int e = real(n, q, count, indices, seen);
  for (int i = 0; *count != MPI_UNDEFINED && i < *count; ++i)
    completed(mine[indices[i]], before[indices[i]], &q[indices[i]], &seen[i]);
  MANY_END;
  return e;
}
ALSO(Testsome)

int PMPI_Request_free(MPI_Request* q) {
  REAL(Request_free);
  record* r = behind(*q);
  if (r) forget(r, r->active);
  return real(q);
}
ALSO(Request_free)

// True means that the buffer may be used, though the request stays.
int PMPI_Request_get_status(MPI_Request q, int* flag, MPI_Status* s) {
  REAL(Request_get_status);
  ONE(s);
  record* r = behind(q);
  const int e = real(q, flag, seen);
  if (*flag && r && !finished(r, seen)) *flag = 0;
  return e;
}
ALSO(Request_get_status)

int PMPI_Finalize(void) {
  REAL(Finalize);
  // The preloaded engine leaves requests of its own behind.
  for (int i = 0; i < highest && getenv("STRICT_LEAKS"); ++i)
    if (records[i].used && (records[i].active || !records[i].persistent))
      report("a request was never completed", records[i].bytes);
  return real();
}
ALSO(Finalize)
