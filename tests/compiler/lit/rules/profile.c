// SPDX-License-Identifier: Apache-2.0
// With a profile only those sites are treated that waited for a thousandth of the run.
// RUN: echo '{"mpi":"mpich","wall_s":2.0}' > %t.json
// RUN: echo '{"site":"elsewhere/profile.c:16","call":"MPI_Wait","exposed_s":0.5}' >> %t.json
// RUN: echo '{"site":"elsewhere/profile.c:25","call":"MPI_Wait","exposed_s":0.001}' >> %t.json
// RUN: env LAPWING_PASS=profile=%t.json %clang_lapwing -g -c %s -o /dev/null -Rpass=lapwing -Rpass-missed=lapwing 2>&1 | FileCheck %s --check-prefix=GIVEN
// A file that is no report restricts nothing, and it is said.
// RUN: echo '{}' > %t.empty.json
// RUN: env LAPWING_PASS=profile=%t.empty.json %clang_lapwing -g -c %s -o /dev/null -Rpass=lapwing 2>&1 | FileCheck %s --check-prefix=EMPTY
#include <mpi.h>

double waited(double* buffer, int from) {
  MPI_Request request;
  MPI_Irecv(buffer, 1000, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &request);
  double mine = 0;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 1; i < 1000; ++i) mine += 1.0 / i;
  return mine + buffer[0];
}

double never_waited(double* buffer, int from) {
  MPI_Request request;
  MPI_Irecv(buffer, 1000, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &request);
  double mine = 0;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 1; i < 1000; ++i) mine += 1.0 / i;
  return mine + buffer[0];
}

// GIVEN-DAG: remark: MPI_Wait at profile.c:16 is moved
// GIVEN-DAG: profile.c:25:{{.*}}: remark: MPI_Wait: no waiting was measured here
// EMPTY: holds no report of `lapwing run --report`; all sites are treated
// EMPTY-DAG: MPI_Wait at profile.c:16 is moved
// EMPTY-DAG: MPI_Wait at profile.c:25 is moved
