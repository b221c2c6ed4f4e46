// SPDX-License-Identifier: Apache-2.0
// Right programs of shapes that people write and a generator does not, each of
// which the pass once took for another. Two ranks; rank 0 does what is looked at.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { few = 4096, many = 400000 };
static double work[few], a[many], b[many], in[many];
static int rank;

__attribute__((noinline)) static double compute(int k) {
  double s = 0;
  for (int i = 0; i < few; ++i) s += work[i] = work[i] * 0.5 + k;
  return s;
}

static void take(const char* what, int messages, int n) {
  for (int k = 0; k < messages; ++k) {
    MPI_Recv(in, n, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%s %d: %g %g\n", what, k, in[0], in[n - 1]);
  }
}

// A message that is there before the receive for it, sent on meanwhile.
static void give_and_take(const char* what) {
  MPI_Request request;
  for (int i = 0; i < many; ++i) a[i] = -i;
  MPI_Isend(a, many, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 5; ++i) {
    int found;
    usleep(50000);
    MPI_Iprobe(0, 77, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
  take(what, 1, many);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void fill(double* x, int n, int k) {
  for (int i = 0; i < n; ++i) x[i] = i + k;
}

// Two buffers that change places each round.
static void exchanged(void) {
  double *now = a, *next = b;
  for (int k = 0; k < 5; ++k) {
    for (int i = 0; i < few; ++i) now[i] = k * 10 + rank;
    if (rank == 0) {
      MPI_Send(now, few, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
    } else {
      MPI_Recv(next, few, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < few; ++i) work[i] = work[i] * .5 + k;
    double* t = now;
    now = next;
    next = t;
  }
  if (rank == 1) printf("exchanged %g %g %g\n", a[7], b[7], work[3]);
}

// A loop that ends behind a call which not every round makes.
__attribute__((noinline)) static void left_behind_a_send(void) {
  fill(a, few, 0);
  for (int round = 1;; ++round) {
    compute(round);
    if (round % 3 == 0) {
      MPI_Send(a, few, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
      a[0] += 1;
      if (round == 9) break;
    }
    work[1] += 1;
  }
}

__attribute__((noinline)) static double left_behind_a_receive(void) {
  double sum = 0;
  for (int round = 1;; ++round) {
    const double s = compute(round);
    if (round % 3 == 0) {
      MPI_Recv(a, few, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += a[0] * a[few - 1];
      if (a[1] < 0) break;
    }
    sum = sum * 0.5 + s;
  }
  return sum;
}

// A loop with two ways in.
__attribute__((noinline)) static void two_ways_in(int rounds, int skip) {
  int k = 0;
  fill(a, few, 0);
  compute(100);
  if (skip) goto middle;
again:
  compute(k);
middle:
  compute(k + 1);
  MPI_Send(a, few, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
  a[0] += 1;
  if (++k < rounds) goto again;
}

// A request that an earlier call of the function has started.
__attribute__((noinline)) static void step(int k) {
  static MPI_Request request = MPI_REQUEST_NULL;
  if (k == 0) MPI_Isend(a, few, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  compute(k);
  fill(b, few, k * 1000);
  if (k < 4) MPI_Isend(b, few, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request);
}

// A persistent request that another function has made, perhaps.
__attribute__((noinline)) static void make(MPI_Request* request) {
  MPI_Send_init(a, few, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, request);
}
__attribute__((noinline)) static void made_elsewhere(int elsewhere) {
  MPI_Request request;
  fill(a, few, 0);
  if (elsewhere) {
    make(&request);
  } else {
    MPI_Send_init(b, few, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request);
  }
  for (int k = 0; k < 3; ++k) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute(k);
    for (int i = 0; i < few; ++i) a[i] += 1;
    compute(k);
    b[3] += 1;
  }
  MPI_Request_free(&request);
}

// A persistent receive into what has been sent.
__attribute__((noinline)) static void started_behind(MPI_Request* receive) {
  fill(a, many, 0);
  MPI_Send(a, many, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
  MPI_Start(receive);
  compute(1);
  MPI_Wait(receive, MPI_STATUS_IGNORE);
}

// The same by a datatype that says where.
__attribute__((noinline)) static void absolute_receive(MPI_Datatype place) {
  fill(a, many, 0);
  MPI_Send(a, many, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
  MPI_Recv(MPI_BOTTOM, 1, place, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  compute(1);
}
__attribute__((noinline)) static void absolute_send(MPI_Datatype place) {
  fill(a, many, 0);
  MPI_Send(MPI_BOTTOM, 1, place, 1, 7, MPI_COMM_WORLD);
  compute(1);
  MPI_Recv(a, many, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The answer tells that a send is over whose request was freed.
__attribute__((noinline)) static void freed(int rounds) {
  for (int k = 0; k < rounds; ++k) {
    MPI_Request request;
    fill(a, many, k);
    MPI_Isend(a, many, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(b, few, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void first(MPI_Datatype place) {
  left_behind_a_send();
  printf("left behind a receive: %g\n", left_behind_a_receive());
  two_ways_in(4, 0);
  two_ways_in(3, 1);
  fill(a, few, -5);
  for (int k = 0; k < 5; ++k) step(k);
  made_elsewhere(1);
  MPI_Request receive;
  MPI_Recv_init(a, many, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, &receive);
  started_behind(&receive);
  MPI_Request_free(&receive);
  printf("started behind: %g\n", a[many - 1]);
  absolute_receive(place);
  printf("absolute receive: %g\n", a[many - 1]);
  absolute_send(place);
  printf("absolute send: %g\n", a[many - 1]);
  freed(3);
  printf("work %g %g\n", work[0], work[few - 1]);
}

static void second(void) {
  take("left behind a send", 3, few);
  for (int k = 0; k < 4; ++k) {
    fill(b, few, k);
    if (k == 3) b[1] = -1;
    MPI_Send(b, few, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  }
  take("two ways in", 7, few);
  take("earlier call", 5, few);
  take("made elsewhere", 3, few);
  give_and_take("started behind");
  give_and_take("absolute receive");
  give_and_take("absolute send");
  for (int k = 0; k < 3; ++k) {
    usleep(100000);
    take("freed", 1, many);
    MPI_Send(b, few, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Aint at;
  int length = many;
  MPI_Datatype element = MPI_DOUBLE, place;
  MPI_Get_address(a, &at);
  MPI_Type_create_struct(1, &length, &at, &element, &place);
  MPI_Type_commit(&place);
  exchanged();
  if (rank == 0) {
    first(place);
  } else {
    second();
  }
  MPI_Type_free(&place);
  MPI_Finalize();
  return 0;
}
