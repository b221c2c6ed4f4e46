# SPDX-License-Identifier: Apache-2.0
"""lapwing run --compare: which outputs count as equal, and what is said."""
import json
import unittest

from support import FLAVOURS, CommandTest, probe

DIFFERENT = 123


class Compare(CommandTest):
    def compare(self, *arguments, status, flavour="mpich", **options):
        words = ["run", "--compare", *arguments[:-1], "-n", 2, probe(flavour), *arguments[-1]]
        return self.lapwing(*words, status=status, **options)

    def test_equal(self):
        for flavour in FLAVOURS:
            with self.subTest(flavour):
                result = self.compare("--pairs", 1, ["lines"], status=0, flavour=flavour)
                self.assertIn("standard output: equal, byte for byte", result.stdout)
                self.assertIn("without Lapwing", result.stdout)
                self.assertIn("(1 pair;", result.stdout)

    def test_another_order(self):
        result = self.compare("--pairs", 1, ["order"], status=0)
        self.assertIn("equal lines, in another order", result.stdout)

    def test_different(self):
        result = self.compare("--pairs", 2, ["differ"], status=DIFFERENT)
        self.assertIn("DIFFERENT", result.stdout)
        self.assertIn("\n-answer right\n", result.stdout)
        self.assertIn("\n+answer wrong\n", result.stdout)
        self.assertNotIn("\n-same", result.stdout)

    def test_lines_that_always_vary(self):
        for pairs in (2, 1):   # with one pair, the plain run is repeated
            result = self.compare("--pairs", pairs, ["vary"], status=0)
            self.assertIn("equal, but for 1 line that differs between runs without Lapwing too", result.stdout)
        self.assertIn("running it again without Lapwing", result.stderr)
        self.compare("--pairs", 1, "--ignore", "^took", ["vary"], status=0)

    def test_words_units_addresses_and_how_many_lines(self):
        result = self.compare("--pairs", 4, ["words"], status=0)
        self.assertIn("equal, but for", result.stdout)
        for pairs in (1, 4):
            result = self.compare("--pairs", pairs, ["words", "wrong"], status=DIFFERENT)
            self.assertIn("+the answer is wrong", result.stdout)
            self.assertIn("runs without Lapwing agree where this differs", result.stderr)

    def test_a_wrong_result_beside_a_time(self):
        result = self.compare("--pairs", 2, ["vary", "wrong"], status=DIFFERENT)
        self.assertIn("DIFFERENT", result.stdout)
        self.assertIn("result 42", result.stdout)
        self.assertIn("result 41", result.stdout)

    def test_a_bad_expression(self):
        self.assertIn("--ignore", self.compare("--pairs", 1, "--ignore", "(", ["vary"], status=2).stderr)

    def test_files_of_the_program(self):
        file = self.folder / "result"
        result = self.compare("--pairs", 1, "--output", file, ["write", file], status=0)
        self.assertIn(f"{file}: equal, byte for byte", result.stdout)
        result = self.compare("--pairs", 1, "--output", file, "--env", "DIFFER=1", ["write", file],
                              status=DIFFERENT,
                              env={"DIFFER": "1"})
        self.assertIn(f"{file}: DIFFERENT", result.stdout)
        result = self.compare("--pairs", 1, "--output", self.folder / "other", ["write", file], status=125)
        self.assertIn("has not written", result.stderr)

    def test_every_run_gets_the_same_input(self):
        result = self.compare("--pairs", 1, ["cat"], status=0, stdin="one\ntwo\n")
        self.assertIn("byte for byte", result.stdout)
        result = self.compare("--pairs", 1, ["cat"], status=0, stdin="")
        self.assertIn("byte for byte", result.stdout)

    def test_a_failing_program(self):
        result = self.compare("--pairs", 1, ["exit", 5], status=5)
        self.assertIn("without Lapwing ended with status 5", result.stderr)

    def test_json_and_interval(self):
        result = self.compare("--pairs", 6, "--json", ["exit", 0], status=0)
        found = json.loads(result.stdout)
        self.assertTrue(found["equal"])
        self.assertEqual(found["outputs"], {"standard output": "bitwise"})
        self.assertEqual(found["varying_lines"], {"standard output": 0})
        self.assertEqual(found["plain_runs"], 6)
        self.assertEqual((len(found["plain_s"]), len(found["lapwing_s"])), (6, 6))
        self.assertLessEqual(found["ratio_low"], found["ratio"])
        self.assertLessEqual(found["ratio"], found["ratio_high"])
        self.assertGreaterEqual(found["confidence"], 0.95)
        found = json.loads(self.compare("--pairs", 1, "--json", ["differ"], status=DIFFERENT).stdout)
        self.assertFalse(found["equal"])

    def test_what_waited(self):
        for flavour in FLAVOURS:
            with self.subTest(flavour):
                found = json.loads(self.compare("--pairs", 1, "--json", ["lines"], status=0,
                                                flavour=flavour).stdout)
                self.assertEqual(found["standing_aside"], "")
                self.assertGreater(found["exposed_before_s"], 0)
                self.assertGreaterEqual(found["exposed_after_s"], 0)


if __name__ == "__main__":
    unittest.main()
