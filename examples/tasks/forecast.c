/* SPDX-License-Identifier: Apache-2.0
 * Priorities: a forecast, each state of which follows from the one before, and a statistic of each state. All
 * that is still to come waits for the next step of the forecast, and nothing for a statistic; so steps have
 * the higher priority, and statistics fill what they leave idle.
 *
 *   forecast_c [STATES [CELLS]]            on threads
 *   mpiexec -n 2 forecast_c [STATES ...]   on ranks
 */
#include <lapwing/tasks.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct statistic {
  double mean, deviation;
};

struct work {
  lapwing_object state, of, seen, when;
  int cells;
};

static double seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void follow(const double* now, double* next, int n) {
  for (int i = 0; i < n; ++i)
    next[i] = 0.5 * now[i] + 0.25 * (now[(i + n - 1) % n] + now[(i + 1) % n]) + 0.01 * sin(now[i]);
}

static struct statistic look(const double* state, int n) {
  struct statistic seen = {0, 0};
  for (int i = 0; i < n; ++i) seen.mean += state[i] / n;
  for (int i = 0; i < n; ++i) seen.deviation += (state[i] - seen.mean) * (state[i] - seen.mean) / n;
  return seen;
}

static void step(void* arguments) {
  const struct work* w = arguments;
  const double* now = lapwing_task_read(w->of);
  double *next = lapwing_task_write(w->state), *when = lapwing_task_write(w->when);
  if (now == NULL || next == NULL || when == NULL) return;
  *when = seconds();
  follow(now, next, w->cells);
}

static void statistic(void* arguments) {
  const struct work* w = arguments;
  const double* of = lapwing_task_read(w->of);
  struct statistic* seen = lapwing_task_write(w->seen);
  double* when = lapwing_task_write(w->when);
  if (of == NULL || seen == NULL || when == NULL) return;
  *when = seconds();
  *seen = look(of, w->cells);
}

static int states = 20, cells = 20000, result = 0;

static void spawn(void (*body)(void*), const char* name, int number, int priority, struct work w,
                  lapwing_object written) {
  const lapwing_task_access accesses[] = {lapwing_task_wr(written), lapwing_task_rd(w.of),
                                          lapwing_task_wr(w.when)};
  const lapwing_task_options options = {name, number, -1, -1, priority};
  lapwing_task_spawn(body, &w, sizeof w, accesses, 3, &options);
}

static void program(void* argument) {
  const size_t size = (size_t)cells * sizeof(double);
  double *now = argument, *next = malloc(size);
  lapwing_object *seen = malloc((size_t)states * sizeof *seen),
                 *looked = malloc((size_t)states * sizeof *seen);
  lapwing_object state = lapwing_task_create(now, size, "state"), began = state;
  result = 1;
  for (int i = 0; i < states && seen != NULL && looked != NULL; ++i) {
    const lapwing_object before = state;
    state = lapwing_task_create(NULL, size, "state");
    seen[i] = lapwing_task_create(NULL, sizeof(struct statistic), "statistic");
    looked[i] = lapwing_task_create(NULL, sizeof(double), "time of the statistic");
    began = lapwing_task_create(NULL, sizeof(double), "time of the step");
    spawn(step, "step", i, 1, (struct work){state, before, seen[i], began, cells}, state);
    spawn(statistic, "statistic", i, 0, (struct work){state, state, seen[i], looked[i], cells}, seen[i]);
  }

  /* The serial program. */
  int early = 0, same = next != NULL && seen != NULL && looked != NULL;
  for (int i = 0; i < states && same; ++i) {
    follow(now, next, cells);
    memcpy(now, next, size);
    const struct statistic expected = look(now, cells), *got = lapwing_task_read(seen[i]);
    same = got != NULL && got->mean == expected.mean && got->deviation == expected.deviation;
    const double *when = lapwing_task_read(looked[i]), *last = lapwing_task_read(began);
    early += when != NULL && last != NULL && *when < *last;
  }
  printf("forecast: %d states on %d workers, %d statistics before the last step: %s\n", states,
         lapwing_task_workers(), early, same ? "as the serial program" : "NOT AS THE SERIAL PROGRAM");
  result = !same;
  free(next);
  free(seen);
  free(looked);
}

int main(int argc, char** argv) {
  if (argc > 1) states = atoi(argv[1]);
  if (argc > 2) cells = atoi(argv[2]);
  double* first = argc > 3 || states < 1 || cells < 1 ? NULL : malloc((size_t)cells * sizeof(double));
  if (first == NULL) {
    fputs("usage: forecast_c [STATES [CELLS]], at least one of each\n", stderr);
    return 2;
  }
  for (long i = 0; i < cells; ++i) first[i] = (double)(i * i % 101);
  if (lapwing_task_run(program, first, 0) != 0) {
    fprintf(stderr, "forecast: %s\n", lapwing_task_error());
    result = 1;
  }
  free(first);
  return result;
}
