// SPDX-License-Identifier: Apache-2.0
// An exchange of large messages for programs that come to their MPI in various ways: linked with it, by
// loading it while they run (LATE; a thread of theirs loads other libraries meanwhile), or by loading a
// module that is linked with it (MODULE; the program is then HOST). With READER in the environment, the
// library of that name is loaded after each receive, and its constructor (READ) reads the bytes at BUFFER.
// Rank 0 prints a sum of what it has received, and the file of the MPI.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef READ
double read_bytes;
__attribute__((constructor)) static void read_all(void) {
  const double* in = (const double*)strtoul(getenv("BUFFER"), NULL, 0);
  for (int i = 0; i < 1 << 16; ++i) read_bytes += in[i];
}
#elif !defined HOST
#include <mpi.h>

#ifdef LATE
static void* mpi;
#define CALL(name) ((__typeof__(&MPI_##name))dlsym(mpi, "MPI_" #name))
#else
static void* const mpi = RTLD_DEFAULT;
#define CALL(name) MPI_##name
#endif

// Handles of Open MPI are objects of its library.
#if defined LATE && defined OPEN_MPI
#define WORLD ((MPI_Comm)dlsym(mpi, "ompi_mpi_comm_world"))
#define NUMBERS ((MPI_Datatype)dlsym(mpi, "ompi_mpi_double"))
#else
#define WORLD MPI_COMM_WORLD
#define NUMBERS MPI_DOUBLE
#endif

enum { numbers = 1 << 16, rounds = 4 };

static void read_in_constructor(const double* in) {
  char text[32];
  if (!getenv("READER")) return;
  snprintf(text, sizeof text, "%p", (const void*)in);
  setenv("BUFFER", text, 1);
  void* const reader = dlopen(getenv("READER"), RTLD_NOW | RTLD_LOCAL);
  if (!reader || dlclose(reader) != 0) exit(1);
}

int exchange(void) {
  int rank = 0;
  CALL(Init)(NULL, NULL);
  CALL(Comm_rank)(WORLD, &rank);
  double *out = malloc(numbers * sizeof *out), *in = malloc(numbers * sizeof *in), sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < numbers; ++i) out[i] = rank + i * 0.5 + round;
    if (rank == 0) CALL(Send)(out, numbers, NUMBERS, 1, round, WORLD);
    CALL(Recv)(in, numbers, NUMBERS, 1 - rank, round, WORLD, MPI_STATUS_IGNORE);
    read_in_constructor(in);
    if (rank == 1) CALL(Send)(out, numbers, NUMBERS, 0, round, WORLD);
    for (int i = 0; i < numbers; ++i) sum = sum / 3 + in[i];
  }
  Dl_info file;
  if (rank == 0 && dladdr(dlsym(mpi, "PMPI_Init"), &file)) printf("%a of %s\n", sum, file.dli_fname);
  CALL(Finalize)();
  return 0;
}
#endif

#ifdef HOST
// HOST MODULE [LIBRARY]: mpi4py's wheel loads the library first, since its module is linked with a name only.
int main(int argc, char** argv) {
  if (argc > 2 && !dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL)) return fprintf(stderr, "%s\n", dlerror()), 1;
  void* const module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!module) return fprintf(stderr, "%s\n", dlerror()), 1;
  return ((int (*)(void))dlsym(module, "exchange"))();
}
#elif !defined MODULE && !defined READ
#ifdef LATE
static void* load_others(void* library) {
  for (;;) {
    void* const other = dlopen(library, RTLD_NOW);
    if (!other) return NULL;
    dlclose(other);
    usleep(200);
  }
}
#endif

int main(int argc, char** argv) {
#ifdef LATE
  pthread_t thread;
  mpi = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "local") == 0 ? RTLD_LOCAL : RTLD_GLOBAL));
  if (!mpi) return fprintf(stderr, "%s\n", dlerror()), 1;
  if (pthread_create(&thread, NULL, load_others, argv[3]) != 0) return 1;
#endif
  return exchange();
}
#endif
