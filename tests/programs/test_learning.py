# SPDX-License-Identifier: Apache-2.0
"""Lapwing as it is by default sees where a received message is used late, and tries strips there, however it was received
and whatever its sender receives."""
import running

# As between hosts: within one, strips are tried only where a core is free.
BY_DEFAULT = {**running.MODES["auto"], "LAPWING_TESTING": "1", "LAPWING_FAULT": "free_core"}


class Learning(running.ProgramTest):
    def check(self, how):
        for mpi in running.MPIS:
            with self.subTest(mpi=mpi):
                program = [running.program(mpi, "programs_learning"), how]
                plain = self.mpirun(mpi, program, limit=60)
                self.succeeds(plain, f"{mpi}: the plain run")
                ran = self.mpirun(mpi, program, BY_DEFAULT, limit=60)
                self.succeeds(ran, mpi)
                self.assertEqual(plain.out, ran.out)
                self.assertGreater(ran.deferred(), 0, f"nothing was tried: {ran.report}")

    def test_blocking(self):
        self.check("blocking")

    def test_wait(self):
        self.check("wait")

    def test_wait_for_all(self):
        self.check("all")


if __name__ == "__main__":
    running.main()
