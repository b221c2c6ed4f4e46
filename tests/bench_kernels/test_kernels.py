#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One kernel: all variants give the same bits with 2 ranks under both MPIs, some with 1 and 4, and what they
received is the same; a run whose halo was damaged does not verify.

Usage: test_kernels.py KERNEL VARIANT...
"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from mpis import MPIS  # noqa: E402

BUILD = os.environ["LAPWING_BUILD"]
KERNEL, VARIANTS = "heat", ["plain"]
LAUNCHERS = {"mpich": ["mpiexec.mpich"],
             "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]}


def run(mpi, ranks, variant, *options):
    program = os.path.join(BUILD, "libexec", "lapwing", mpi, "kernels", f"{KERNEL}-{variant}")
    return subprocess.run([*LAUNCHERS[mpi], "-n", str(ranks), program, *options], capture_output=True, text=True,
                          timeout=60, check=False)


def record(done):
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if len(lines) != 1:
        raise AssertionError(f"{done.args} printed {len(lines)} records\n{done.stdout}\n{done.stderr}")
    return json.loads(lines[0])


class Kernels(unittest.TestCase):
    def test_same_bits(self):
        for ranks in (1, 2, 4):
            right = None
            for mpi in MPIS if ranks == 2 else [MPIS[ranks // 4 % len(MPIS)]]:
                for variant in VARIANTS if ranks == 2 else ["plain", "compiler"]:
                    with self.subTest(mpi=mpi, ranks=ranks, variant=variant):
                        done = run(mpi, ranks, variant)
                        found = record(done)
                        self.assertTrue(found["verified"], done.stdout)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.assertEqual((found["kernel"], found["class"], found["ranks"]), (KERNEL, "S", ranks))
                        bits = found["checksum"], found["received"]
                        right = right or bits
                        self.assertEqual(bits, right)
                        self.assertEqual(int(found["received"], 16) != 0, ranks > 1)

    def test_other_forms(self):
        if KERNEL not in ("fft", "sort"):
            return
        forms = [("hand", "--slabs", "1")] + [(variant, "--in-order") for variant in VARIANTS if KERNEL == "fft"]
        for ranks in (2, 4):
            right = record(run(MPIS[0], ranks, "plain"))
            for variant, *options in forms:
                with self.subTest(ranks=ranks, variant=variant, options=options):
                    found = record(run(MPIS[0], ranks, variant, *options))
                    self.assertTrue(found["verified"])
                    self.assertEqual((found["checksum"], found["received"]), (right["checksum"], right["received"]))

    def test_damaged_halo(self):
        for variant in VARIANTS:
            with self.subTest(variant=variant):
                right, wrong = record(run(MPIS[0], 2, variant)), run(MPIS[0], 2, variant, "--spoil")
                found = record(wrong)
                self.assertFalse(found["verified"])
                self.assertNotEqual(wrong.returncode, 0)
                self.assertNotEqual(found["checksum"], right["checksum"])
                self.assertNotEqual(found["received"], right["received"])

    def test_expected_checksum(self):
        serial = record(run(MPIS[-1], 2, "plain", "--serial", "--repeat", "2"))
        self.assertTrue(record(run(MPIS[-1], 2, "hand", "--expect", serial["checksum"], "--repeat", "2"))["verified"])
        self.assertFalse(record(run(MPIS[-1], 2, "hand", "--expect", "1", "--repeat", "2"))["verified"])

    def test_limit(self):
        # Times: the quickest of three runs, as other tests may run beside it.
        parts = ("compute_s", "transfer_s", "rest_s")
        runs = [record(run(MPIS[-1], 2, "plain", "--limit")) for _ in range(3)]
        self.assertTrue(all(one["verified"] for one in runs))
        found = min(runs, key=lambda one: sum(one[part] for part in parts))
        for part in parts:
            self.assertGreater(found[part], 0)
        self.assertGreater(found["limit_s"], max(found["compute_s"], found["transfer_s"]))
        self.assertLess(found["limit_s"], 3 * (found["compute_s"] + found["transfer_s"] + found["rest_s"]))


class Options(unittest.TestCase):
    """One file for each language reads the command line, so one kernel of each has these tests."""

    def test_bad_options(self):
        for options in (["--class", "X"], ["--repeat", "0"], ["--work"], ["--frob"], ["--expect", "nothex"]):
            with self.subTest(options=options):
                done = run(MPIS[-1], 1, "plain", *options)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"{KERNEL}: ", done.stderr)
                self.assertIn(options[0], done.stderr)


if __name__ == "__main__":
    KERNEL, *VARIANTS = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], "Kernels", *(["Options"] if KERNEL in ("adi", "heat") else [])])
