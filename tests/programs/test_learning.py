# SPDX-License-Identifier: Apache-2.0
"""Lapwing as it is by default sees where a received message is used late, and tries strips there, however it was received
and whatever its sender receives; and it tries none where messages are used at once."""
import running

# As between hosts: within one, strips are tried only where a core is free.
BY_DEFAULT = {**running.MODES["auto"], "LAPWING_TESTING": "1", "LAPWING_FAULT": "free_core"}


class Learning(running.ProgramTest):
    def run_both(self, how, rounds, check, **options):
        """Plainly and by default, under each MPI; `check` judges the latter run."""
        for mpi in running.MPIS:
            with self.subTest(mpi=mpi):
                program = [running.program(mpi, "programs_learning"), how, str(rounds)]
                plain = self.mpirun(mpi, program, limit=60)
                self.succeeds(plain, f"{mpi}: the plain run")
                ran = self.mpirun(mpi, program, {**BY_DEFAULT, **options}, limit=60)
                self.succeeds(ran, mpi)
                self.assertEqual(plain.out, ran.out)
                check(ran)

    def tries(self, ran):
        self.assertGreater(ran.deferred(), 0, f"nothing was tried: {ran.report}")

    def test_blocking(self):
        self.run_both("blocking", 60, self.tries)

    def test_wait(self):
        self.run_both("wait", 60, self.tries)

    def test_wait_for_all(self):
        self.run_both("all", 60, self.tries)

    def test_a_send_between_the_posting_and_the_wait(self):
        self.run_both("exchange", 60, self.tries)

    def test_a_sender_that_waits_for_requests(self):
        # A report takes all calls off their fast paths, by which such a sender would miss its partner's letters.
        self.run_both("isend", 60, lambda ran: self.assertRegex(ran.err, r"trying|kept"), LAPWING_REPORT="", LAPWING_VERBOSE="2")

    def test_several_messages_that_are_used_at_once(self):
        self.run_both("halo", 60, lambda ran: self.assertEqual(ran.deferred(), 0, f"strips were tried: {ran.report}"))


if __name__ == "__main__":
    running.main()
