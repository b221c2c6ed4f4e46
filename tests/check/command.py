# SPDX-License-Identifier: Apache-2.0
"""`lapwing check` as its users meet it.

    command.py --build DIR --mpi mpich|openmpi
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import run as suite

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, level, x = 1, y = 0;
  MPI_Comm kept;
  if (argc > 2) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  else MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", y);
  if (atoi(argv[1]) == 1 && rank) MPI_Barrier(MPI_COMM_WORLD);
  if (atoi(argv[1]) == 3) MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  if (atoi(argv[1]) == 6) {  /* a buffer from which it sends while a receive into it is pending */
    MPI_Request pending;
    MPI_Irecv(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &pending);
    MPI_Send(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
  }
  if (atoi(argv[1]) == 4 || atoi(argv[1]) == 5) {  /* a request that is at rest: freed, and left */
    MPI_Request idle;
    MPI_Recv_init(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &idle);
    MPI_Wait(&idle, MPI_STATUS_IGNORE);
    if (atoi(argv[1]) == 4) MPI_Request_free(&idle);
  }
  MPI_Finalize();
  return atoi(argv[1]) == 2 ? 7 : 0;
}
"""
THREADS = r"""
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
enum { threads = 3, rounds = 6 };
static MPI_Comm own[threads];
static int rank, bad;
static void* work(void* arg) {
  const int t = (int)(long)arg;
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm made;
    int one = 1, sum = 0, size = 0;
    if ((t + i) % threads == rank) usleep(20000);  /* another order in each process */
    MPI_Comm_dup(own[t], &made);
    MPI_Comm_size(made, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
    if (sum != size) bad = 1;
    MPI_Comm_free(&made);
  }
  return 0;
}
int main(int argc, char** argv) {
  int level;
  pthread_t thread[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int t = 0; t < threads; ++t) MPI_Comm_dup(MPI_COMM_WORLD, own + t);
  for (long t = 0; t < threads; ++t) pthread_create(thread + t, 0, work, (void*)t);
  for (int t = 0; t < threads; ++t) pthread_join(thread[t], 0);
  for (int t = 0; t < threads; ++t) MPI_Comm_free(own + t);
  MPI_Finalize();
  return bad;
}
"""
LATE = r"""
#include <mpi.h>
#include <stdlib.h>
static int last;
static void finish(void) { MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD); MPI_Finalize(); }
int main(int argc, char** argv) {
  int rank, sent[64] = {0}, received[64];
  MPI_Request requests[2];
  atexit(finish);  /* as a global object's destructor does */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Irecv(received, 64, MPI_INT, rank, 1, MPI_COMM_WORLD, requests);
  MPI_Isend(sent, 64, MPI_INT, rank, 1, MPI_COMM_WORLD, requests + 1);
  MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD);  /* its memory is compared with that of the requests */
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return 0;
}
"""
OPTIONS = None


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lapwing-command-")
        source = pathlib.Path(cls.folder.name) / "program.c"
        source.write_text(PROGRAM)
        cls.program = str(source.with_suffix(""))
        subprocess.run([suite.COMPILERS[OPTIONS.mpi], "-g", str(source), "-o", cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, *words):
        environment = dict(os.environ, **suite.ENVIRONMENT)
        return subprocess.run([f"{OPTIONS.build}/bin/lapwing", "check", *words], capture_output=True, text=True,
                              timeout=60, env=environment, check=False)

    def test_a_right_program_is_left_alone(self):
        result = self.check("-n", "2", self.program, "0")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "sum 2\n", ""))

    def test_its_status_is_the_programs(self):
        self.assertEqual(self.check("-n", "2", self.program, "2").returncode, 7)

    def test_a_wrong_one_is_reported(self):
        result = self.check("--", *suite.LAUNCHERS[OPTIONS.mpi], "-n", "3", self.program, "1")
        self.assertEqual(result.returncode, 86)
        self.assertIn("program.c:13", result.stderr)
        self.assertIn("ranks 1-2: MPI_Barrier", result.stderr)

    def test_a_leak_is_a_warning_unless_it_is_to_be_an_error(self):
        result = self.check("-n", "2", self.program, "3")
        self.assertEqual((result.returncode, result.stdout), (0, "sum 2\n"))
        self.assertIn("ranks 0-1: MPI_Comm_dup made a communicator at program.c:14", result.stderr)
        self.assertEqual(self.check("--leaks=error", "-n", "2", self.program, "3").returncode, 86)
        result = self.check("--leaks=off", "-n", "2", self.program, "3")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_wait_for_a_request_at_rest_is_a_warning(self):
        for end in ("4", "5"):
            result = self.check("-n", "2", self.program, end)
            self.assertEqual((result.returncode, result.stdout), (0, "sum 2\n"))
            self.assertIn("ranks 0-1 wait for a persistent request that is never started", result.stderr)
            self.assertIn("MPI_Recv_init made the request at program.c:23", result.stderr)
            self.assertEqual(result.stderr.count("MPI_Recv_init made a persistent request"), int(end) - 4)
        self.assertEqual(self.check("--leaks=error", "-n", "2", self.program, "4").returncode, 86)
        result = self.check("--leaks=off", "-n", "2", self.program, "4")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_memory_in_flight_is_an_error_unless_it_is_to_be_a_warning(self):
        result = self.check("-n", "3", self.program, "6")
        self.assertEqual(result.returncode, 86)
        self.assertIn("memory that an operation in flight uses, too", result.stderr)
        result = self.check("--overlaps=warning", "-n", "3", self.program, "6")
        self.assertEqual((result.returncode, result.stdout), (0, "sum 3\n"))
        self.assertEqual(result.stderr.count("lapwing: rank 0 uses 4 bytes"), 1, result.stderr)
        self.assertEqual(result.stderr.count("lapwing:"), 1, result.stderr)
        self.assertIn("MPI_Send reads it at program.c:18", result.stderr)
        result = self.check("--overlaps=off", "-n", "3", self.program, "6")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_as_json(self):
        result = self.check("--json", "-n", "2", self.program, "1")
        self.assertEqual(result.returncode, 86)
        finding = json.loads(result.stdout.splitlines()[-1])
        self.assertEqual(finding["kind"], "mismatch")
        self.assertEqual([c["ranks"] for c in finding["calls"]], [[0], [1]])

    def test_verbose_says_that_nothing_was_found(self):
        result = self.check("-v", "-n", "2", self.program, "0")
        self.assertEqual((result.returncode, result.stderr), (0, "lapwing: no error found\n"))

    def test_threads_have_their_collectives_compared(self):
        self.assertEqual(self.check("-n", "2", self.program, "0", "threads").returncode, 0)
        self.assertEqual(self.check("-n", "2", self.program, "1", "threads").returncode, 86)

    def test_threads_make_communicators_at_once(self):
        """Each on its own, in an order of its own."""
        source = pathlib.Path(self.folder.name) / "threads.c"
        source.write_text(THREADS)
        program = str(source.with_suffix(""))
        subprocess.run([suite.COMPILERS[OPTIONS.mpi], "-g", "-pthread", str(source), "-o", program], check=True)
        result = self.check("-n", "3", program)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_last_calls_come_after_main(self):
        """And after the library's own objects would have been destroyed."""
        source = pathlib.Path(self.folder.name) / "late.c"
        source.write_text(LATE)
        program = str(source.with_suffix(""))
        subprocess.run([suite.COMPILERS[OPTIONS.mpi], "-g", str(source), "-o", program], check=True)
        result = self.check("-n", "3", program)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_who_is_left_behind_ends_too(self):
        """The launcher does not hear that the job has been ended, and leaves the others alone."""
        if OPTIONS.mpi != "mpich":
            self.skipTest("Open MPI's launcher ends the others all the same")
        lost = pathlib.Path(self.folder.name) / "lost.c"
        lost.write_text(PROGRAM + "\n#include <unistd.h>\nint PMPI_Abort(MPI_Comm c, int s) { _exit(s); }\n")
        program = str(lost.with_suffix(""))
        subprocess.run([suite.COMPILERS[OPTIONS.mpi], "-g", "-rdynamic", str(lost), "-o", program], check=True)
        result = self.check("--", *suite.LAUNCHERS[OPTIONS.mpi], "-disable-auto-cleanup", "-n", "2", program, "1")
        self.assertEqual(result.returncode, 86)
        self.assertEqual(result.stderr.count("do not make the same call"), 1)

    def test_what_cannot_be_checked_is_refused(self):
        result = self.check("-n", "2", "/bin/true")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("lapwing:", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpi", required=True, choices=suite.LAUNCHERS)
    OPTIONS = parser.parse_args()
    OPTIONS.build = os.path.abspath(OPTIONS.build)
    unittest.main(argv=sys.argv[:1])
