/* SPDX-License-Identifier: Apache-2.0
 * What the kernels in C and C++ share: options, hashes, the report. Nothing
 * here is called inside a timed loop but kernel_fold. support/kernel.f90 is the
 * same for the kernels in Fortran. */
#ifndef LAPWING_BENCH_KERNEL_H
#define LAPWING_BENCH_KERNEL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The command line. What is 0 after kernel_parse is the class's default. */
typedef struct kernel_options {
  char class_name;
  int repeat; /* time steps, iterations */
  int work;   /* computation per point */
  int slabs;  /* hand-written versions: how often they look after their messages */
  bool serial, limit, spoil;
  bool in_order; /* fft: what has been received is put in place in its order before it is transformed */
  bool expects;  /* a checksum to compare with, instead of a serial run */
  uint64_t expected;
} kernel_options;

/* Seconds of one run, by what could be done at the same time (bench/README.md). */
typedef struct kernel_phases {
  double compute;  /* needs nothing that is on its way */
  double transfer; /* all messages of a step at once, nothing else going on */
  double rest;     /* packing, and what needs the data */
  double limit;    /* rest + max(compute, transfer), step by step */
} kernel_phases;

typedef struct kernel_result {
  double seconds;
  uint64_t checksum; /* of every bit of the result, whatever the number of ranks */
  uint64_t received; /* of every bit received; this rank's */
  bool verified;     /* rank 0 knows */
  const kernel_phases* phases;
} kernel_result;

/* Ends the job with a sentence where an option is wrong. Call after MPI_Init. */
kernel_options kernel_parse(const char* kernel, int argc, char** argv);

/* Collective: rank 0 compares the result with --expect, or with what `serial` gives of the problem, and
 * reports; with --serial it runs that alone. The exit status. */
int kernel_verify(const char* kernel, const char* variant, const kernel_options*, kernel_result*,
                  uint64_t (*serial)(const void* problem), const void* problem);

/* Ends the job with a sentence. */
void kernel_fail(const char* kernel, const char* sentence);

/* Seconds of the slowest rank; the sum of the ranks' checksums. */
uint64_t kernel_sum(uint64_t mine);

static inline uint64_t kernel_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

static inline uint64_t kernel_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The share of one result in the checksum: its place counts, its owner does not. */
static inline uint64_t kernel_share(double value, uint64_t place) {
  return kernel_mix(kernel_bits(value) + (place + 1) * 0x9e3779b97f4a7c15ULL);
}

/* A number in [0, 1) that depends on the place alone. */
static inline double kernel_random(uint64_t place) {
  return (double)(kernel_mix((place + 1) * 0x9e3779b97f4a7c15ULL) >> 12) / 4503599627370496.0;
}

/* Folds a message into the checksum of what was received, at its first use. */
static inline uint64_t kernel_fold(uint64_t so_far, const double* message, int count) {
  uint64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += kernel_bits(message[i]) * (2 * (uint64_t)i + 1);
  return (so_far ^ sum) * 0x100000001b3ULL;
}

#ifdef __cplusplus
}
#endif

#endif
