# SPDX-License-Identifier: Apache-2.0
"""The examples, in C, C++, each Fortran interface and Python: the same checksum with Lapwing as without."""
import pathlib
import subprocess
import unittest

import running


class Examples(running.ProgramTest):
    def example(self, mpi, name):
        path = running.program(mpi, name)
        if not path.exists():
            self.skipTest(f"{path} was not built: no mpifort.{mpi} was found when the tree was configured")
        self.same_output(mpi, [path])

    @running.in_turns(0)
    def test_c(self, mpi):
        self.example(mpi, "ring")

    @running.in_turns(1)
    def test_cpp(self, mpi):
        self.example(mpi, "heat")

    @running.in_turns(2)
    def test_mpif(self, mpi):
        self.example(mpi, "exchange_mpif")

    @running.in_turns(3)
    def test_use_mpi(self, mpi):
        self.example(mpi, "exchange_mpi")

    @running.in_turns(4)
    def test_use_mpi_f08(self, mpi):
        self.example(mpi, "exchange_mpi_f08")

    @running.for_each_mpi
    def test_memory_of_other_processes(self, mpi):
        """lapwing/memory.h without Lapwing, and with gets that arrive behind their call; the report shows these where the program has them."""
        plain = {}
        for language in "c", "cpp", "f90":
            path = running.program(mpi, f"multiply_{language}")
            if language == "f90" and not path.exists():
                continue  # no mpifort was found when the tree was configured
            if language != "cpp":  # it prints what the one in C prints
                ran = self.mpirun(mpi, [path])
                self.succeeds(ran, path)
                self.assertIn("twice the same", ran.out)
                plain[language] = ran.out
            ran = self.mpirun(mpi, [path], {**running.MODES["on"], "LAPWING_ONE_SIDED": "on"})
            self.succeeds(ran, path)
            self.assertEqual(ran.out, plain["c" if language == "cpp" else language])
            gets = [line["site"] for line in ran.report if line.get("call") == "MPI_Get" and line.get("deferred")]
            self.assertIn(f"multiply.{language}:", str(gets), f"{mpi}: {ran.report}")

    @running.in_turns(5)
    def test_four_ranks(self, mpi):
        self.same_output(mpi, [running.program(mpi, "programs_cases"), "exchange"], ranks=4)

    @running.needs("/usr/lib/python3/dist-packages/mpi4py", "python3-mpi4py")
    @running.needs("/usr/lib/python3/dist-packages/numpy", "python3-numpy")
    def test_mpi4py(self):
        asked = subprocess.run(["/usr/bin/python3", "-c", "import mpi4py; print(mpi4py.get_config().get('mpicc', ''))"],
                               capture_output=True, text=True, check=True)
        mpi = "mpich" if "mpich" in asked.stdout else "openmpi"
        script = pathlib.Path(running.ROOT / "examples" / "exchange.py")
        self.same_output(mpi, ["/usr/bin/python3", script])


if __name__ == "__main__":
    running.main()
