# SPDX-License-Identifier: Apache-2.0
"""Lapwing as it is by default sees where a received message is used late, and tries strips there, however it was received
and whatever its sender receives; and it tries none where messages are used at once."""
import running
from mpis import in_turn

# As between hosts: within one, strips are tried only where a core is free.
BY_DEFAULT = {**running.MODES["auto"], "LAPWING_TESTING": "1", "LAPWING_FAULT": "free_core"}


# Nothing is tried while iterations are not alike, as on a busy machine.
ATTEMPTS = 3
WAYS = ("blocking", "wait", "all", "any", "some", "exchange", "isend", "halo")


class Learning(running.ProgramTest):
    def run_both(self, how, rounds, check, attempts=1, **options):
        """Plainly and by default, the MPIs in turn; `check` judges the latter run, the last of `attempts` if none satisfies it."""
        for mpi in running.MPIS:
            if not in_turn(WAYS.index(how), mpi):
                continue
            with self.subTest(mpi=mpi):
                program = [running.program(mpi, "programs_learning"), how, str(rounds)]
                plain = self.mpirun(mpi, program, limit=60)
                self.succeeds(plain, f"{mpi}: the plain run")
                for attempt in range(attempts):
                    ran = self.mpirun(mpi, program, {**BY_DEFAULT, **options}, limit=60)
                    self.succeeds(ran, mpi)
                    self.assertEqual(plain.out, ran.out)
                    try:
                        check(ran)
                        break
                    except AssertionError:
                        if attempt + 1 == attempts:
                            raise

    def tries_strips(self, how):
        self.run_both(how, 60, lambda ran: self.assertGreater(ran.deferred(), 0, f"nothing was tried: {ran.report}"), ATTEMPTS)

    def test_blocking(self):
        self.tries_strips("blocking")

    def test_wait(self):
        self.tries_strips("wait")

    def test_wait_for_all(self):
        self.tries_strips("all")

    def test_wait_for_any(self):
        self.tries_strips("any")

    def test_wait_for_some(self):
        self.tries_strips("some")

    def test_a_send_between_the_posting_and_the_wait(self):
        self.tries_strips("exchange")

    def test_a_sender_that_waits_for_requests(self):
        # A report takes all calls off their fast paths, by which such a sender would miss its partner's letters.
        self.run_both("isend", 60, lambda ran: self.assertRegex(ran.err, r"trying|kept"), ATTEMPTS, LAPWING_REPORT="",
                      LAPWING_VERBOSE="2")

    def test_several_messages_that_are_used_at_once(self):
        self.run_both("halo", 60, lambda ran: self.assertEqual(ran.deferred(), 0, f"strips were tried: {ran.report}"))


if __name__ == "__main__":
    running.main()
