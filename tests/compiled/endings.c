/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that end, or are, in ways that compiled code does not plan for.
 *   endings outstanding|exit|abort|threads|level
 */
#include <lapwing/compiled.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20, ROUNDS = 20, THREADS = 3 };
static char out[BYTES], in[BYTES], more[BYTES];

static void* exchange(void* argument) {
  MPI_Comm comm = *(MPI_Comm*)argument;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  char *to = malloc(BYTES), *from = malloc(BYTES);
  for (int round = 0; round < ROUNDS; ++round) {
    const int bytes = round % 2 ? BYTES : 1000;
    memset(to, rank + round, BYTES);
    lapwing_token* receiving =
        lapwing_post_recv(from, bytes, MPI_BYTE, (rank + size - 1) % size, round, comm, MPI_STATUS_IGNORE);
    lapwing_token* sending = lapwing_post_send(to, bytes, MPI_BYTE, (rank + 1) % size, round, comm);
    lapwing_wait(round % 3 ? sending : receiving);
    lapwing_wait(round % 3 ? receiving : sending);
    for (int i = 0; i < bytes; ++i) {
      if (from[i] == (char)((rank + size - 1) % size + round)) continue;
      printf("wrong byte %d in round %d\n", i, round);
      exit(1);
    }
  }
  free(to);
  free(from);
  return NULL;
}

int main(int argc, char** argv) {
  const char* ending = argc > 1 ? argv[1] : "";
  const int threads = strcmp(ending, "threads") == 0;
  int provided = 0, real = 0, rank, size;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (threads) {
    MPI_Comm comms[THREADS];
    pthread_t others[THREADS];
    if (provided != MPI_THREAD_MULTIPLE) return 77;
    for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < THREADS; ++i) pthread_create(&others[i], NULL, exchange, &comms[i]);
    for (int i = 0; i < THREADS; ++i) pthread_join(others[i], NULL);
    for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
  }
  if (strcmp(ending, "level") == 0) {
    PMPI_Query_thread(&real);
    printf("told %d runs at %d\n", provided, real);
    MPI_Finalize();
    return 0;
  }
  /* In flight: a receive that nobody sends to, a send that nobody receives, and a
   * pair that belongs together. */
  lapwing_token* tokens[4];
  MPI_Request request;
  tokens[0] = lapwing_post_recv(more, BYTES, MPI_BYTE, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  tokens[1] =
      lapwing_post_recv(in, BYTES, MPI_BYTE, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  tokens[2] = lapwing_post_send(out, BYTES, MPI_BYTE, (rank + 1) % size, 3, MPI_COMM_WORLD);
  tokens[3] = lapwing_post_recv(more, BYTES, MPI_BYTE, MPI_ANY_SOURCE, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(more, 1, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
  lapwing_defer(1, &request);
  if (strcmp(ending, "exit") == 0) exit(3);
  if (strcmp(ending, "abort") == 0) {
    if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    for (;;) {
    }
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  for (int i = 0; i < 4; ++i) lapwing_wait(tokens[i]);
  lapwing_loop loop = {1, 0};
  lapwing_poll(&loop);
  lapwing_defer(1, &request);
  puts("ended");
  return 0;
}
