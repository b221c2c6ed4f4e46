# SPDX-License-Identifier: Apache-2.0
"""-flapwing=verify finds each mistake that is planted in the pass and changes a result, and nothing where there is none."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("LAPWING_BUILD", HERE.parents[2] / "build" / "release")) / "bin"
MPIEXEC = {"mpich": ["mpiexec.mpich"],
           "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "LAPWING_BUILD"}
EAGER = {"LAPWING_DEFER": "on", "LAPWING_THRESHOLD_PROVED": "1", "LAPWING_TESTING": "1"}
WRAPPERS = {".c": "lwcc", ".cpp": "lwc++", ".f90": "lwfc"}
STATUS = 87
# The mistake that is planted, and the call whose wait it moves too far.
FAULTS = {"writes": "MPI_Send", "reads": "MPI_Recv", "overwrites": "MPI_Recv", "blocks": "MPI_Recv", "calls": "MPI_Recv",
          "aliases": "MPI_Recv", "sizes": "MPI_Recv", "exchanged": "MPI_Recv", "place": "MPI_Recv", "climb": "MPI_Send"}


class Verify(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-verify-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def build(self, source, *words, fault=None):
        wrapper = BIN / WRAPPERS[pathlib.Path(source).suffix]
        planted = {"LAPWING_TESTING": "1", "LAPWING_PASS_FAULT": fault} if fault else {}
        made = subprocess.run([wrapper, f"--lapwing-mpi={self.mpi}", "-O2", *words, HERE / source, "-o", "program"],
                              cwd=self.folder, capture_output=True, text=True, timeout=120, check=False,
                              env={**ENVIRONMENT, **planted})
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stderr

    def start(self):
        return subprocess.run(["timeout", "-k", "5", "40", *MPIEXEC[self.mpi], "-n", "2", "./program"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60, check=False, env={**ENVIRONMENT, **EAGER})

    def result(self, source, *words, fault=None):
        self.build(source, *words, fault=fault)
        ran = self.start()
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stdout

    def lines_with(self, source, name):
        """The lines of an access, by its name in a comment."""
        text = (HERE / source).read_text().splitlines()
        return {number for number, line in enumerate(text, 1) if re.search(rf"(/\*|//|!)[\w ]*\b{name}\b", line)}

    def sentence(self, source, *words, fault):
        self.build(source, *words, "-flapwing=verify", fault=fault)
        ran = self.start()
        self.assertEqual(ran.returncode, STATUS, ran.stdout + ran.stderr)
        said = re.findall(r"^lapwing: rank (\d): (.*)$", ran.stderr, re.M)
        self.assertEqual(len(said), 1, ran.stderr)
        return said[0]

    def found(self, source, fault, call, *words):
        expected = self.result(source, *words, "--lapwing-off")
        self.assertEqual(self.result(source, *words, "-flapwing=verify"), expected)
        if self.mpi == "mpich":
            # Only while the message is late: a busy machine may let it come in time now and then.
            results = (self.result(source, *words, fault=fault) for _ in range(5))
            self.assertTrue(any(result != expected for result in results), "this mistake changes nothing")
        rank, said = self.sentence(source, *words, fault=fault)
        self.assertEqual(rank, "0" if call == "MPI_Send" else "1")
        verb = "writes to what" if call == "MPI_Send" else "touches what"
        told = re.match(rf"(\S+):(\d+) {verb} {call} at \S+:\d+ (sends|receives), before its wait at \S+:\d+", said)
        self.assertTrue(told, said)
        self.assertIn(int(told[2]), self.lines_with(source, fault), said)

    def every(self):
        for fault, call in FAULTS.items():
            with self.subTest(fault=fault, mpi=self.mpi):
                self.found("cases.c", fault, call, f"-DCASE_{fault}")
        with self.subTest("a wait of the program's"):
            rank, said = self.sentence("cases.c", "-DCASE_requests", fault="reads")
            self.assertTrue(rank == "1" and "touches what MPI_Irecv at cases.c:" in said, said)
        with self.subTest("the status"):
            self.assertEqual(self.result("cases.c", "-DCASE_status", "-flapwing=verify").split()[0], "5")
            self.assertNotEqual(self.result("cases.c", "-DCASE_status", "-flapwing=verify", fault="status").split()[0], "5")
        with self.subTest("a few bytes"):
            _, said = self.sentence("cases.c", "-DCASE_few", fault="writes")
            self.assertIn("what MPI_Send at cases.c:", said)
            self.assertIn("was written to before its wait at cases.c:", said)
            self.assertIn("byte 200 of 400", said)
        with self.subTest("Fortran"):
            self.found("reads.f90", "reads", "MPI_Recv")
        with self.subTest("two requests with one handle"):
            self.assertEqual(self.result("cases.c", "-DCASE_twins", "-flapwing=verify"), "50 50\n")
        with self.subTest("the first call of each MPI routine"):
            expected = self.result("first_calls.f90", "--lapwing-off")
            self.assertEqual(self.result("first_calls.f90", "-flapwing=verify"), expected)
            self.assertIn("MPI_Wait at first_calls.f90", self.build("first_calls.f90", "-g", "-Rpass=lapwing"))
        with self.subTest("threads and C++"):
            self.found("reads.cpp", "reads", "MPI_Recv", "-pthread")

    def test_mpich(self):
        self.mpi = "mpich"
        self.every()

    def test_openmpi(self):
        self.mpi = "openmpi"
        self.every()


if __name__ == "__main__":
    if not (BIN / "lwcc").exists():
        print("lwcc was not built")
        sys.exit(77)
    unittest.main()
