/* SPDX-License-Identifier: Apache-2.0
 * What refine.c, refine_explicit.c and the Fortran one share: one process' problem. */
#ifndef REFINE_STEP_H
#define REFINE_STEP_H

/* Process `rank` looks for the root of its own number with a damped Newton step.
 * The damping depends on how many processes still refine, so a reduction over
 * the wrong processes gives a wrong result. */
static double start_of(int rank) { return 1 + 100.0 * ((rank * 7) % 5); }
static double target_of(int rank) { return 2 + rank; }
static double step_of(double x, double target, long active) {
  const double full = 0.5 * (x + target / x);
  return x + (full - x) * (1 - 0.5 / (double)(active + 1));
}
static int is_rough(double x, double target) {
  const double error = x * x - target;
  return error > 1e-6 || error < -1e-6;
}

/* All of it in one process: the sum of the results and of the iterations. */
static double simulated(int size, long* iterations) {
  double x[1024], sum = 0;
  long active = size;
  int i;
  *iterations = 0;
  for (i = 0; i < size; ++i) x[i] = start_of(i);
  while (active > 0) {
    active = 0;
    for (i = 0; i < size; ++i) active += is_rough(x[i], target_of(i));
    for (i = 0; i < size; ++i) {
      if (!is_rough(x[i], target_of(i))) continue;
      x[i] = step_of(x[i], target_of(i), active);
      ++*iterations;
    }
  }
  for (i = 0; i < size; ++i) sum += x[i];
  return sum;
}

#endif
