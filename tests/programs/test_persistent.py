# SPDX-License-Identifier: Apache-2.0
"""Persistent collectives that complete together with messages in strips: MPICH's MPI_Testall takes them for failed."""
import running


class Persistent(running.ProgramTest):
    @running.for_each_mpi
    def test_with_messages(self, mpi):
        program = [running.program(mpi, "programs_persistent")]
        plain = self.mpirun(mpi, program, limit=60)
        self.succeeds(plain, f"{mpi}: the plain run")
        for name, mode in running.MODES.items():
            with self.subTest(mode=name):
                ran = self.mpirun(mpi, program, mode, limit=60)
                self.succeeds(ran, f"{mpi}, {name}")
                self.assertEqual(sorted(plain.out.splitlines()), sorted(ran.out.splitlines()))
                if name == "on" and ": 0\n" not in plain.out:  # an MPI before MPI 4 has no such requests
                    self.assertGreater(ran.deferred(), 0, "nothing was deferred, so nothing was tested")


if __name__ == "__main__":
    running.main()
