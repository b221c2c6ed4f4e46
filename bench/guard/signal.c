/* SPDX-License-Identifier: Apache-2.0
 *
 * What it costs to serve a signal (HUNT 5.1: I): the first touch of a page that is closed, and a handler that
 * opens it. Prints one JSON line: microseconds of a touch, and of mprotect alone, medians of rounds. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 256, ROUNDS = 101 };

static char* pages;
static size_t page;

static void open_page(int number, siginfo_t* what, void* context) {
  (void)number, (void)context;
  char* const at = (char*)((size_t)what->si_addr & ~(page - 1));
  mprotect(at, page, PROT_READ | PROT_WRITE);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(void) {
  double touches[ROUNDS], calls[ROUNDS];
  struct sigaction action;
  page = (size_t)sysconf(_SC_PAGESIZE);
  pages = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 1;
  memset(pages, 1, PAGES * page);
  memset(&action, 0, sizeof action);
  action.sa_sigaction = open_page;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  for (int r = 0; r < ROUNDS; ++r) {
    mprotect(pages, PAGES * page, PROT_NONE);
    double begin = now();
    for (size_t p = 0; p < PAGES; ++p) mprotect(pages + p * page, page, PROT_READ | PROT_WRITE);
    calls[r] = (now() - begin) / PAGES;
    mprotect(pages, PAGES * page, PROT_NONE);
    begin = now();
    for (size_t p = 0; p < PAGES; ++p) ((volatile char*)pages)[p * page] = 2;
    touches[r] = (now() - begin) / PAGES;
  }
  qsort(touches, ROUNDS, sizeof *touches, by_size);
  qsort(calls, ROUNDS, sizeof *calls, by_size);
  printf("{\"touch_us\":%.3f,\"mprotect_us\":%.3f}\n", touches[ROUNDS / 2], calls[ROUNDS / 2]);
  return 0;
}
