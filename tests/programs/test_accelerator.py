# SPDX-License-Identifier: Apache-2.0
"""A device that keeps hold of the program's memory finds every byte in place, with either guard.

The device is the kernel's io_uring, beside a library with the name of a driver, and a CUDA device
where there is one."""
import unittest

import running
from mpis import in_turn

FAKE_DRIVER = running.BUILD / "tests" / "unit" / "libcuda.so.fake"
WHEN = ("held", "late", "never")
SMALL = {**running.MODES["on"], "LAPWING_THRESHOLD_STRIP": "16K", "LAPWING_STRIP_FIRST": "4K"}


def messages(text):
    return sorted(line for line in text.splitlines() if " bytes, round " in line)


class Accelerator(running.ProgramTest):
    def check(self, device, when):
        for mpi in running.MPIS:
            program = [running.program(mpi, "programs_accelerator"), device, when]
            plain = self.mpirun(mpi, program, limit=60)
            if "no device here" in plain.out:
                raise unittest.SkipTest(f"no device to try it with: {device}")
            self.succeeds(plain, f"{mpi}: the plain run")
            self.assertEqual(len(messages(plain.out)), 120, plain.both())
            for index, guard in enumerate(("userfaultfd", "mprotect")):
                if not in_turn(index + WHEN.index(when), mpi):  # each case with both guards, the MPIs in turn
                    continue
                with self.subTest(mpi=mpi, guard=guard):
                    ran = self.mpirun(mpi, program, {**SMALL, "LAPWING_GUARD": guard}, limit=60)
                    self.succeeds(ran, f"{mpi}, {guard}")
                    self.assertEqual(messages(plain.out), messages(ran.out))
                    self.assertGreater(ran.deferred(), 0, "no send was deferred, so nothing was tested")
                    self.assertIn("accelerators", ran.report[0]["standing_aside"])

    def test_memory_held_from_the_start(self):
        self.check(FAKE_DRIVER, "held")

    def test_memory_that_only_the_device_reaches(self):
        for mpi in running.MPIS:
            program = [running.program(mpi, "programs_device_memory"), FAKE_DRIVER]
            plain = self.mpirun(mpi, program, limit=60)
            self.succeeds(plain, f"{mpi}: the plain run")
            self.assertEqual(len(messages(plain.out)), 240, plain.both())
            ran = self.mpirun(mpi, program, SMALL, limit=60)
            self.succeeds(ran, mpi)
            self.assertEqual(messages(plain.out), messages(ran.out))
            self.assertGreater(ran.deferred(), 0, "no send was deferred, so nothing was tested")

    def test_memory_held_after_the_wait(self):
        self.check(FAKE_DRIVER, "late")

    def test_cuda(self):
        for when in WHEN:
            self.check("cuda", when)

    def test_the_user_may_say_that_they_do_not_matter(self):
        program = [running.program(running.MPIS[0], "programs_threads"), "c11"]
        said = {**running.MODES["on"], "LAPWING_ACCELERATORS": "ignore"}
        for lapwing, closes in ((running.MODES["on"], False), (said, True)):
            ran = self.mpirun(running.MPIS[0], program, lapwing, limit=60, preload=f"{running.PRELOAD}:{FAKE_DRIVER}")
            self.succeeds(ran, str(lapwing))
            receives = [line for line in ran.report if "recv" in line.get("call", "").lower()]
            self.assertTrue(receives, ran.report)
            self.assertEqual(closes, sum(line["deferred"] for line in receives) > 0, ran.report)
            self.assertEqual(closes, "accelerators" not in ran.report[0]["standing_aside"])


if __name__ == "__main__":
    running.main()
