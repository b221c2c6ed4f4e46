#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page: what it says of entries that come out, fail or have not been run; and docs/papers.md is that of its files."""
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

from lapwing_reproduce import judge, page
from lapwing_reproduce.model import Absent, Entry, Grid, Measurement, Registry
from lapwing_reproduce.registry import full
from lapwing_reproduce.store import Store
from lapwing_reproduce.svg import Chart

ROOT = pathlib.Path(__file__).resolve().parents[2]


def registry():
    made = Registry()
    made.add(Measurement("m", None, (1, 1)), Measurement("n", None, (1, 1)),
             Entry("jade.T1", "Table 1. One", "It is so.", ("m",),
                   lambda parts: [judge.holds("small", "1", str(parts["m"]["value"]), parts["m"]["value"] < 2, "it is large")],
                   lambda parts: Grid(("x", "y"), (("a", parts["m"]["value"]),)),
                   lambda parts: Chart("One", "x", "y", (1, 2), [("a", (1, 2), False)])),
             Entry("jade.T2", "Table 2. Two", "It is not.", ("n",), lambda parts: []),
             Absent("jade.F1", "Figure 1", "A drawing."))
    made.check()
    return made


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.store = Store(self.folder)

    def keep(self, name, **fields):
        self.store.save(name, {"measurement": name, "quick": False, "date": "2026-01-02", "machine": "a machine", **fields})

    def text(self):
        return page.render(registry(), self.store, "pictures/")[0]

    def test_figures_and_verdicts(self):
        self.keep("m", data={"value": 1, "command": "lapwing bench m"})
        text = self.text()
        self.assertIn("It is so. **yes**", text)
        self.assertIn("| small | 1 | 1 | yes |", text)
        self.assertIn("![Table 1. One](pictures/jade.T1.svg)", text)
        self.assertIn("2026-01-02, a machine: `lapwing bench m`.", text)
        self.assertIn("Of 1 statements 1 come out (100%)", text)
        self.assertIn("not run: n", text)
        self.assertIn("| Figure 1 | A drawing. |", text)

    def test_what_does_not_come_out(self):
        self.keep("m", data={"value": 3})
        self.assertIn("**no**: it is large", self.text())

    def test_failures_have_their_row(self):
        self.keep("m", fault="It did not end within 3 s.")
        self.keep("n", data={})
        text = self.text()
        self.assertIn("**failed**", text)
        self.assertIn("m: It did not end within 3 s.", text)

    def test_figures_that_cannot_be_judged(self):
        self.keep("m", data={"other": 3})
        self.assertIn("could not be judged (KeyError", self.text())

    def test_names(self):
        made = registry()
        with self.assertRaisesRegex(ValueError, "twice"):
            made.add(Measurement("m", None, (1, 1)))
        made.add(Entry("jade.T9", "", "", ("none",), lambda parts: []))
        with self.assertRaisesRegex(ValueError, "jade.T9 needs none"):
            made.check()

    def test_the_committed_page(self):
        """`lapwing reproduce --render --folder docs/papers --page docs/papers.md` writes it."""
        store = Store(str(ROOT / "docs" / "papers"))
        text, judged = page.render(full(), store, "papers/")
        self.assertEqual([(one.entry.name, one.faults) for one in judged if one.faults or one.missing], [])
        self.assertEqual(text, (ROOT / "docs" / "papers.md").read_text(encoding="utf-8"))
        for one in judged:
            chart = one.chart()
            if chart:
                path = ROOT / "docs" / "papers" / (one.entry.name + ".svg")
                self.assertEqual(chart.svg(), path.read_text(encoding="utf-8"), path.name)


class Pictures(unittest.TestCase):
    def test_is_a_picture(self):
        for logarithmic in (False, True):
            text = Chart("A & B", "x", "y < z", (1, 2, 4), [("a", (1, None, 3), False), ("a", (0.5, 20, 300), True)], logarithmic).svg()
            root = xml.etree.ElementTree.fromstring(text)
            self.assertEqual(len(root.findall("{http://www.w3.org/2000/svg}polyline")), 2)
            self.assertIn("a, paper", text)

    def test_equal_and_missing_figures(self):
        for ys in ((1, 1, 1), (0, 0, 0), (None, None, None)):
            for logarithmic in (False, True):
                xml.etree.ElementTree.fromstring(Chart("t", "x", "y", (1, 2, 3), [("a", ys, False)], logarithmic).svg())


if __name__ == "__main__":
    unittest.main()
