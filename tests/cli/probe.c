/* SPDX-License-Identifier: Apache-2.0 */
/* An MPI program that does one thing, so that a test can see what reached it.
 *   exit N        every rank ends with status N
 *   signal N      rank 0 raises the signal
 *   env NAME...   every rank prints these variables
 *   lines         lines that are always the same, and a ring of messages
 *   order         the same lines, in another order when preloaded
 *   vary [wrong]  a line with a time and a result; with the argument, a wrong result when preloaded
 *   words [wrong] lines with words, addresses and units that vary, and a varying number of lines; with
 *                 the argument, a wrong result among them when preloaded
 *   differ        a line that tells whether Lapwing is preloaded
 *   write FILE    rank 0 writes a file, another one when preloaded if $DIFFER is set
 *   cat           rank 0 copies its standard input
 *   wait FILE     rank 0 makes the file, then all sleep */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int preloaded(void) {
  const char* value = getenv("LD_PRELOAD");
  return value && strstr(value, "liblapwing-preload") != NULL;
}

static void ring(int rank, int size) {
  static double out[1 << 15], in[1 << 15];
  for (int i = 0; i < 1 << 15; ++i) out[i] = rank + i;
  MPI_Sendrecv(out, 1 << 15, MPI_DOUBLE, (rank + 1) % size, 0, in, 1 << 15, MPI_DOUBLE,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) printf("got %.0f\n", in[(1 << 15) - 1]);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* what = argc > 1 ? argv[1] : "lines";
  int status = 0;
  if (!strcmp(what, "exit")) {
    status = atoi(argv[2]);
  } else if (!strcmp(what, "signal")) {
    if (rank == 0) raise(atoi(argv[2]));
  } else if (!strcmp(what, "env")) {
    char text[8192] = "";
    for (int i = 2; i < argc; ++i) {
      const char* value = getenv(argv[i]);
      snprintf(text + strlen(text), sizeof text - strlen(text), "rank %d of %d %s=%s\n", rank, size, argv[i],
               value ? value : "(unset)");
    }
    fputs(text, stdout);
  } else if (!strcmp(what, "lines")) {
    ring(rank, size);
  } else if (!strcmp(what, "order")) {
    if (rank == 0) puts(preloaded() ? "two\none" : "one\ntwo");
  } else if (!strcmp(what, "vary")) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    /* With an argument, a result beside the time that is wrong when preloaded. */
    if (rank == 0)
      printf("same\ntook %ld.%09ld s, result %d\n", (long)now.tv_sec % 1000, now.tv_nsec,
             argc > 2 && preloaded() ? 41 : 42);
  } else if (!strcmp(what, "words")) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (rank == 0) {
      const char letter = (char)('a' + now.tv_nsec / 1000 % 26),
                 other = (char)('a' + now.tv_nsec / 26000 % 26);
      printf("same\non host %c%c%c\nbuffer at %p\n", letter, other, letter, (void*)&now);
      printf(now.tv_nsec / 1000 % 2 ? "elapsed %ld ms\n" : "elapsed %ld.5 s\n", now.tv_nsec % 1000);
      for (long i = 0; i < now.tv_nsec / 1000 % 7; ++i)
        printf("still at work (%ld)\n", now.tv_nsec % 100 + i);
      printf("the answer is %s\n", argc > 2 && preloaded() ? "wrong" : "right");
    }
  } else if (!strcmp(what, "differ")) {
    if (rank == 0) printf("same\nanswer %s\n", preloaded() ? "wrong" : "right");
  } else if (!strcmp(what, "write")) {
    if (rank == 0) {
      FILE* file = fopen(argv[2], "w");
      fprintf(file, "result %s\n", preloaded() && getenv("DIFFER") ? "wrong" : "right");
      fclose(file);
    }
  } else if (!strcmp(what, "cat")) {
    if (rank == 0)
      for (int c; (c = getchar()) != EOF;) putchar(c);
  } else if (!strcmp(what, "wait")) {
    if (rank == 0) fclose(fopen(argv[2], "w"));
    sleep(60);
  }
  fflush(stdout);
  MPI_Finalize();
  return status;
}
