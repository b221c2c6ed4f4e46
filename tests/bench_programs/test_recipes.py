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
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def read(self, text, quick=False):
        path = pathlib.Path(self.folder.name, "x.recipe")
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

    def test_shipped(self):
        folder = os.path.join(os.environ["LAPWING_BUILD"], "libexec", "lapwing", "recipes")
        for quick in (False, True):
            recipes, faults = recipe.find(folder, None, quick)
            self.assertEqual(faults, [])
            self.assertGreater(len(recipes), 10)


if __name__ == "__main__":
    unittest.main()
