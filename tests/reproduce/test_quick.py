#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`lapwing reproduce --quick --only` of a cheap experiment, twice: the second time it is there already."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

LAPWING = sys.argv.pop(1)


class Quick(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def reproduce(self, *words):
        return subprocess.run([LAPWING, "reproduce", *words], capture_output=True, text=True, cwd=self.folder, timeout=280, check=False)

    def test_from_end_to_end(self):
        first = self.reproduce("--quick", "--only", "jade.T9$", "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        record = json.loads(first.stdout)
        self.assertEqual(record["reproduce"], "jade.T9")
        self.assertTrue(record["claims"])
        self.assertIn("1 of 1: jade.replay.ocean", first.stderr)
        names = os.listdir(os.path.join(self.folder, "lapwing-papers"))
        self.assertLessEqual({"jade.replay.ocean.json", "jade.T9.svg", "papers.md"}, set(names))
        again = self.reproduce("--quick", "--only", "jade.T9$", "--json")
        self.assertIn("1 of 1 parts are there already", again.stderr)
        self.assertEqual(again.stdout, first.stdout)

    def test_what_it_lacks(self):
        lacking = self.reproduce("--quick", "--only", "jade.T10")
        self.assertEqual(lacking.returncode, 1)
        self.assertIn("It needs --matrix", lacking.stderr)
        self.assertIn("jade.T10", lacking.stdout)

    def test_wrong_words(self):
        for words, said in ((["--only", "nothing"], "nothing is called nothing"), (["--only", "("], "no regular expression")):
            wrong = self.reproduce(*words)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(said, wrong.stderr)

    def test_list(self):
        listed = self.reproduce("--list")
        self.assertEqual(listed.returncode, 0)
        for name in ("jade.replay.water", "jade.T14", "without a counterpart"):
            self.assertIn(name, listed.stdout)


if __name__ == "__main__":
    unittest.main()
