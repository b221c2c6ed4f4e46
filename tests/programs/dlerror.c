/* SPDX-License-Identifier: Apache-2.0 */
/* The loader's last error stays until it is asked for, whatever the program calls before that. */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(const char* call) {
  const char* said = dlerror();
  if (said && strstr(said, "no_such_library")) return;
  printf("%s made the loader forget: %s\n", call, said ? said : "nothing is said");
  exit(1);
}

static void fail(void) { (void)!dlopen("libno_such_library.so", RTLD_NOW); }

int main(int argc, char** argv) {
  fail();
  (void)!write(STDOUT_FILENO, "", 0);
  check("write");
  fail();
  signal(SIGUSR2, SIG_DFL);
  check("signal");
  fail();
  free(realloc(malloc(10), 1 << 20));
  check("realloc");
  fail();
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_BLOCK, &none, NULL);
  check("pthread_sigmask");
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("kept\n");
  MPI_Finalize();
  return 0;
}
