# SPDX-License-Identifier: Apache-2.0
"""Threads that Lapwing does not see begin find every byte in place, with either guard. Each way to begin is tried with both
guards; the MPIs take turns."""
import running
from mpis import in_turn

WAYS = ("older", "stdio", "blocked", "c11", "timer", "aio", "list")


class Threads(running.ProgramTest):
    def check(self, how):
        for mpi in running.MPIS:
            program = [running.program(mpi, "programs_threads"), how]
            plain = self.mpirun(mpi, program, limit=60)
            self.succeeds(plain, f"{mpi}: the plain run")
            self.assertEqual(plain.out.count(": 4194304 bytes"), 6, plain.both())
            for index, guard in enumerate(("userfaultfd", "mprotect")):
                if not in_turn(WAYS.index(how) + index, mpi):
                    continue
                with self.subTest(mpi=mpi, guard=guard):
                    ran = self.mpirun(mpi, program, {**running.MODES["on"], "LAPWING_GUARD": guard}, limit=60)
                    self.succeeds(ran, f"{mpi}, {guard}")
                    self.assertEqual(sorted(plain.out.splitlines()), sorted(ran.out.splitlines()))
                    self.assertGreater(ran.deferred(), 0, "nothing was deferred, so nothing was tested")

    def test_older_than_mpi_init(self):
        self.check("older")

    def test_older_and_by_stdio(self):
        self.check("stdio")

    def test_older_with_all_signals_blocked(self):
        self.check("blocked")

    def test_c11(self):
        self.check("c11")

    def test_notified_by_a_timer(self):
        self.check("timer")

    def test_asynchronous_io(self):
        self.check("aio")
        self.check("list")


if __name__ == "__main__":
    running.main()
