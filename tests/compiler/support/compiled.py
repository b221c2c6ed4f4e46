# SPDX-License-Identifier: Apache-2.0
"""Programs that the wrappers compile, in several ways at the same time, and that then run under an MPI."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("LAPWING_BUILD", ROOT / "build" / "release")) / "bin"
MPIEXEC = {"mpich": ["mpiexec.mpich"],
           "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]}
WRAPPERS = {".c": "lwcc", ".cpp": "lwc++", ".f90": "lwfc"}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("LAPWING_BUILD", "LAPWING_PASS")}
# Everything that can be deferred is, however small.
EAGER = {"LAPWING_DEFER": "on", "LAPWING_THRESHOLD_PROVED": "1", "LAPWING_TESTING": "1"}


def way(*words, fault=None):
    """Words for a wrapper, and the mistake that is planted in the pass."""
    return words, fault


class Program(typing.NamedTuple):
    path: pathlib.Path
    said: str  # by the compiler


class ProgramTest(unittest.TestCase):
    """`folder` is where the sources are."""
    folder: pathlib.Path

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-compiled-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)

    def compile(self, mpi, sources, words, fault):
        if sources[0].endswith(".f90") and not shutil.which(f"mpifort.{mpi}"):  # some packages of MPI have no Fortran
            self.skipTest(f"no mpifort.{mpi} is here")
        planted = {"LAPWING_TESTING": "1", "LAPWING_PASS_FAULT": fault} if fault else {}
        place = pathlib.Path(tempfile.mkdtemp(dir=self.work))  # of its own: modules have the names that the sources give
        made = subprocess.run([BIN / WRAPPERS[pathlib.Path(sources[0]).suffix], f"--lapwing-mpi={mpi}", *words,
                               *(word if word.startswith("-") else self.folder / word for word in sources), "-o", "program"],
                              cwd=place, capture_output=True, text=True, timeout=120, check=False, env={**ENVIRONMENT, **planted})
        self.assertEqual(made.returncode, 0, made.stderr)
        return Program(place / "program", made.stdout + made.stderr)

    def each_way(self, mpi, sources, *ways):
        """The programs that several ways to compile give."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda one: self.compile(mpi, sources, *one), ways))

    def start(self, mpi, program, ranks=2, limit=40):
        # In a folder of its own: two may run at a time, and write files of the same name.
        return subprocess.run(["timeout", "-k", "5", str(limit), *MPIEXEC[mpi], "-n", str(ranks), program.path],
                              cwd=program.path.parent, capture_output=True, text=True, timeout=limit + 20, check=False,
                              env={**ENVIRONMENT, **EAGER})

    def output(self, mpi, program, ranks=2, limit=40):
        ran = self.start(mpi, program, ranks, limit)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stdout

    def lines(self, *arguments, **words):
        return sorted(self.output(*arguments, **words).splitlines())


def main():
    """Exits with 77, which ctest takes for skipped, where there are no wrappers."""
    if not (BIN / "lwcc").exists():
        print("lwcc was not built")
        sys.exit(77)
    unittest.main()
