/* SPDX-License-Identifier: Apache-2.0 */
#include "support/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void kernel_fail(const char* kernel, const char* sentence) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    fprintf(stderr, "%s: %s\n", kernel, sentence);
    fflush(stderr);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* the sentence before MPI's own words */
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static int number(const char* kernel, const char* option, const char* text) {
  char sentence[200], *end = NULL;
  const long value = text ? strtol(text, &end, 10) : 0;
  if (!text || *end || value < 1 || value > 1000000000) {
    snprintf(sentence, sizeof sentence, "%s needs a whole number above 0, not '%s'.", option,
             text ? text : "");
    kernel_fail(kernel, sentence);
  }
  return (int)value;
}

kernel_options kernel_parse(const char* kernel, int argc, char** argv) {
  kernel_options options = {.class_name = 'S', .slabs = 16};
  char sentence[300], *end = NULL;
  for (int i = 1; i < argc; ++i) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(option, "--in-order")) {
      options.in_order = true;
      continue;
    }
    if (!strcmp(option, "--serial") || !strcmp(option, "--limit") || !strcmp(option, "--spoil")) {
      options.serial |= option[2] == 's' && option[3] == 'e';
      options.limit |= option[2] == 'l';
      options.spoil |= option[2] == 's' && option[3] == 'p';
      continue;
    }
    ++i;
    if (!strcmp(option, "--class")) {
      if (!value || strlen(value) != 1 || !strchr("SWAB", value[0]))
        kernel_fail(kernel, "--class is one of S, W, A and B.");
      options.class_name = value[0];
    } else if (!strcmp(option, "--repeat")) {
      options.repeat = number(kernel, option, value);
    } else if (!strcmp(option, "--work")) {
      options.work = number(kernel, option, value);
    } else if (!strcmp(option, "--slabs")) {
      options.slabs = number(kernel, option, value);
    } else if (!strcmp(option, "--expect")) {
      errno = 0;
      options.expected = value ? strtoull(value, &end, 16) : 0;
      if (!value || !*value || *end || errno)
        kernel_fail(kernel, "--expect needs a checksum of up to 16 hexadecimal digits.");
      options.expects = true;
    } else {
      snprintf(sentence, sizeof sentence,
               "unknown option '%s'. Known: --class S|W|A|B, --repeat N, --work N, --slabs N, --expect HEX, "
               "--serial, --limit, --spoil, --in-order.",
               option);
      kernel_fail(kernel, sentence);
    }
  }
  return options;
}

uint64_t kernel_sum(uint64_t mine) {
  uint64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* Collective: one line of JSON from rank 0. The exit status: 1 if not verified. */
static int report(const char* kernel, const char* variant, const kernel_options* options,
                  const kernel_result* result) {
  int rank, size, verified = result->verified;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const kernel_phases none = {0, 0, 0, 0}, *phases = result->phases ? result->phases : &none;
  const double mine[5] = {result->seconds, phases->compute, phases->transfer, phases->rest, phases->limit};
  double slowest[5];
  MPI_Allreduce(mine, slowest, 5, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const uint64_t received = kernel_sum(result->received * (2 * (uint64_t)rank + 1));
  MPI_Bcast(&verified, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf(
        "{\"kernel\":\"%s\",\"variant\":\"%s\",\"class\":\"%c\",\"ranks\":%d,\"repeat\":%d,\"work\":%d,"
        "\"seconds\":%.6f,\"verified\":%s,\"checksum\":\"%016llx\",\"received\":\"%016llx\"",
        kernel, variant, options->class_name, size, options->repeat, options->work, slowest[0],
        verified ? "true" : "false", (unsigned long long)result->checksum, (unsigned long long)received);
    if (result->phases)
      printf(",\"compute_s\":%.6f,\"transfer_s\":%.6f,\"rest_s\":%.6f,\"limit_s\":%.6f}\n", slowest[1],
             slowest[2], slowest[3], slowest[4]);
    else
      printf(",\"compute_s\":null,\"transfer_s\":null,\"rest_s\":null,\"limit_s\":null}\n");
    fflush(stdout);
  }
  return verified ? 0 : 1;
}

int kernel_verify(const char* kernel, const char* variant, const kernel_options* options,
                  kernel_result* result, uint64_t (*serial)(const void* problem), const void* problem) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const double start = MPI_Wtime();
    const uint64_t right = options->expects ? options->expected : serial(problem);
    if (options->serial) {
      result->checksum = right;
      result->seconds = MPI_Wtime() - start;
    }
    result->verified = result->checksum == right;
  }
  return report(kernel, options->serial ? "serial" : variant, options, result);
}
