// SPDX-License-Identifier: Apache-2.0
/* Calls that the compiler has split, whose waiting is known, for the report: rank 0 receives three times what
 * comes 150 ms late, into a buffer that is twice as large, and sends as much back. */
#include <lapwing/compiled.h>
#include <mpi.h>
#include <unistd.h>

enum { rounds = 3, count = 1 << 18, late_us = 150000 };
static float in[2 * count], out[count];

int main(int argc, char** argv) {
  int rank;
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Status* const none = MPI_STATUS_IGNORE;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < rounds; ++i) {
    lapwing_queue sends = {0};
    lapwing_token* receive;
    if (rank == 1) usleep(late_us);
    lapwing_push(&sends, lapwing_start_send(out, count, MPI_FLOAT, 1 - rank, 0, world)); /* send */
    receive = lapwing_start_recv(in, 2 * count, MPI_FLOAT, 1 - rank, 0, world, none);    /* started */
    lapwing_wait(receive);                                                               /* waited: receive */
    lapwing_drain(&sends);                                                               /* waited: send */
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
