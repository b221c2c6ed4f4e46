/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for an MPI that takes buffers on a device: addresses that the processor cannot touch.
   Between the program (or Lapwing) and the MPI, each such address is turned into another one of
   the same memory, which ordinary code cannot know. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/device_mpi.h"

static char *begin, *end, *view;

void* device_memory(size_t length) {
  int file = memfd_create("device", 0);
  if (file < 0 || ftruncate(file, (off_t)length) != 0) return NULL;
  view = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  begin = mmap(NULL, length, PROT_NONE, MAP_SHARED, file, 0);
  end = begin + length;
  return begin;
}

void* device_view(const void* address) {
  char* p = (char*)address;
  return begin && p >= begin && p < end ? view + (p - begin) : p;
}

#define AT device_view
/* The program's name and the one that Lapwing calls are the same function of the MPI. */
#define CALL(name, parameters, arguments)                        \
  int PMPI_##name parameters {                                   \
    static int(*next) parameters;                                \
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_" #name); \
    return next arguments;                                       \
  }                                                              \
  int MPI_##name parameters { return PMPI_##name arguments_of_##name; }

#define SENT const void *b, int n, MPI_Datatype t, int p, int g, MPI_Comm c
#define RECEIVED void *b, int n, MPI_Datatype t, int p, int g, MPI_Comm c
#define arguments_of_Send (b, n, t, p, g, c)
#define arguments_of_Ssend (b, n, t, p, g, c)
#define arguments_of_Isend (b, n, t, p, g, c, r)
#define arguments_of_Issend (b, n, t, p, g, c, r)
#define arguments_of_Recv (b, n, t, p, g, c, s)
#define arguments_of_Irecv (b, n, t, p, g, c, r)
#define arguments_of_Mrecv (b, n, t, m, s)
#define arguments_of_Imrecv (b, n, t, m, r)
#define arguments_of_Sendrecv (b, n, t, p, g, b2, n2, t2, p2, g2, c, s)
#define arguments_of_Sendrecv_replace (b, n, t, p, g, p2, g2, c, s)
#define arguments_of_Pack (b, n, t, out, size, at, c)

CALL(Send, (SENT), (AT(b), n, t, p, g, c))
CALL(Ssend, (SENT), (AT(b), n, t, p, g, c))
CALL(Isend, (SENT, MPI_Request* r), (AT(b), n, t, p, g, c, r))
CALL(Issend, (SENT, MPI_Request* r), (AT(b), n, t, p, g, c, r))
CALL(Recv, (RECEIVED, MPI_Status* s), (AT(b), n, t, p, g, c, s))
CALL(Irecv, (RECEIVED, MPI_Request* r), (AT(b), n, t, p, g, c, r))
CALL(Mrecv, (void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Status* s), (AT(b), n, t, m, s))
CALL(Imrecv, (void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Request* r), (AT(b), n, t, m, r))
CALL(Sendrecv,
     (const void* b, int n, MPI_Datatype t, int p, int g, void* b2, int n2, MPI_Datatype t2, int p2, int g2,
      MPI_Comm c, MPI_Status* s),
     (AT(b), n, t, p, g, AT(b2), n2, t2, p2, g2, c, s))
CALL(Sendrecv_replace,
     (void* b, int n, MPI_Datatype t, int p, int g, int p2, int g2, MPI_Comm c, MPI_Status* s),
     (AT(b), n, t, p, g, p2, g2, c, s))
CALL(Pack, (const void* b, int n, MPI_Datatype t, void* out, int size, int* at, MPI_Comm c),
     (AT(b), n, t, out, size, at, c))
