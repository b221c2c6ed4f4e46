/* SPDX-License-Identifier: Apache-2.0 */
/* A program without MPI: prints a word, exits with its argument. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  puts("serial");
  return argc > 1 ? atoi(argv[1]) : 0;
}
