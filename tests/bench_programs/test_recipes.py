#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recipes may say, and the sentences about those that cannot be used."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.environ["LAPWING_BUILD"], "libexec", "lapwing"))
from lapwing_bench import programs_recipe as recipe   # noqa: E402
from lapwing_bench.errors import BenchError           # noqa: E402
from lapwing_bench.programs_edits import Edits        # noqa: E402

GOOD = """
[program]
source = here
[build]
commands = cc a.c
program = a.out
[run]
arguments = 5 6
[verify]
equal = energy (\\S+)
tolerance = 1e-6
[time]
line = took (\\S+) s
[quick]
arguments = 1
"""


class Recipes(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def read(self, text, quick=False):
        path = pathlib.Path(self.folder, "x.recipe")
        path.write_text(text)
        return recipe.Recipe(str(path), quick)

    def refused(self, text, why):
        with self.assertRaises(BenchError) as raised:
            self.read(text)
        self.assertIn(why, str(raised.exception))
        self.assertTrue(str(raised.exception).endswith("."), raised.exception)

    def test_good(self):
        one = self.read(GOOD)
        self.assertEqual(one.arguments, ["5", "6"])
        self.assertEqual(one.size, "full")
        self.assertEqual(self.read(GOOD, quick=True).arguments, ["1"])
        lines = ["energy 2.0", "took 0.5 s", "took 9 s"]
        self.assertEqual(one.seconds(lines), 0.5)
        self.assertEqual(one.results(lines), ["2.0"])

    def test_faults(self):
        one = self.read(GOOD)
        self.assertIsNone(one.fault(["energy 2.0000001"], ["2.0"]))
        self.assertIn("instead of", one.fault(["energy 2.1"], ["2.0"]))
        self.assertIn("no line", one.fault([], None))
        self.assertIn("2 lines", one.fault(["energy 2.0", "energy 2.0"], ["2.0"]))

    def test_rate(self):
        one = self.read(GOOD.replace("line = took (\\S+) s", "line = rate (\\S+)\nkind = rate\nseconds = took (\\S+)"))
        self.assertEqual(one.seconds(["rate 4", "took 3 s"]), 0.25)
        self.assertEqual(one.shown_seconds(["rate 4", "took 3 s"]), 3)

    def test_sentences(self):
        self.refused("source = here", "cannot be read")
        self.refused(GOOD + "[colour]\nx = 1\n", "no section [colour]")
        self.refused(GOOD.replace("commands", "command"), "no key `command`")
        self.refused(GOOD.replace("source = here", "about = nothing"), "either `source`")
        self.refused(GOOD.replace("program = a.out\n", ""), "[build] needs")
        self.refused(GOOD.replace("equal = energy (\\S+)\n", ""), "[verify] needs")
        self.refused(GOOD.replace("(\\S+) s", "S"), "group in")
        self.refused(GOOD.replace("(\\S+) s", "(\\S+ s"), "no regular expression")
        self.refused(GOOD.replace("1e-6", "small"), "is a number, not small")
        self.refused(GOOD.replace("took (\\S+) s", "took (\\S+) s\nkind = speed"), "seconds or rate")

    def test_hand(self):
        self.assertIsNone(self.read(GOOD).hand)
        self.assertEqual(self.read(GOOD + "[hand]\nedits = x.edits\n").hand, "x.edits")
        self.refused(GOOD + "[hand]\n", "[hand] needs")
        self.refused(GOOD.replace("source = here", "command = here") + "[hand]\nedits = x.edits\n", "[hand] needs")

    def edited(self, edits, source="one\ntwo\nthree\n"):
        pathlib.Path(self.folder, "x.edits").write_text(edits)
        pathlib.Path(self.folder, "a.c").write_text(source)
        Edits(os.path.join(self.folder, "x.edits"), "x").apply(self.folder)
        return pathlib.Path(self.folder, "a.c").read_text()

    def not_edited(self, edits, *words, source="one\ntwo\nthree\n"):
        with self.assertRaises(BenchError) as raised:
            self.edited(edits, source)
        for word in ("The recipe x has", "x.edits", *words):
            self.assertIn(word, str(raised.exception))

    def test_edits(self):
        self.assertEqual(self.edited("# a\n@@ a.c ^two\\n\n#2\n\n@@ a.c t()hr\n-"), "one\n#2\n\nt-hree\n")
        self.assertEqual(self.edited("@@ a.c ^one\n2\n3\n@@ a.c 3\n4"), "2\n4\n\ntwo\nthree\n")   # sees the edit before it
        self.assertEqual(self.edited("@@ a.c \\A()one\n+", "one\r\n"), "+one\n")

    def test_edits_that_do_not_fit(self):
        self.not_edited("@@ a.c four\n-\n", "line 1 of", "`four`", "a.c", "nowhere")
        self.not_edited("# a\n@@ a.c o\n-\n", "line 2 of", "`o`", "a.c", "2 places")
        self.not_edited("@@ a.c one|(two)\n", "a.c", "3 places", source="one\none\ntwo\n")
        self.not_edited("@@ a.c one|(four)\n", "a.c", "matches nothing")
        self.not_edited("@@ b.c one\n", "no file b.c")
        self.not_edited("@@ ../a.c one\n", "below the sources")
        self.not_edited("@@ a.c (\n", "no regular expression")
        self.not_edited("@@ a.c\n", "@@ FILE REGEX")
        self.not_edited("here\n@@ a.c one\n", "only comments")
        self.not_edited("# nothing\n", "no edit")
        with self.assertRaises(BenchError) as raised:
            Edits(os.path.join(self.folder, "y.edits"), "x")
        self.assertIn("y.edits cannot be read", str(raised.exception))

    def test_shipped(self):
        folder = os.path.join(os.environ["LAPWING_BUILD"], "libexec", "lapwing", "recipes")
        for quick in (False, True):
            recipes, faults = recipe.find(folder, None, quick)
            self.assertEqual(faults, [])
            self.assertGreater(len(recipes), 10)
            by_hand = [one for one in recipes if one.hand]
            self.assertGreater(len(by_hand), 4)
            for one in by_hand:
                self.assertTrue(Edits(os.path.join(one.folder, one.hand), one.name).edits)


if __name__ == "__main__":
    unittest.main()
