// SPDX-License-Identifier: Apache-2.0
// Computes for a while, in the file of whoever includes it: what it does is known there.
#pragma once

enum { work_length = 2000 };

static void work_on(double* restrict w, int turns) {
  for (int turn = 0; turn < turns; ++turn)
    for (int i = 1; i < work_length; ++i) w[i] = .5 * w[i] + .25 * w[i - 1] + 1;
}
