#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench thresholds`: how it judges, and its records of one size through shared memory."""
import json
import os
import subprocess
import sys
import unittest

from lapwing_bench import thresholds

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from mpis import MPIS  # noqa: E402

BUILD = os.environ["LAPWING_BUILD"]


class Judgement(unittest.TestCase):
    def test_best(self):
        self.assertEqual(thresholds.best_threshold({16: 0.9, 32: 1.1, 64: 0.99, 128: 1.2, 256: 1.5}), 128)
        self.assertEqual(thresholds.best_threshold({16: 1.3, 32: 1.4}), 16)
        self.assertEqual(thresholds.best_threshold({16: 1.3, 32: 1.01}), thresholds.NEVER)

    def test_factor(self):
        speeds = {16: 1.0, 32: 1.1, 64: 1.2}
        self.assertEqual(thresholds.factor(64, 32, speeds), 2)
        self.assertEqual(thresholds.factor(8, 32, speeds), 2)      # as the least that was swept
        self.assertEqual(thresholds.factor(1024, 64, speeds), 1)   # as the largest
        self.assertEqual(thresholds.factor("never", "never", speeds), 1)
        self.assertIsNone(thresholds.factor("never", 32, speeds))
        self.assertIsNone(thresholds.factor(32, "never", speeds))


class Records(unittest.TestCase):
    def test_shared_memory(self):
        done = subprocess.run([os.path.join(BUILD, "libexec", "lapwing", "bench-driver"), "thresholds", "--prefix", BUILD, "--local",
                               "--json", "--pairs", "2", "--sizes", "64K", "--mpi", MPIS[0]],
                              capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([r["case"] for r in records], ["strip", "guard"])
        for record in records:
            self.assertTrue(record["verified"])
            self.assertEqual(list(record["speeds"]), [str(64 << 10)])
            self.assertEqual(record["costs"]["link"], "same node")
            self.assertIn(record["within_two"], (True, False))


if __name__ == "__main__":
    unittest.main()
