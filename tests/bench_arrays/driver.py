# SPDX-License-Identifier: Apache-2.0
"""Runs the driver and checks that records have what they must have."""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from mpis import MPIS  # noqa: E402

BUILD = os.environ.get("LAPWING_BUILD", "")


class DriverTest(unittest.TestCase):
    def drive(self, *options, status=0):
        done = subprocess.run([os.path.join(BUILD, "libexec", "lapwing", "bench-driver"), *options, "--prefix", BUILD, "--local",
                               "--json"], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.errors = done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def assert_fields(self, record, *names):
        self.assertEqual([name for name in names if name not in record], [], record)
