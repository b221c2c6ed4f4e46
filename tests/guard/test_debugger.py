#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a guarded program under gdb: with userfaultfd no touch stops in the
debugger, with mprotect it goes on once gdb is told to pass the two signals.

Usage: test_debugger.py PROGRAM       ends with 77 where there is no gdb.
"""
import shutil
import subprocess
import sys
import unittest

PROGRAM = ""
PASS = ["-ex", "handle SIGSEGV SIGSYS nostop noprint pass"]


class Debugger(unittest.TestCase):
    def run_under_gdb(self, backend, *options):
        done = subprocess.run(["gdb", "-nx", "-batch", *options, "-ex", "run", "--args", PROGRAM, backend],
                              capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr

    def test_userfaultfd_never_stops(self):
        out = self.run_under_gdb("userfaultfd")
        if "skipped:" in out:
            self.skipTest(out)
        self.assertIn("bytes right", out)
        self.assertIn("exited normally", out)
        self.assertNotIn("received signal", out)

    def test_mprotect_goes_on_with_signals_passed(self):
        out = self.run_under_gdb("mprotect", *PASS)
        self.assertIn("bytes right", out)
        self.assertIn("exited normally", out)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if not shutil.which("gdb"):
        sys.exit(77)
    unittest.main(verbosity=2)
