#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts that succeed, fail, hang or end without a result; and what a second run does."""
import os
import sys
import tempfile
import time
import types
import unittest

from lapwing_reproduce import runner
from lapwing_reproduce.model import Measurement
from lapwing_reproduce.store import Store

SAVE = """
import json, sys
json.dump({"measurement": "good", "quick": True, "date": "2026-01-01", "machine": "m", "data": 7}, open(sys.argv[1], "w"))
open(sys.argv[2], "a").write("x")
"""
HANG = "import subprocess, time; subprocess.Popen(['sleep', '307']); time.sleep(300)"
FAIL = "import sys; print('some detail'); sys.exit('The matrix has no columns.')"


class Runner(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.store = Store(os.path.join(self.folder, "kept"))
        self.count = os.path.join(self.folder, "count")
        self.said = []

    def run_parts(self, *names, quick=True, again=False, limit=2):
        programs = {"good": SAVE, "hangs": HANG, "fails": FAIL, "silent": ""}
        parts = [Measurement(name, None, (1, 1)) for name in names]
        options = types.SimpleNamespace(quick=quick, again=again, limit=limit)
        return runner.run(parts, self.store, lambda name: [sys.executable, "-c", programs[name], self.store.path("good"), self.count],
                          options, self.said.append)

    def test_the_others_go_on(self):
        begin = time.monotonic()
        self.assertEqual(self.run_parts("fails", "hangs", "silent", "good", limit=3), ["fails", "hangs", "silent"])
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(self.store.load("fails")["fault"], "The matrix has no columns.")
        self.assertIn("did not end within 3 s", self.store.load("hangs")["fault"])
        self.assertIn("without a result", self.store.load("silent")["fault"])
        self.assertEqual(self.store.load("good")["data"], 7)
        self.assertFalse(any("sleep\0" "307" in words for words in _commands()), "a program of the one that hung is left")

    def test_what_is_there_is_kept(self):
        for again, runs in ((False, 1), (False, 1), (True, 2)):
            self.assertEqual(self.run_parts("good", again=again), [])
            self.assertEqual(os.path.getsize(self.count), runs)
        self.assertTrue(any("1 of 1 parts are there already" in text for text in self.said))

    def test_failures_are_tried_again(self):
        self.run_parts("fails")
        self.said.clear()
        self.assertEqual(self.run_parts("fails"), ["fails"])

    def test_quick_is_not_enough_for_a_full_run(self):
        self.run_parts("good")
        self.assertTrue(self.store.finished("good", quick=True))
        self.assertFalse(self.store.finished("good", quick=False))

    def test_a_failure_replaces_no_success(self):
        self.run_parts("good")
        self.store.save("good", {"measurement": "good", "fault": "later"})
        self.assertEqual(self.store.load("good")["data"], 7)

    def test_half_a_file_is_none(self):
        os.makedirs(self.store.folder)
        with open(self.store.path("good"), "w", encoding="utf-8") as stream:
            stream.write('{"measurement": "go')
        self.assertIsNone(self.store.load("good"))
        self.assertEqual(self.run_parts("good"), [])
        self.assertEqual(self.store.load("good")["data"], 7)


def _commands():
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", encoding="utf-8", errors="replace") as stream:
                yield stream.read()
        except OSError:
            pass


if __name__ == "__main__":
    unittest.main()
