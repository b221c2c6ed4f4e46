// SPDX-License-Identifier: Apache-2.0
// A message of three megabytes, which no MPI sends before its receive is there.
#pragma once

enum { many = 400000 };

__attribute__((unused)) static void fill(double* x, int k) {
  for (int i = 0; i < many; ++i) x[i] = k + i % 3;
}

static double sum(const double* x) {
  double s = 0;
  for (int i = 0; i < many; ++i) s += x[i];
  return s;
}
