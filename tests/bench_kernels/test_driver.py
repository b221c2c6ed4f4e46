#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench-driver kernels`: its records have the promised fields, and a kernel that computes something else than
the others is reported."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from mpis import MPIS  # noqa: E402

BUILD = os.environ["LAPWING_BUILD"]
FIELDS = ("bench", "case", "kernel", "ranks", "plain_s", "hand_s", "compiler_s", "both_s", "limit_s", "hidden",
          "vs_plain", "vs_hand", "verified")


def drive(prefix, *options):
    return subprocess.run([os.path.join(BUILD, "libexec", "lapwing", "bench-driver"), "kernels", "--prefix", prefix,
                           "--local", "--json", "--mpi", MPIS[-1], "--class", "S", "--kernel", "heat", *options],
                          capture_output=True, text=True, timeout=120, check=False)


class Driver(unittest.TestCase):
    def test_records(self):
        done = drive(BUILD, "--pairs", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        records = {r["ranks"]: r for r in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(sorted(records), [2, 4])
        for record in records.values():
            self.assertEqual([name for name in FIELDS if name not in record], [])
            self.assertTrue(record["verified"])
        self.assertIsNone(records[4]["plain_s"])
        self.assertGreater(records[2]["plain_s"], 0)
        self.assertLessEqual(records[2]["plain_s_lo"], records[2]["plain_s_hi"])
        self.assertEqual(records[2]["pairs"], 2)

    def test_differing_variant(self):
        # A "hand" version that damages a message: an installation of its own.
        with tempfile.TemporaryDirectory() as prefix:
            folder = os.path.join(prefix, "libexec", "lapwing", MPIS[-1], "kernels")
            os.makedirs(folder)
            programs = os.path.join(BUILD, "libexec", "lapwing", MPIS[-1], "kernels")
            shutil.copy(os.path.join(programs, "heat-plain"), folder)
            wrong = os.path.join(folder, "heat-hand")
            with open(wrong, "w", encoding="utf-8") as script:
                script.write(f'#!/bin/sh\nexec {programs}/heat-hand "$@" --spoil\n')
            os.chmod(wrong, 0o755)
            done = drive(prefix, "--pairs", "1", "--ranks", "2")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertFalse(json.loads(done.stdout)["verified"])
            self.assertIn("hand gave checksum", done.stderr)

    def test_bad_names(self):
        done = drive(BUILD, "--kernel", "lu")
        self.assertEqual(done.returncode, 1)
        self.assertIn("There is no kernel or class 'lu'", done.stderr)


if __name__ == "__main__":
    unittest.main()
