# SPDX-License-Identifier: Apache-2.0
"""A library that lwcc has made improves although no call of MPI_Init has passed through Lapwing, and gives the same results;
MPI_Finalize, which does not either, ends it."""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parents[1] / "support")]

from compiled import ENVIRONMENT, MPIEXEC, ProgramTest, main, way

IN_FLIGHT = r"of what the compiler has split, \d receives and 5 sends were in flight"  # receives may find all at once


class Late(ProgramTest):
    folder = HERE

    def run_with(self, mpi, program, library, level, **variables):
        ran = subprocess.run(["timeout", "-k", "5", "40", *MPIEXEC[mpi], "-n", "2", program, library, level], capture_output=True,
                             text=True, timeout=60, check=False, cwd=self.work,
                             env={**ENVIRONMENT, "LAPWING_VERBOSE": "1", **variables})
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return sorted(ran.stdout.splitlines()), ran.stderr

    def check(self, mpi):
        library = self.compile(mpi, ["shift.c"], way("-O2", "-fPIC", "-shared")[0], None).path
        program = self.work / "loads"
        subprocess.run([f"mpicc.{mpi}", HERE / "loads.c", "-o", program, "-ldl"], check=True)
        expected, said = self.run_with(mpi, program, library, "1", LAPWING="off")
        self.assertEqual(len(expected), 2)
        self.assertNotIn("in flight", said)
        for level in "0", "1":  # without threads the loops poll, with all of them there is a helper
            with self.subTest(level=level):
                lines, said = self.run_with(mpi, program, library, level, LAPWING_DEFER="on")
                self.assertEqual(lines, expected)
                for rank in 0, 1:
                    self.assertRegex(said, f"rank {rank}: {IN_FLIGHT}")

    def test_mpich(self):
        self.check("mpich")

    def test_openmpi(self):
        self.check("openmpi")


if __name__ == "__main__":
    main()
