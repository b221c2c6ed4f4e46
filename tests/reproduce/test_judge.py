#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on figures whose verdict is known."""
import unittest

from lapwing_reproduce import judge
from lapwing_reproduce.model import Claim

XS = (1, 2, 4, 8)


class Judge(unittest.TestCase):
    def test_winner(self):
        paper = ((10, 6, 4, 3), (10, 8, 6, 3))
        self.assertTrue(judge.winner("w", XS, paper, ((20, 12, 8, 6), (20, 13, 9, 5))).holds)   # equal in the paper at 1 and 8
        lost = judge.winner("w", XS, paper, ((20, 12, 9, 6), (20, 13, 8, 6)))
        self.assertFalse(lost.holds)
        self.assertEqual((lost.paper, lost.here), ("differ at 2 of 4", "the same one at 1 of 2"))
        self.assertIn("at 4", lost.why)
        self.assertFalse(judge.winner("w", XS, paper, ((1, 1, 1, 1), (1, 1, 1, 1))).holds)   # no winner is not the same one
        self.assertIsNone(judge.winner("w", XS, (paper[0], paper[0]), paper).holds)

    def test_the_paper_lacks_a_figure(self):
        paper = ((10, None, 4, 3), (10, 8, 6, None))
        self.assertEqual(judge.winner("w", XS, paper, ((10, 1, 4, 3), (10, 1, 6, 3))).paper, "differ at 1 of 2")

    def test_factor(self):
        paper = ((10, 10, 10, 10), (15, 15, 15, 15))
        for here, holds, why in ((1.3, True, ""), (1.9, True, ""), (1.1, False, "a smaller effect"), (2.2, False, "a larger effect"),
                                 (0.8, False, "the other way round")):
            claim = judge.factor("f", XS, paper, ((10,) * 4, (10 * here,) * 4))
            self.assertEqual((claim.holds, claim.why), (holds, why), here)
            self.assertEqual(claim.paper, "1.50")
        self.assertTrue(judge.factor("f", XS, paper, ((10,) * 4, (1, 1, 1, 15)), where=(8,)).holds)

    def test_turning_point(self):
        paper = (10, 6, 3, 4)
        self.assertTrue(judge.turn("t", XS, paper, (10, 5, 4, 3)).holds)    # the next one
        claim = judge.turn("t", XS, paper, (3, 5, 6, 7))
        self.assertFalse(claim.holds)
        self.assertEqual((claim.paper, claim.here), ("at 4", "at 1"))

    def test_no_effect(self):
        self.assertTrue(judge.no_effect("n", XS, ((10,) * 4, (10.4,) * 4)).holds)
        claim = judge.no_effect("n", XS, ((10,) * 4, (10, 10, 9, 10)), ((10,) * 4, (10,) * 4))
        self.assertFalse(claim.holds)
        self.assertIn("10.0% (at 4)", claim.here)
        self.assertTrue(judge.no_effect("n", XS, ((10,) * 4, (10, 10, 9, 10)), where=(1, 2, 8)).holds)

    def test_order(self):
        self.assertTrue(judge.order("o", XS, ("a", "b"), ((1, 2, 3, 4), (1, 3, 3, 5))).holds)
        claim = judge.order("o", XS, ("a", "b"), ((1, 2, 3, 6), (1, 3, 3, 5)))
        self.assertFalse(claim.holds)
        self.assertIn("at 8", claim.here)
        self.assertTrue(judge.order("o", XS, ("a", "b"), ((1, 3, 3, 6), (1, 2, 3, 5)), rising=False).holds)

    def test_of_an_entry(self):
        def claims(*values):
            return [Claim("", "", "", value) for value in values]
        self.assertEqual(judge.verdict(claims(True, None)), "yes")
        self.assertEqual(judge.verdict(claims(True, False)), "in part")
        self.assertEqual(judge.verdict(claims(False)), "no")
        self.assertIsNone(judge.verdict(claims(None)))


if __name__ == "__main__":
    unittest.main()
