/* SPDX-License-Identifier: Apache-2.0
 * The temperature along a rod, in C: two vectors, and tasks that each read a part of the one and write a
 * part of the other. Tasks whose parts have no element in common run side by side, and a step need not end
 * before the next begins. Each task notes its greatest change in a part of a third vector.
 *
 *   heat [CHUNKS [STEPS]]            on threads
 *   mpiexec -n 2 heat [CHUNKS ...]   on ranks; of each vector there is one, which goes where it is written
 */
#include <lapwing/tasks.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { cells = 1 << 16 };

struct sweep {
  lapwing_object from, to, changes;
  int chunk, first, count; /* of its cells */
};

static double next(const double* cell) { return 0.25 * cell[-1] + 0.5 * cell[0] + 0.25 * cell[1]; }

static lapwing_task_access elements(lapwing_task_access access, int first, int count) {
  return lapwing_task_part(access, (size_t)first * sizeof(double), (size_t)count * sizeof(double));
}

static void sweep(void* arguments) {
  const struct sweep* s = arguments;
  const double* from = lapwing_task_use(elements(lapwing_task_rd(s->from), s->first - 1, s->count + 2));
  double* to = lapwing_task_use(elements(lapwing_task_wr(s->to), s->first, s->count));
  double* change = lapwing_task_use(elements(lapwing_task_rd_wr(s->changes), s->chunk, 1));
  if (from == NULL || to == NULL || change == NULL) return;
  for (int i = 0; i < s->count; ++i) {
    to[i] = next(from + i + 1);
    *change = fmax(*change, fabs(to[i] - from[i + 1]));
  }
}

static int chunks = 16, steps = 50, result = 1;

static void program(void* argument) {
  double* rod = argument;
  const size_t size = (cells + 2) * sizeof(double);
  if (lapwing_task_workers() > chunks) {
    fprintf(stderr,
            "usage: heat [CHUNKS [STEPS]], on at most as many workers as chunks: there are %d workers\n",
            lapwing_task_workers());
    result = 2;
    return;
  }
  lapwing_object both[2] = {lapwing_task_create(rod, size, "rod"),
                            lapwing_task_create(rod, size, "next rod")};
  const lapwing_object changes = lapwing_task_create(NULL, (size_t)chunks * sizeof(double), "changes");
  for (int step = 0; step < steps; ++step) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int first = (int)((long)cells * chunk / chunks), end = (int)((long)cells * (chunk + 1) / chunks);
      struct sweep s = {both[step % 2], both[1 - step % 2], changes, chunk, first + 1, end - first};
      LAPWING_SPAWN(sweep, s, elements(lapwing_task_wr(s.to), s.first, s.count),
                    elements(lapwing_task_rd(s.from), s.first - 1, s.count + 2),
                    elements(lapwing_task_rd_wr(changes), chunk, 1));
    }
  }
  const double *last = lapwing_task_read(both[steps % 2]), *change = lapwing_task_read(changes);
  if (last == NULL || change == NULL) return;
  double greatest = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) greatest = fmax(greatest, change[chunk]);

  /* The serial program. */
  double* other = malloc(size);
  if (other == NULL) return;
  memcpy(other, rod, size);
  for (int step = 0; step < steps; ++step) {
    for (int i = 1; i <= cells; ++i) other[i] = next(rod + i);
    double* swapped = rod;
    rod = other;
    other = swapped;
  }
  result = memcmp(rod + 1, last + 1, cells * sizeof(double)) == 0 ? 0 : 1;
  printf("heat: %d steps in %d chunks on %d workers, greatest change %g: %s\n", steps, chunks,
         lapwing_task_workers(), greatest,
         result == 0 ? "as the serial program" : "NOT AS THE SERIAL PROGRAM");
  free(steps % 2 == 0 ? other : rod);
}

int main(int argc, char** argv) {
  static double rod[cells + 2];
  if (argc > 1) chunks = atoi(argv[1]);
  if (argc > 2) steps = atoi(argv[2]);
  if (argc > 3 || chunks < 1 || chunks > cells || steps < 0) {
    fprintf(stderr, "usage: heat [CHUNKS [STEPS]], 1 to %d chunks\n", cells);
    return 2;
  }
  for (int i = 0; i < cells + 2; ++i) rod[i] = i % 1000 < 300 ? 100.0 : 20.0;
  result = 0; /* ranks that only serve the others */
  if (lapwing_task_run(program, rod, 0) != 0) {
    fprintf(stderr, "heat: %s\n", lapwing_task_error());
    return 1;
  }
  return result;
}
