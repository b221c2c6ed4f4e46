#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench-driver programs`: a program that does not build, is wrong or hangs has a row that says so, and the rest go on."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from mpis import MPIS  # noqa: E402

BUILD = os.environ["LAPWING_BUILD"]
HERE = os.path.dirname(os.path.abspath(__file__))
FIELDS = ("bench", "case", "mpi", "variant", "speed", "speed_lo", "speed_hi", "control", "plain_s", "verified", "hung",
          "pairs", "verdict")


class Programs(unittest.TestCase):
    def drive(self, *options):
        with tempfile.TemporaryDirectory() as work:
            return subprocess.run([os.path.join(BUILD, "libexec", "lapwing", "bench-driver"), "programs",
                                   os.path.join(HERE, "sources"), "--prefix", BUILD, "--local", "--mpi", MPIS[0], "--work", work,
                                   "--recipes", os.path.join(HERE, "recipes"), "--variants", "run,compiled", *options],
                                  capture_output=True, text=True, timeout=100, check=False)

    def test_all(self):
        done = self.drive("--pairs", "1", "--json", "--only", "good|rate|unbuilt|wrong|hangs")
        rows = {(r["case"], r["variant"]): r for r in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(done.returncode, 1, done.stderr)   # a verification failed
        for case, time in (("good", 1.5), ("rate", None)):
            for variant in ("run", "compiled"):
                row = rows[case, variant]
                self.assertEqual([name for name in FIELDS if name not in row], [])
                self.assertTrue(row["verified"], row)
                pairs = 2 if time else 1   # `good` runs for less than two seconds
                self.assertEqual((row["speed"], row["pairs"], row["plain_s"], row["verdict"]), (1, pairs, time, "even"))
        for variant in ("run", "compiled", "best", "control"):
            mean = rows["geometric mean", variant]
            self.assertEqual((mean["speed"], mean["programs"], mean["verdict"]), (1, 2, "mean"))
        self.assertEqual(rows["unbuilt", "plain"]["verdict"], "absent")
        self.assertIn("cannot be built", rows["unbuilt", "plain"]["fault"])
        self.assertEqual((rows["wrong", "plain"]["verdict"], rows["wrong", "plain"]["verified"]), ("wrong", False))
        self.assertIn("sum 4", rows["wrong", "plain"]["fault"])
        self.assertEqual((rows["hangs", "plain"]["verdict"], rows["hangs", "plain"]["hung"]), ("hangs", 3))

    def test_by_hand(self):
        done = self.drive("--pairs", "1", "--json", "--only", "edited|misfit|rate", "--variants", "compiled,hand")
        rows = {(r["case"], r["variant"]): r for r in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(done.returncode, 0, done.stderr)
        edited = rows["edited", "hand"]
        self.assertEqual((edited["verdict"], edited["speed"], edited["verified"], edited["vs_hand"]), ("gain", 2, True, None))
        self.assertEqual((rows["edited", "compiled"]["speed"], rows["edited", "compiled"]["vs_hand"]), (1, 0.5))
        self.assertEqual(rows["misfit", "hand"]["verdict"], "absent")
        for word in ("misfit", "line 2 of", "MPI_Recv", "ten.c", "nowhere"):
            self.assertIn(word, rows["misfit", "hand"]["fault"])
        self.assertEqual((rows["misfit", "compiled"]["verdict"], rows["misfit", "compiled"]["vs_hand"]), ("even", None))
        self.assertNotIn(("rate", "hand"), rows)   # its recipe has no version by hand
        self.assertEqual(rows["geometric mean", "best"]["speed"], 1)   # of Lapwing's variants

    def test_hang_after_its_time(self):
        done = self.drive("--pairs", "1", "--variants", "compiled", "--only", "late|unbuilt")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        late = next(line for line in done.stdout.splitlines() if " late " in line).split()
        self.assertEqual(late[:4], ["even", "late", MPIS[0], "compiled"])
        self.assertIn("absent", done.stdout)

    def test_ranks(self):
        done = self.drive("--pairs", "1", "--json", "--variants", "run", "--only", "good|own", "--ranks", "3")
        rows = {r["case"]: r for r in map(json.loads, done.stdout.splitlines())}
        self.assertEqual((rows["own"]["ranks"], rows["own"]["verified"]), (2, True), done.stderr)   # as its recipe says
        self.assertEqual(rows["good"]["ranks"], 3)
        self.assertIn("sum 3", rows["good"]["fault"])   # three ranks have another sum

    def test_command_passes_options_on(self):
        """`lapwing bench programs DIR -- OPTIONS`: the command keeps its own options, and `--` ends with it."""
        for mark in ((), ("--",)):
            done = subprocess.run([os.path.join(BUILD, "bin", "lapwing"), "bench", "programs", "--json",
                                   os.path.join(HERE, "sources"), *mark, "--variants", "fast"],
                                  capture_output=True, text=True, timeout=30, check=False)
            self.assertIn("no variant fast", done.stderr)

    def test_sentences(self):
        for options, why in ((("--only", "nothing"), "No recipe"), (("--only", "("), "no regular expression"),
                             (("--variants", "fast"), "no variant fast"), (("--ranks", "2,4"), "one number of ranks"),
                             (("--ranks", "two"), "needs numbers")):
            done = self.drive(*options)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)
        done = self.drive("--only", "good", "--variants", "hand")
        self.assertIn("good is left out, it has no variant hand.", done.stderr)


if __name__ == "__main__":
    unittest.main()
