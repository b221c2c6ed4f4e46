/* SPDX-License-Identifier: Apache-2.0
 * The language of tasks in C, on threads and on ranks. Ends with 0 if all is as it should be. */
#include <lapwing/tasks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;
#define CHECK(holds)                                    \
  do {                                                  \
    if (!(holds)) {                                     \
      printf("wrong, line %d: %s\n", __LINE__, #holds); \
      ++wrong;                                          \
    }                                                   \
  } while (0)

/* --- a value of its own kind: a list --- */

struct list {
  int value;
  struct list* next;
};

static size_t list_size(const void* value) {
  size_t size = sizeof(int);
  for (const struct list* each = value; each != NULL; each = each->next) size += sizeof(int);
  return size;
}
static void list_pack(const void* value, void* bytes) {
  int* out = bytes;
  for (const struct list* each = value; each != NULL; each = each->next) *out++ = each->value;
  *out = -1;
}
static void* list_unpack(const void* bytes, size_t size) {
  const int* in = bytes;
  struct list *first = NULL, **last = &first;
  for (size_t i = 0; i + 1 < size / sizeof(int); ++i) {
    *last = malloc(sizeof **last);
    (*last)->value = in[i];
    (*last)->next = NULL;
    last = &(*last)->next;
  }
  return first;
}
static void list_drop(void* value) {
  struct list* each = value;
  while (each != NULL) {
    struct list* next = each->next;
    free(each);
    each = next;
  }
}
static const lapwing_object_kind lists = {"list", list_size, list_pack, list_unpack, list_drop};

/* --- bodies --- */

struct step {
  lapwing_object from, to;
  int number, worker;
};

static void add(void* arguments) {
  const struct step* s = arguments;
  const long* from = lapwing_task_read(s->from);
  long* to = lapwing_task_read_write(s->to);
  if (from == NULL || to == NULL) return;
  *to += *from + s->number;
}

static void where(void* arguments) {
  const struct step* s = arguments;
  int* to = lapwing_task_write(s->to);
  if (to != NULL) *to = lapwing_task_worker();
}

static void append(void* arguments) {
  const struct step* s = arguments;
  struct list* list = lapwing_task_read_write(s->to);
  if (list == NULL) return;
  while (list->next != NULL) list = list->next;
  list->next = calloc(1, sizeof *list);
  list->next->value = s->number;
}

static void fill(void* arguments) {
  const struct step* s = arguments;
  const size_t width = 4 * sizeof(int);
  int* mine = lapwing_task_use(lapwing_task_part(lapwing_task_wr(s->to), (size_t)s->number * width, width));
  if (mine == NULL) return;
  for (int i = 0; i < 4; ++i) mine[i] = 10 * s->number + i;
}

static void update(void* arguments) {
  const struct step* s = arguments;
  long* sum = lapwing_task_use(lapwing_task_cm(s->to));
  if (sum != NULL) *sum += s->number;
}

static void later(void* arguments) {
  const struct step* s = arguments;
  const lapwing_task_access now = lapwing_task_rd(s->from), no_more = lapwing_task_wr(s->to);
  long* to = lapwing_task_write(s->to);
  if (to == NULL) return;
  *to = 5;
  CHECK(lapwing_task_with_cont(&now, 1, &no_more, 1) == 0);
  const long* from = lapwing_task_read(s->from);
  if (from == NULL || *from != 77) lapwing_task_fail("the deferred read has not seen what is before it");
}

static void parent(void* arguments) {
  const struct step* s = arguments;
  for (int i = 0; i < 4; ++i) {
    struct step inner = {s->from, s->to, i, 0};
    LAPWING_SPAWN(add, inner, lapwing_task_rd(s->from), lapwing_task_rd_wr(s->to));
  }
  const long* to = lapwing_task_read(s->to);
  if (to == NULL || *to != 4 * 2 + 6) lapwing_task_fail("children come before the rest of their parent");
}

static void bad(void* arguments) {
  const struct step* s = arguments;
  if (lapwing_task_write(s->from) != NULL) printf("wrong: an undeclared access is had\n");
}

static void fails(void* arguments) {
  (void)arguments;
  lapwing_task_fail("no more");
}

/* --- main programs --- */

static void chain(void* argument) {
  enum { n = 6 };
  lapwing_object x[n];
  long y[n];
  (void)argument;
  for (int i = 0; i < n; ++i) {
    y[i] = i;
    x[i] = lapwing_task_create(&y[i], sizeof y[i], NULL);
  }
  for (int step = 0; step < 20; ++step) {
    for (int i = 1; i < n; ++i) {
      struct step s = {x[i - 1], x[i], step, 0};
      CHECK(LAPWING_SPAWN(add, s, lapwing_task_rd(x[i - 1]), lapwing_task_rd_wr(x[i])) == 0);
      y[i] += y[i - 1] + step;
    }
  }
  for (int i = 0; i < n; ++i) {
    const long* value = lapwing_task_read(x[i]);
    CHECK(value != NULL && *value == y[i]);
    CHECK(lapwing_task_size(x[i]) == sizeof(long));
  }
  CHECK(lapwing_task_destroy(x[0]) == 0);
}

static void language(void* argument) {
  (void)argument;
  const lapwing_object value = lapwing_task_create(NULL, sizeof(long), "value");
  const lapwing_object sum = lapwing_task_create(NULL, sizeof(long), "sum");
  const lapwing_object many = lapwing_task_create(NULL, 8 * 4 * sizeof(int), "many");
  const lapwing_object list = lapwing_task_create_of(&lists, calloc(1, sizeof(struct list)), "the list");
  for (int i = 0; i < lapwing_task_workers(); ++i) {
    struct step s = {value, value, 0, i};
    const lapwing_task_options there = {"where", i, -1, i, i % 3 - 1};
    const lapwing_task_access write = lapwing_task_wr(value);
    CHECK(lapwing_task_spawn(where, &s, sizeof s, &write, 1, &there) == 0);
    const int* got = lapwing_task_read(value);
    CHECK(got != NULL && *got == i);
    s.to = list;
    s.number = i;
    const lapwing_task_access both = lapwing_task_rd_wr(list);
    CHECK(lapwing_task_spawn(append, &s, sizeof s, &both, 1, &there) == 0);
  }
  const struct list* each = lapwing_task_read(list);
  for (int i = 0; i < lapwing_task_workers() && each != NULL; ++i) {
    each = each->next;
    CHECK(each != NULL && each->value == i);
  }
  for (int i = 0; i < 8; ++i) {
    struct step s = {many, many, i, 0};
    LAPWING_SPAWN(fill, s,
                  lapwing_task_part(lapwing_task_wr(many), (size_t)i * 4 * sizeof(int), 4 * sizeof(int)));
    s.to = sum;
    LAPWING_SPAWN(update, s, lapwing_task_cm(sum));
  }
  const int* all = lapwing_task_read(many);
  for (int i = 0; i < 32 && all != NULL; ++i) CHECK(all[i] == 10 * (i / 4) + i % 4);
  const long* total = lapwing_task_read(sum);
  CHECK(total != NULL && *total == 28);

  long* number = lapwing_task_write(value);
  *number = 77;
  struct step s = {value, sum, 0, 0};
  LAPWING_SPAWN(later, s, lapwing_task_wr(sum), lapwing_task_df(lapwing_task_rd(value)));
  CHECK(*(const long*)lapwing_task_read(sum) == 5);
  *(long*)lapwing_task_write(value) = 2;
  *(long*)lapwing_task_write(sum) = 0;
  LAPWING_SPAWN(parent, s, lapwing_task_rd(value), lapwing_task_rd_wr(sum));
  CHECK(lapwing_task_finish() == 0);
}

static void mistakes(void* argument) {
  (void)argument;
  const lapwing_object x = lapwing_task_create(NULL, 8, "x"), y = lapwing_task_create(NULL, 8, "y");
  struct step s = {x, y, 0, 0};
  const lapwing_task_options name = {"curious", 3, -1, -1, 0};
  const lapwing_task_access write = lapwing_task_wr(y);
  CHECK(lapwing_task_spawn(bad, &s, sizeof s, &write, 1, &name) == 0);
  CHECK(lapwing_task_finish() == -1);
  CHECK(strstr(lapwing_task_error(), "'curious(3)'") != NULL && strstr(lapwing_task_error(), "'x'") != NULL);
  lapwing_task_access nothing = lapwing_task_rd(x);
  nothing.rights = 0;
  CHECK(lapwing_task_spawn(bad, &s, sizeof s, &nothing, 1, NULL) == -1);
  CHECK(lapwing_task_use(lapwing_task_part(lapwing_task_rd(x), 4, 8)) == NULL);
  CHECK(strstr(lapwing_task_error(), "but there are 8") != NULL);
}

static void failing(void* argument) {
  (void)argument;
  struct step s = {{NULL, 0, 0}, {NULL, 0, 0}, 0, 0};
  const lapwing_task_options name = {"thrower", -1, -1, lapwing_task_workers() - 1, 0};
  lapwing_task_spawn(fails, &s, sizeof s, NULL, 0, &name);
}

static int order[8], noted = 0;
static void note(void* arguments) { order[noted++] = ((const struct step*)arguments)->number; }

static void priorities(void* argument) {
  (void)argument;
  static const int values[5] = {0, -3, 7, 2, 7}, expected[5] = {2, 4, 3, 0, 1};
  if (lapwing_task_workers() != 1) return;
  for (int i = 0; i < 5; ++i) {
    const lapwing_task_access write = lapwing_task_wr(lapwing_task_create(NULL, 8, "x"));
    const lapwing_task_options options = {"note", i, -1, -1, values[i]};
    const struct step s = {{NULL, 0, 0}, {NULL, 0, 0}, i, 0};
    lapwing_task_spawn(note, &s, sizeof s, &write, 1, &options);
  }
  CHECK(lapwing_task_finish() == 0);
  CHECK(noted == 5 && memcmp(order, expected, sizeof expected) == 0);
}

/* Ranks that only serve the main program are not told how it went. */
static int serves(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  return rank != NULL && atoi(rank) > 0;
}

int main(int argc, char** argv) {
  const int workers = argc > 1 ? atoi(argv[1]) : 0;
  CHECK(lapwing_task_run(chain, NULL, workers) == 0);
  CHECK(lapwing_task_run(language, NULL, workers) == 0);
  CHECK(lapwing_task_run(priorities, NULL, workers) == 0);
  if (wrong > 0) printf("%s\n", lapwing_task_error());
  CHECK(lapwing_task_run(mistakes, NULL, workers) == -1 || serves());
  CHECK(lapwing_task_run(failing, NULL, workers) == -1 || serves());
  CHECK(serves() || strstr(lapwing_task_error(), "no more") != NULL);
  return wrong == 0 ? 0 : 1;
}
