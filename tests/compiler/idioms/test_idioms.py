# SPDX-License-Identifier: Apache-2.0
"""What idioms.c prints is the same with the pass and without, with both MPIs."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LWCC = pathlib.Path(os.environ.get("LAPWING_BUILD", HERE.parents[2] / "build" / "release")) / "bin" / "lwcc"
MPIEXEC = {"mpich": ["mpiexec.mpich"],
           "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]}
# Everything that can be deferred is, however small.
EAGER = {"LAPWING_DEFER": "on", "LAPWING_THRESHOLD_PROVED": "1", "LAPWING_TESTING": "1"}


class Idioms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lapwing-idioms-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def build(self, mpi, *words):
        made = subprocess.run([LWCC, f"--lapwing-mpi={mpi}", *words, HERE / "idioms.c"], cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stderr

    def lines(self, mpi, program):
        ran = subprocess.run([*MPIEXEC[mpi], "-n", "2", f"./{program}"], cwd=self.folder, capture_output=True, text=True,
                             timeout=60, env={**os.environ, **EAGER}, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return sorted(ran.stdout.splitlines())

    def check(self, mpi, *options):
        self.build(mpi, *options, "--lapwing-off", "-o", "plain")
        plain = self.lines(mpi, "plain")
        self.assertEqual(len(plain), 30, plain)
        remarks = self.build(mpi, *options, "-Rpass=lapwing", "-o", "passed")
        self.assertGreater(remarks.count(" is split"), 2, "nothing was moved, so nothing was tested")
        self.assertEqual(plain, self.lines(mpi, "passed"))

    def test_mpich(self):
        self.check("mpich", "-O1")
        self.check("mpich", "-O2")

    def test_openmpi(self):
        self.check("openmpi", "-O2")


if __name__ == "__main__":
    if not LWCC.exists():
        print("lwcc was not built")
        sys.exit(77)
    unittest.main()
