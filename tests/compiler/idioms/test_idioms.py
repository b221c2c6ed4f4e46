# SPDX-License-Identifier: Apache-2.0
"""What these programs print is the same with the pass and without, with both MPIs."""
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
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "LAPWING_BUILD"}
# Everything that can be deferred is, however small.
EAGER = {"LAPWING_DEFER": "on", "LAPWING_THRESHOLD_PROVED": "1", "LAPWING_TESTING": "1"}
# Sources, ranks, lines that they print, and what the pass moves at least, else nothing is tested.
PROGRAMS = {
    "idioms": (["idioms.c"], 2, 30, 3),
    "requests": (["requests.c"], 2, 12, 3),
    "ring": (["ring.c"], 4, 36, 1),
    "answered": (["answered.c"], 3, 4, 1),
    "arguments": (["arguments.c"], 2, 29, 4),
    "bottom": (["bottom.c"], 2, 6, 1),
    "room": (["room.c"], 2, 3, 1),
    "stack": (["stack.c"], 2, 2, 2),
    "operations": (["operations.c"], 2, 1, 0),
    "volatile_status": (["volatile_status.c"], 2, 5, 3),
    "mirror": (["mirror.c"], 2, 2, 0),
    "earlier_error": (["earlier_error.c"], 2, 2, 0),
    "freed": (["freed.c"], 2, 2, 0),
    "failing": (["failing.c"], 2, 5, 3),
    "forked": (["forked.c"], 2, 2, 1),
    "answers": (["answers.c"], 2, 11, 1),
    "synchronous": (["synchronous.c"], 4, 6, 1),
    "windows": (["windows.c"], 3, 2, 0),
    "threads": (["threads.c", "-pthread"], 2, 2, 0),
    "handlers": (["handlers.cpp"], 2, 1, 0),
    "handlers_note": (["handlers_note.c"], 2, 2, 0),
    "generalised": (["generalised.c"], 2, 1, 0),
    "mapped": (["mapped.c"], 2, 1, 0),
    "pool": (["pool.c"], 2, 2, 1),
    "divided": (["divided.cpp"], 2, 2, 1),
    "windows_synchronous": (["windows_synchronous.c"], 3, 1, 0),
    "levels": (["levels.f90"], 3, 3, 0),
    "dummies": (["dummies.f90", "dummies_apart.f90"], 2, 3, 3),
    "names": (["names.f90"], 2, 2, 1),
    "optional": (["optional.f90"], 2, 2, 1),
    "lifetimes": (["lifetimes.f90"], 2, 2, 1),
    "error_word": (["error_word.f90"], 2, 5, 2),
    "error_in_status": (["error_in_status.f90"], 2, 1, 1),
    "former_owner": (["former_owner.f90"], 2, 4, 2),
}
# Under MPICH the first hangs without the pass, and MPI_Finalize aborts behind the second:
# the lock that it was thrown through stays taken. The third is about waits that raise errors elsewhere.
OPENMPI_ONLY = ("threads", "handlers", "earlier_error")
WRAPPERS = {".c": "lwcc", ".cpp": "lwc++", ".f90": "lwfc"}


class Idioms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lapwing-idioms-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def build(self, mpi, sources, *words):
        wrapper = BIN / WRAPPERS[pathlib.Path(sources[0]).suffix]
        sources = [str(HERE / word) if not word.startswith("-") else word for word in sources]
        made = subprocess.run([wrapper, f"--lapwing-mpi={mpi}", *words, *sources], cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stderr

    def lines(self, mpi, program, ranks):
        ran = subprocess.run(["timeout", "-k", "5", "60", *MPIEXEC[mpi], "-n", str(ranks), f"./{program}"],
                             cwd=self.folder, capture_output=True, text=True, timeout=90, check=False,
                             env={**ENVIRONMENT, **EAGER})
        self.assertEqual(ran.returncode, 0, f"{program}: {ran.stdout}{ran.stderr}")
        return sorted(ran.stdout.splitlines())

    def check(self, mpi, *options, only=None):
        for name, (sources, ranks, lines, moved) in PROGRAMS.items():
            if only in (None, name) and (mpi == "openmpi" or name not in OPENMPI_ONLY):
                with self.subTest(program=name, mpi=mpi, options=options):
                    self.build(mpi, sources, *options, "--lapwing-off", "-o", "plain")
                    plain = self.lines(mpi, "plain", ranks)
                    self.assertEqual(len(plain), lines, plain)
                    remarks = self.build(mpi, sources, *options, "-Rpass=lapwing", "-o", "passed")
                    self.assertGreaterEqual(remarks.count("its wait stands"), moved, remarks)
                    self.assertEqual(plain, self.lines(mpi, "passed", ranks))

    def test_mpich(self):
        self.check("mpich", "-O1", only="idioms")
        self.check("mpich", "-O2")

    def test_openmpi(self):
        self.check("openmpi", "-O2")


if __name__ == "__main__":
    if not (BIN / "lwcc").exists():
        print("lwcc was not built")
        sys.exit(77)
    unittest.main()
