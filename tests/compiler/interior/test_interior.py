# SPDX-License-Identifier: Apache-2.0
"""Loops that are divided into what needs messages and what does not give the same bits; -flapwing=verify finds nothing, and
finds a loop that was divided without asking."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("LAPWING_BUILD", HERE.parents[2] / "build" / "release")) / "bin"
MPIEXEC = {"mpich": ["mpiexec.mpich"],
           "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("LAPWING_BUILD", "LAPWING_PASS")}
EAGER = {"LAPWING_DEFER": "on", "LAPWING_THRESHOLD_PROVED": "1", "LAPWING_TESTING": "1"}
WRAPPERS = {".c": "lwcc", ".cpp": "lwc++", ".f90": "lwfc"}
# Loops that are divided, at least.
PROGRAMS = {"halo.c": 5, "halo.cpp": 2, "halo.f90": 2, "ghosts.c": 6, "ghosts.f90": 2, "lists.c": 4}
# With -flto, where functions are seen together.
WHOLE = {"members.cpp": 1, "members.f90": 1}
FOUND = 87


class Interior(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lapwing-interior-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def build(self, mpi, source, *words, fault=None):
        planted = {"LAPWING_TESTING": "1", "LAPWING_PASS_FAULT": fault} if fault else {}
        made = subprocess.run([BIN / WRAPPERS[pathlib.Path(source).suffix], f"--lapwing-mpi={mpi}", "-O2", *words, HERE / source,
                               "-o", "program"], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False,
                              env={**ENVIRONMENT, **planted})
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout + made.stderr

    def run_it(self, mpi):
        return subprocess.run(["timeout", "-k", "5", "40", *MPIEXEC[mpi], "-n", "2", "./program"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60, check=False, env={**ENVIRONMENT, **EAGER})

    def lines(self, mpi):
        ran = self.run_it(mpi)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return sorted(ran.stdout.splitlines())

    def check(self, mpi):
        for source, divided in {**PROGRAMS, **WHOLE}.items():
            with self.subTest(source=source, mpi=mpi):
                whole = ["-flto"] if source in WHOLE else []
                if whole and mpi != "mpich":
                    continue
                self.build(mpi, source, "--lapwing-off")
                plain = self.lines(mpi)
                self.assertGreater(len(plain), 1)
                remarks = self.build(mpi, source, *whole, "-flapwing-interior", "-Rpass=lapwing")
                self.assertGreaterEqual(remarks.count("the loop is divided"), divided, remarks)
                self.assertEqual(self.lines(mpi), plain)
                if whole:
                    continue
                self.assertEqual(self.build(mpi, source, "-flapwing=verify", "-flapwing-interior"), "")
                self.assertEqual(self.lines(mpi), plain)
                if not source.startswith(("halo", "lists")):  # the message lands where no loop looks
                    continue
                self.build(mpi, source, "-flapwing=verify", "-flapwing-interior", fault="interior")
                ran = self.run_it(mpi)
                self.assertEqual(ran.returncode, FOUND, ran.stdout + ran.stderr)
                self.assertIn("before its wait", ran.stderr)

    def test_mpich(self):
        self.check("mpich")

    def test_openmpi(self):
        self.check("openmpi")


if __name__ == "__main__":
    if not (BIN / "lwcc").exists():
        print("lwcc was not built")
        sys.exit(77)
    unittest.main()
