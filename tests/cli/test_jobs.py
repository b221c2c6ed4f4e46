# SPDX-License-Identifier: Apache-2.0
"""Jobs that `lapwing run` starts: what reaches the ranks, how they end."""
import os
import signal
import subprocess
import time
import unittest

from support import FLAVOURS, LAPWING, PRELOAD, PROGRAMS, CommandTest, clean_environment, needs, probe


class Plain(CommandTest):
    """Programs that cannot have Lapwing: a sentence, then a plain run."""

    def test_no_mpi(self):
        result = self.lapwing("run", PROGRAMS / "cli_serial", 7, status=7)
        self.assertEqual(result.stdout, "serial\n")
        self.assertIn("no MPI library", result.stderr)

    def test_statically_linked(self):
        result = self.lapwing("run", PROGRAMS / "cli_static", 3, status=3)
        self.assertEqual(result.stdout, "serial\n")
        self.assertIn("statically linked", result.stderr)

    def test_mpi_linked_statically(self):
        result = self.lapwing("run", PROGRAMS / "cli_inside", status=0)
        self.assertIn("its MPI linked statically", result.stderr)

    @needs("mpich", "openmpi")
    def test_mpis_that_do_not_match(self):
        for flavour, launcher, needed in (("mpich", "mpiexec.openmpi", "MPICH"),
                                          ("openmpi", "mpiexec.mpich", "Open MPI")):
            with self.subTest(flavour):
                result = self.lapwing("run", "--", launcher, "-n", 1, probe(flavour), "env", "LD_PRELOAD",
                                      status=0)
                self.assertIn(f"is linked with {needed}", result.stderr)
                self.assertIn(f"use {FLAVOURS[flavour]}", result.stderr)
                self.assertIn("LD_PRELOAD=(unset)", result.stdout)

    def test_compare_has_nothing_to_compare(self):
        result = self.lapwing("run", "--compare", PROGRAMS / "cli_serial", 4, status=4)
        self.assertIn("nothing to compare", result.stderr)


