/* SPDX-License-Identifier: Apache-2.0
   MPI inside of tasks, in C: on each rank tasks receive numbers from the rank before it and add them to a
   sum, and tasks send numbers to the rank behind it. Those that receive come first: while they wait, the
   others run. mpiexec -n 2 pairs [MESSAGES] */
#include <lapwing/tasks.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct message {
  lapwing_object sum;
  int partner, number;
};

static void receive(void* arguments) {
  const struct message* m = arguments;
  long value = 0;
  MPI_Recv(&value, 1, MPI_LONG, m->partner, m->number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  long* sum = lapwing_task_read_write(m->sum);
  if (sum != NULL) *sum += value;
}

static void send(void* arguments) {
  const struct message* m = arguments;
  const long value = m->number;
  MPI_Ssend(&value, 1, MPI_LONG, m->partner, m->number, MPI_COMM_WORLD);
}

struct program {
  int before, after, messages;
  long sum;
};

static void run_program(void* arguments) {
  struct program* p = arguments;
  lapwing_object sum = lapwing_task_create(&p->sum, sizeof p->sum, "sum");
  for (int i = 0; i < p->messages; ++i) {
    struct message m = {sum, p->before, i};
    lapwing_task_access later = lapwing_task_cm(sum); /* in any order */
    lapwing_task_spawn(receive, &m, sizeof m, &later, 1, NULL);
  }
  for (int i = p->messages - 1; i >= 0; --i) {
    struct message m = {sum, p->after, i};
    lapwing_task_spawn(send, &m, sizeof m, NULL, 0, NULL);
  }
  const long* result = lapwing_task_read(sum);
  if (result != NULL) p->sum = *result;
}

int main(int argc, char** argv) {
  struct program p = {0, 0, argc > 1 ? atoi(argv[1]) : 20, 0};
  int level = 0, rank = 0, ranks = 1, failed, wrong;
  if (p.messages < 1) {
    fputs("usage: pairs [MESSAGES]\n", stderr);
    return 2;
  }
  setenv("LAPWING_TASKS_RANKS", "off", 1); /* each rank runs this program by itself */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  p.before = (rank + ranks - 1) % ranks;
  p.after = (rank + 1) % ranks;
  failed = lapwing_task_run(run_program, &p, 0);
  wrong = failed != 0 || p.sum != (long)p.messages * (p.messages - 1) / 2;
  printf("rank %d: %d numbers, sum %ld: %s\n", rank, p.messages, p.sum, wrong ? "WRONG" : "right");
  MPI_Finalize();
  return wrong;
}
