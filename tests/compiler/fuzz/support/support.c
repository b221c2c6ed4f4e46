// SPDX-License-Identifier: Apache-2.0
// The part of a generated program that is never compiled with the pass.
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 64 };

int fz_given[64];

static FILE* log_file;
static struct {
  void* memory;
  long count;
  int real;
} kept[SLOTS];
static void* owned[SLOTS];

void fz_begin(int rank, int ranks) {
  char name[64];
  snprintf(name, sizeof name, "log.%d", rank);
  log_file = fopen(name, "w");
  fprintf(log_file, "ranks %d\n", ranks);
  // Ranks share one pipe otherwise, and lines of different ranks may mix.
  snprintf(name, sizeof name, "out.%d", rank);
  const int out = open(name, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0644);
  if (out < 0 || dup2(out, 1) < 0 || !log_file) abort();
  close(out);
  const char* seed = getenv("FUZZ_SEED");
  unsigned value = seed ? (unsigned)atoi(seed) : 1;
  for (int i = 0; i < 64; ++i) {
    value = value * 1103515245u + 12345u;
    fz_given[i] = (int)(value >> 16 & 1023);
  }
}

void fz_end(void) {
  fflush(NULL);  // Open MPI ends the other ranks where one has ended with an error code
  fprintf(log_file, "end\n");
  fclose(log_file);
  log_file = NULL;
}

void fz_scene(int number) {
  fprintf(log_file, "scene %d\n", number);
  fflush(log_file);
}

void fz_note(int id, long value) { fprintf(log_file, "%d %ld\n", id, value); }

void fz_real(int id, double value) { fprintf(log_file, "%d %a\n", id, value); }

static unsigned long hash(const void* bytes, long size) {
  const unsigned char* p = bytes;
  unsigned long sum = 14695981039346656037ul;
  for (long i = 0; i < size; ++i) sum = (sum ^ p[i]) * 1099511628211ul;
  return sum;
}

void fz_sum(int id, const void* bytes, long size) {
  fprintf(log_file, "%d #%016lx\n", id, hash(bytes, size));
}

int fz_ask(int index) { return fz_given[index & 63]; }

void fz_keep(int slot, void* memory, long count, int real) {
  kept[slot % SLOTS].memory = memory;
  kept[slot % SLOTS].count = count;
  kept[slot % SLOTS].real = real;
}

void fz_poke(int slot, int salt) {
  for (long i = 0; i < kept[slot % SLOTS].count; ++i) {
    if (kept[slot % SLOTS].real) {
      ((double*)kept[slot % SLOTS].memory)[i] += salt;
    } else {
      int* value = (int*)kept[slot % SLOTS].memory + i;
      *value = (*value ^ salt) & 0xffff;
    }
  }
}

void fz_peek(int id, int slot) {
  const long size = kept[slot % SLOTS].real ? sizeof(double) : sizeof(int);
  fz_sum(id, kept[slot % SLOTS].memory, kept[slot % SLOTS].count * size);
}

void* fz_same(void* pointer) { return pointer; }

void* fz_memory(int slot, long size) {
  free(owned[slot % SLOTS]);
  owned[slot % SLOTS] = calloc(1, (size_t)size);
  return owned[slot % SLOTS];
}

void fz_call(void (*function)(void*), void* argument) { function(argument); }

void fz_put(int id, int rank, int value) {
  char name[64];
  snprintf(name, sizeof name, "signal.%d.%d", id, rank);
  FILE* file = fopen(name, "w");
  fprintf(file, "%d\n", value);
  fclose(file);
}

int fz_has(int id, int rank) {
  char name[64];
  snprintf(name, sizeof name, "signal.%d.%d", id, rank);
  FILE* file = fopen(name, "r");
  int value = -1;
  if (!file) return -1;
  if (fscanf(file, "%d", &value) != 1) value = -2;
  fclose(file);
  return value;
}

void fz_nap(int milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000l};
  while (nanosleep(&time, &time) != 0) {
  }
}

// The same for Fortran.
void fz_begin_(const int* rank, const int* ranks) { fz_begin(*rank, *ranks); }
void fz_end_(void) { fz_end(); }
void fz_scene_(const int* number) { fz_scene(*number); }
void fz_note_(const int* id, const int* value) { fz_note(*id, *value); }
void fz_real_(const int* id, const double* value) { fz_real(*id, *value); }
void fz_sum_i_(const int* id, const void* bytes, const int* count) { fz_sum(*id, bytes, *count * 4l); }
void fz_sum_d_(const int* id, const void* bytes, const int* count) { fz_sum(*id, bytes, *count * 8l); }
int fz_ask_(const int* index) { return fz_ask(*index); }
void fz_keep_i_(const int* slot, void* memory, const int* count) { fz_keep(*slot, memory, *count, 0); }
void fz_keep_d_(const int* slot, void* memory, const int* count) { fz_keep(*slot, memory, *count, 1); }
void fz_poke_(const int* slot, const int* salt) { fz_poke(*slot, *salt); }
void fz_peek_(const int* id, const int* slot) { fz_peek(*id, *slot); }
void fz_put_(const int* id, const int* rank, const int* value) { fz_put(*id, *rank, *value); }
int fz_has_(const int* id, const int* rank) { return fz_has(*id, *rank); }
void fz_nap_(const int* milliseconds) { fz_nap(*milliseconds); }
