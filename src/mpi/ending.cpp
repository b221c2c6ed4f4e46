// SPDX-License-Identifier: Apache-2.0
#include "mpi/ending.hpp"

#include <mpi.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

namespace lapwing::mpi {
namespace {

constexpr int longest_ms = 1000, others_ms = 3000;

void pause(int ms) {
  timespec time{ms / 1000, ms % 1000 * 1'000'000L};
  while (nanosleep(&time, &time) != 0) {
  }
}

bool is_read(int fd) {
  struct stat about;
  int left = 0;
  if (fstat(fd, &about) != 0 || !S_ISFIFO(about.st_mode)) return true;
  return ioctl(fd, FIONREAD, &left) != 0 || left == 0;
}

}  // namespace

void let_words_arrive() {
  std::fflush(stdout);
  std::fflush(stderr);
  for (int ms = 0; ms < longest_ms && !(is_read(STDOUT_FILENO) && is_read(STDERR_FILENO)); ++ms) pause(1);
}

void end_job(int status) {
  let_words_arrive();
  int initialised = 0, finalised = 0;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  if (initialised && !finalised) PMPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

void end_job_in_silence(int status) {
  pause(others_ms);
  end_job(status);
}

}  // namespace lapwing::mpi