class Jobs(CommandTest):
    def test_variables_reach_every_rank(self):
        for flavour in FLAVOURS:
            with self.subTest(flavour):
                result = self.lapwing("run", "--defer", "off", "--env", "MINE=two words", "-n", 2,
                                      probe(flavour),
                                      "env", "LD_PRELOAD", "LAPWING_DEFER", "LAPWING_JOB", "MINE", status=0)
                for rank in (0, 1):
                    for text in (f"LD_PRELOAD={PRELOAD}", "LAPWING_DEFER=off", "LAPWING_JOB=uniform",
                                 "MINE=two words"):
                        self.assertIn(f"rank {rank} of 2 {text}\n", result.stdout)

    def test_a_restricted_environment(self):
        result = self.lapwing("run", "--", "mpiexec.mpich", "-genvnone", "-n", 2, probe("mpich"), "env",
                              "LD_PRELOAD",
                              status=0)
        self.assertEqual(result.stdout.count(f"LD_PRELOAD={PRELOAD}\n"), 2, result.stdout)
        result = self.lapwing("run", "--window", "1M", "--", "mpiexec.openmpi", "-n", 1, probe("openmpi"),
                              "env",
                              "LD_PRELOAD", "LAPWING_WINDOW", status=0,
                              env={"OMPI_MCA_mca_base_env_list": "HOME"})
        self.assertIn(f"LD_PRELOAD={PRELOAD}\n", result.stdout)
        self.assertIn("LAPWING_WINDOW=1M\n", result.stdout)

    def test_several_programs(self):
        for flavour, launcher in FLAVOURS.items():
            with self.subTest(flavour):
                program = [probe(flavour), "env", "LD_PRELOAD", "LAPWING_JOB"]
                result = self.lapwing("run", "--", launcher, "-n", 1, *program, ":", "-n", 1, *program,
                                      status=0)
                self.assertEqual(result.stdout.count(f"LD_PRELOAD={PRELOAD}\n"), 2, result.stdout)
                self.assertEqual(result.stdout.count("LAPWING_JOB=(unset)\n"), 2, result.stdout)

    def test_a_script_that_launches(self):
        script = self.script("job.sh",
                             f"#!/bin/sh\nexec mpiexec.mpich -n 2 {probe('mpich')} env LD_PRELOAD\n")
        result = self.lapwing("run", script / "job.sh", status=0)
        self.assertEqual(result.stdout.count(f"LD_PRELOAD={PRELOAD}\n"), 2, result.stdout)

    def test_the_exit_status_passes(self):
        for flavour in FLAVOURS:
            for status in (0, 1, 9):
                with self.subTest(flavour=flavour, status=status):
                    self.lapwing("run", "-n", 1, probe(flavour), "exit", status, status=status)

    def test_a_rank_killed_by_a_signal(self):
        for flavour, launcher in FLAVOURS.items():
            with self.subTest(flavour):
                plain = subprocess.run([launcher, "-n", "1", probe(flavour), "signal", "9"],
                                       capture_output=True,
                                       check=False, env=clean_environment(), timeout=60)
                result = self.lapwing("run", "--", launcher, "-n", 1, probe(flavour), "signal", 9)
                self.assertEqual(result.returncode, plain.returncode)
                self.assertNotEqual(result.returncode, 0)

    def interrupted(self, words, number):
        """The status of a job that gets a signal once its program runs."""
        started = self.folder / "started"
        started.unlink(missing_ok=True)
        job = subprocess.Popen([*map(str, words), "wait", str(started)], env=clean_environment(),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.addCleanup(job.kill)
        deadline = time.monotonic() + 30
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertTrue(started.exists())
        job.send_signal(number)
        return job.wait(timeout=30)   # the program would sleep for a minute

    def test_signals_reach_the_job(self):
        # What Hydra makes of a signal depends on the moment: this launcher says which one reached it.
        launcher = self.script("mpiexec.mpich", "#!/bin/sh\n"
                               "trap 'kill $!; exit 42' INT\ntrap 'kill $!; exit 45' TERM\n"
                               "for started; do :; done\n/usr/bin/sleep 60 &\n: > \"$started\"\nwait\n") / "mpiexec.mpich"
        for number, status in ((signal.SIGINT, 42), (signal.SIGTERM, 45)):
            with self.subTest(number=number):
                launch = [launcher, "-n", 1, probe("mpich")]
                self.assertEqual(self.interrupted([LAPWING, "run", "--", *launch], number), status)
                self.assertEqual(self.interrupted([LAPWING, "run", "--compare", "--", *launch], number),
                                 -number)
                launch[0] = "mpiexec.mpich"
                self.interrupted([LAPWING, "run", "--", *launch], number)   # ends in time

    def test_python(self):
        python = "/usr/bin/python3"
        found = subprocess.run([python, "-c", "import mpi4py"], capture_output=True, check=False)
        if found.returncode != 0:
            self.skipTest("no mpi4py here")
        result = self.lapwing("run", "-n", 2, python, "-c", "import os; from mpi4py import MPI; "
                              "os.write(1, f\"{MPI.COMM_WORLD.allreduce(1)} {os.environ['LD_PRELOAD']}\\n\".encode())",
                              status=0)  # in one piece: print writes what it prints piece by piece
        self.assertEqual(result.stdout.count(f"2 {PRELOAD}"), 2, result.stdout + result.stderr)

    def test_another_folder_and_blanks(self):
        odd = self.folder / "a folder"
        odd.mkdir()
        os.symlink(probe("mpich"), odd / "my probe")
        result = self.lapwing("run", "-n", 1, "./my probe", "env", "LAPWING_JOB", status=0, cwd=odd)
        self.assertIn("LAPWING_JOB=uniform", result.stdout)


if __name__ == "__main__":
    unittest.main()
