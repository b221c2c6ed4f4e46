/* SPDX-License-Identifier: Apache-2.0
 * The names of the profiling interface are in files of their own: no program refers to them that does not use
 * them. */
#define LAPWING_PROFILING
#include "index.c"
