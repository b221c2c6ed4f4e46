/* SPDX-License-Identifier: Apache-2.0
 * Each case breaks one rule of process sets; the last ones break none. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lapwing/sets.h"

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "";
  MPI_Comm comm = MPI_COMM_WORLD, other;
  int rank, size, x = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_dup(comm, &other);
  if (!strcmp(which, "merge-without-split")) {
    lapwing_merge(comm);
  } else if (!strcmp(which, "split-without-merge")) {
    lapwing_split(comm, 2, rank == 0);
  } else if (!strcmp(which, "bad-branch")) {
    lapwing_split(comm, 2, 2);
  } else if (!strcmp(which, "null")) {
    lapwing_split(MPI_COMM_NULL, 2, 0);
  } else if (!strcmp(which, "freed-inside")) {
    lapwing_split(other, 2, rank == 0);
    MPI_Comm_free(&other);
  } else if (!strcmp(which, "used-after-merge")) {
    unsigned long long token;
    lapwing_split(comm, 2, rank == 0);
    token = lapwing_set_token(comm);
    lapwing_set_expect(comm, token);
    lapwing_merge(comm);
    lapwing_set_expect(comm, token);
  } else if (!strcmp(which, "absent-root")) {
    lapwing_split(comm, 2, rank == 0);
    if (rank != 0) {
      lapwing_on_set();
      MPI_Bcast(&x, 1, MPI_INT, 0, comm);
    }
    lapwing_merge(comm);
  } else if (!strcmp(which, "window")) {
    MPI_Win win;
    lapwing_split(comm, 2, rank == 0);
    lapwing_on_set();
    MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, comm, &win);
    lapwing_merge(comm);
  } else if (!strcmp(which, "returned-error")) {
    int code, class = 0;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    lapwing_split(comm, 2, rank == 0);
    if (rank != 0) {
      lapwing_on_set();
      code = MPI_Reduce(&rank, &x, 1, MPI_INT, MPI_SUM, 0, comm);
      MPI_Error_class(code, &class);
      if (class != MPI_ERR_ROOT) MPI_Abort(comm, 3);
    }
    lapwing_merge(comm);
  } else if (!strcmp(which, "died")) {
    if (rank == 0) return 5; /* without MPI_Finalize, before the split */
    lapwing_split(comm, 2, rank % 2);
    lapwing_set_size(comm);
    lapwing_merge(comm);
  } else if (!strcmp(which, "ended")) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (x = 0; x < 2; ++x) {
      if (rank == 0 && x == 1) _exit(5);
      lapwing_split(comm, 2, rank % 2);
      lapwing_set_size(comm);
      lapwing_merge(comm);
    }
  } else if (!strcmp(which, "ended-late")) {
    lapwing_split(comm, 2, rank % 2);
    lapwing_set_size(comm);
    lapwing_merge(comm);
    if (rank == 0) _exit(5);
    MPI_Finalize();
    return 0;
  } else if (!strcmp(which, "ended-call")) {
    if (rank == 0) _exit(5);
    MPI_Barrier(comm);
  } else if (!strcmp(which, "ended-receive")) {
    if (rank == 0) _exit(5);
    if (rank == size - 1) MPI_Recv(&x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
  } else if (!strncmp(which, "stale-", 6) && strcmp(which, "stale-communicator")) {
    /* A message on the communicator of a set that is over; before, and to oneself, it is right. */
    MPI_Comm set;
    MPI_Request request = MPI_REQUEST_NULL;
    int here = 0, me;
    lapwing_split(comm, 2, rank == 0);
    set = lapwing_set_comm(comm);
    MPI_Comm_rank(set, &me);
    MPI_Sendrecv(&rank, 1, MPI_INT, me, 1, &x, 1, MPI_INT, me, 1, set, MPI_STATUS_IGNORE);
    lapwing_merge(comm);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, 1, &x, 1, MPI_INT, rank, 1, comm, MPI_STATUS_IGNORE);
    if (rank != 1) {
    } else if (!strcmp(which, "stale-send")) {
      MPI_Send(&x, 1, MPI_INT, 1 - me, 1, set);
    } else if (!strcmp(which, "stale-receive")) {
      MPI_Irecv(&x, 1, MPI_INT, 1 - me, 1, set, &request);
    } else if (!strcmp(which, "stale-probe")) {
      MPI_Iprobe(1 - me, 1, set, &here, MPI_STATUS_IGNORE);
    }
  } else if (!strcmp(which, "stale-communicator") || !strcmp(which, "freed-set")) {
    MPI_Comm set, inner;
    lapwing_split(comm, 2, rank == 0);
    set = lapwing_set_comm(comm);
    MPI_Barrier(set);
    lapwing_split(comm, 2, rank == 1);
    inner = lapwing_set_comm(comm);
    MPI_Barrier(set); /* of the split around this one */
    if (which[0] == 'f') MPI_Comm_free(&inner);
    lapwing_merge(comm);
    lapwing_merge(comm);
    if (rank != 0) MPI_Barrier(set); /* one set only: who finds its mistake first ends the job */
  } else if (!strcmp(which, "device")) {
    void* memory = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int counts[3] = {1, 1, 1};
    if (!dlopen(argv[2], RTLD_NOW)) return 7;
    lapwing_split(comm, 2, rank == 0);
    lapwing_on_set();
    MPI_Reduce_scatter(rank == 2 ? memory : counts, &x, counts, MPI_INT, MPI_SUM, comm);
    lapwing_merge(comm);
  } else if (!strcmp(which, "name-twice")) {
    lapwing_split(comm, 2, rank == 0);
    lapwing_set_publish(comm, "a");
    lapwing_merge(comm);
    lapwing_set_publish(comm, "a");
  } else if (!strcmp(which, "no-name")) {
    lapwing_set_publish(comm, "two words");
  }
  if (other != MPI_COMM_NULL) MPI_Comm_free(&other);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
  return 0;
}
