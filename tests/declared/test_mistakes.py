# SPDX-License-Identifier: Apache-2.0
"""Wrong declarations end the job with sentences that name the places; right ones say nothing.

    test_mistakes.py PROGRAM -- MPIEXEC...
"""
import os
import re
import subprocess
import sys
import unittest

PROGRAM, MPIEXEC = sys.argv[1], sys.argv[3:]
DRIVER = os.path.join(os.path.dirname(PROGRAM), "..", "unit", "libcuda.so.fake")


def run(case, **environment):
    command = ["timeout", "-k", "5", "30", *MPIEXEC, "-n", "2", PROGRAM, str(case), DRIVER]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, **environment})


class Mistakes(unittest.TestCase):
    def wrong(self, case, *patterns):
        done = run(case)
        self.assertNotIn(done.returncode, (0, 124, 137), done.stderr)
        for pattern in patterns:
            self.assertRegex(done.stderr, pattern)

    def test_right(self):
        done = run(0)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_sizes(self):
        self.wrong(1, r"send of 16 bytes to rank 1, tag 7 of MPI_COMM_WORLD, declared at mistakes\.c:\d+, "
                      r"meets a receive of 8 bytes that rank 1 of MPI_COMM_WORLD declared",
                   r"its receive of 8 bytes from rank 0, tag 7 .* declared at mistakes\.c:\d+")

    def test_receive_alone(self):
        self.wrong(2, r"rank 1: the receive of 8 bytes from rank 0, tag 7 .*mistakes\.c:\d+, cannot happen: rank 0")

    def test_send_alone(self):
        self.wrong(3, r"rank 0: the send of 8 bytes to rank 1, tag 7 .*mistakes\.c:\d+, cannot happen: rank 1")

    def test_tags(self):
        self.wrong(4, r"cannot happen: rank \d")

    def test_roots(self):
        self.wrong(5, r"broadcast of 8 bytes from rank \d.*mistakes\.c:\d+.*another root")

    def test_kinds(self):
        self.wrong(6, r"broadcast|reduction", r"mistakes\.c:\d+")

    def test_circle(self):
        self.wrong(13, r"in a circle", r"rank 0 waits for the receive of 8 bytes from rank 1, tag 7 .*mistakes\.c:\d+",
                   r"rank 1 waits for the receive of 8 bytes from rank 0, tag 7 .*mistakes\.c:\d+")

    def test_device_buffers(self):
        self.wrong(15, r"lapwing_declare_recv at mistakes\.c:\d+: the buffer at 0x\w+ is a device's.*copy it to host memory")

    def test_not_opened(self):
        self.wrong(7, r"lapwing_declare_send at mistakes\.c:\d+: .*lapwing_declare_open")

    def test_no_such_rank(self):
        self.wrong(8, r"mistakes\.c:\d+: there is no rank 5 in MPI_COMM_WORLD, which has 2")

    def test_too_early(self):
        self.wrong(9, r"mistakes\.c:\d+: it is called before MPI_Init")

    def test_any_source(self):
        self.wrong(10, r"mistakes\.c:\d+: .*MPI_ANY_SOURCE")

    def test_result_too_large(self):
        self.wrong(11, r"mistakes\.c:\d+: rank 0 found a result of 16 bytes")

    def test_states(self):
        done = run(12)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"rank 1: 2 declared communications")
        self.assertRegex(done.stderr, r"mistakes\.c:\d+, receive of 8 bytes from rank 0, tag 7 .*announced")
        self.assertRegex(done.stderr, r"mistakes\.c:\d+, send of 8 bytes to rank 0, tag 8 .*waits for 1 older")

    def test_trace(self):
        done = run(12, LAPWING_DECLARED="trace")
        states = re.findall(r"rank 0: mistakes\.c:\d+, send .*: (\w+) \(to rank 1\)", done.stderr)
        self.assertEqual(states[-2:], ["moving", "done"], done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-q"])
