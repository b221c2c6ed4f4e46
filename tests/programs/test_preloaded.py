# SPDX-License-Identifier: Apache-2.0
"""The preload changes nothing in programs that have nothing to hide, or that Lapwing cannot serve."""
import running


class Preloaded(running.ProgramTest):
    def test_own_definition_of_a_wait(self):
        """Its waits are calls of PMPI_Wait, which Lapwing does not see: no receive may need to be retired there."""
        self.compare("programs_own_wait", lambda ran: self.assertEqual(ran.deferred(), 0))

    def test_errors_of_the_loader(self):
        self.compare("programs_dlerror", lambda ran: None)

    def compare(self, name, look):
        for mpi in running.MPIS:
            plain = self.mpirun(mpi, [running.program(mpi, name)], limit=60)
            self.succeeds(plain, f"{mpi}: the plain run")
            for mode, settings in running.MODES.items():
                with self.subTest(mpi=mpi, mode=mode):
                    ran = self.mpirun(mpi, [running.program(mpi, name)], settings, limit=60)
                    self.succeeds(ran, f"{mpi}, {mode}")
                    self.assertEqual(sorted(plain.out.splitlines()), sorted(ran.out.splitlines()))
                    look(ran)


if __name__ == "__main__":
    running.main()
