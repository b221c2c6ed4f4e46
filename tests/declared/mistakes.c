/* SPDX-License-Identifier: Apache-2.0
 * Wrong declarations, one for each number; 0 is right. Two processes. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lapwing/declare.h"
#include "lapwing/shortcut.h"

static int x[4], y[4];

int main(int argc, char** argv) {
  const int wrong = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Comm half;
  int rank;
  if (wrong == 9) lapwing_declare_send(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  switch (wrong) {
    case 1: /* sizes */
      if (rank == 0) lapwing_declare_send(x, 4, MPI_INT, other, 7, MPI_COMM_WORLD);
      if (rank == 1) lapwing_declare_recv(x, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
      break;
    case 2: /* a receive without a send */
      if (rank == 1) lapwing_declare_recv(x, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
      if (rank == 1) lapwing_use(x, sizeof x);
      break;
    case 3: /* a send without a receive */
      if (rank == 0) lapwing_declare_send(x, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
      break;
    case 4: /* another tag */
      if (rank == 0) lapwing_declare_send(x, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
      if (rank == 1) lapwing_declare_recv(x, 2, MPI_INT, other, 8, MPI_COMM_WORLD);
      break;
    case 5: /* roots */
      lapwing_declare_bcast(x, 2, MPI_INT, rank, MPI_COMM_WORLD);
      if (rank == 1) lapwing_declare_bcast(y, 2, MPI_INT, 0, MPI_COMM_WORLD);
      break;
    case 6: /* kinds of collective */
      if (rank == 0) lapwing_declare_bcast(x, 2, MPI_INT, 1, MPI_COMM_WORLD);
      if (rank == 1) lapwing_declare_reduce(x, y, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
      break;
    case 7: /* not opened */
      MPI_Comm_dup(MPI_COMM_WORLD, &half);
      lapwing_declare_send(x, 2, MPI_INT, other, 7, half);
      break;
    case 8: /* no such rank */
      lapwing_declare_send(x, 2, MPI_INT, 5, 7, MPI_COMM_WORLD);
      break;
    case 10:
      lapwing_declare_recv(x, 2, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD);
      break;
    case 11: { /* a result that does not fit */
      lapwing_shortcut* race = lapwing_shortcut_begin(MPI_COMM_WORLD, LAPWING_SHORTCUT_ANY);
      lapwing_shortcut_found(race, x, sizeof x);
      lapwing_shortcut_end(race, y, sizeof y[0]);
      break;
    }
    case 12: /* states */
      if (rank == 1) {
        lapwing_declare_recv(x, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
        lapwing_declare_send(x, 2, MPI_INT, other, 8, MPI_COMM_WORLD);
        lapwing_declared_print();
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) {
        lapwing_declare_send(x, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
        lapwing_declare_recv(y, 2, MPI_INT, other, 8, MPI_COMM_WORLD);
      }
      break;
    case 13: /* a circle */
      lapwing_declare_recv(x, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
      lapwing_use(x, sizeof x);
      lapwing_declare_send(y, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
      break;
    case 14: /* who is waited for ends */
      if (rank == 0) _exit(3);
      lapwing_declare_recv(x, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
      lapwing_use(x, sizeof x);
      break;
    case 15: { /* a device's buffer */
      void* memory = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (!dlopen(argv[2], RTLD_NOW)) return 7;
      if (rank == 1) lapwing_declare_recv(memory, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
      if (rank == 0) lapwing_declare_send(x, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
      break;
    }
    default:
      lapwing_declare_send(x, 2, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
