#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/run-tests: what fails alone fails the run; what passes then is named; many failures are not tried again; what
another preset lacks is built meanwhile, and ends with the run."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "run-tests"
PRESETS = {"version": 6,
           "configurePresets": [{"name": name, "generator": "Ninja", "binaryDir": f"${{sourceDir}}/build/{name}"} for name in "pq"],
           "buildPresets": [{"name": name, "configurePreset": name} for name in "pq"], "testPresets": [{"name": "p", "configurePreset": "p"},
                           {"name": "few", "configurePreset": "p", "filter": {"exclude": {"name": "wrong"}}}]}
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(q LANGUAGES NONE)
add_custom_target(lapwing_unit_tests COMMAND %s)
"""
FLAKY = "test -e {0} || {{ touch {0}; exit 1; }}"


class RunTests(unittest.TestCase):
    def run_tests(self, meanwhile=None, limit=None, first="", preset="", **tests):
        """With what else is to be built meanwhile, a command, the seconds that the tests may take, what is built first, and the
        preset of the tests."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for part in ("tools", "build/p"):
                (tree / part).mkdir(parents=True)
            shutil.copy(TOOL, tree / "tools")
            (tree / "CMakePresets.json").write_text(json.dumps(PRESETS))
            (tree / "build/p/CTestTestfile.cmake").write_text(
                "".join(f'add_test({name} "/bin/sh" "-c" "{words.format(tree / name)}")\n' for name, words in tests.items()))
            if meanwhile:
                (tree / "CMakeLists.txt").write_text(PROJECT % meanwhile.format(tree))
            return subprocess.run([tree / "tools" / "run-tests", "p", *("q" if meanwhile else "")], capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, "TEST_LIMIT": str(limit or ""), "BUILD_FIRST": first, "TEST_PRESET": preset})

    def test_all_pass(self):
        done = self.run_tests(a="true", b="true")
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("run-tests:", done.stdout)

    def test_second_try(self):
        done = self.run_tests(a="true", b=FLAKY)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("passed at the second try only, look at them: b", done.stdout)

    def test_one_that_fails(self):
        done = self.run_tests(a="false", b=FLAKY)
        self.assertNotEqual(done.returncode, 0, done)
        self.assertIn("once more, one at a time: a b", done.stdout)

    def test_many_that_fail(self):
        done = self.run_tests(a=FLAKY, b=FLAKY, c=FLAKY, d=FLAKY)
        self.assertNotEqual(done.returncode, 0, done)
        self.assertNotIn("once more", done.stdout)

    def test_what_is_built_meanwhile(self):
        # The test waits for what the build makes: they run at the same time.
        done = self.run_tests("touch {0}/made", made="until test -e {0}; do sleep 0.1; done")
        self.assertEqual(done.returncode, 0, done)

    def test_what_is_built_first(self):
        done = self.run_tests("touch {0}/made", first="lapwing_unit_tests", made="test -e {0}")
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("second try", done.stdout)
        done = self.run_tests("false", first="lapwing_unit_tests", made="touch {0}")
        self.assertNotEqual(done.returncode, 0, done)
        self.assertNotIn("Test project", done.stdout)

    def test_another_preset_of_the_same_tree(self):
        # It leaves out the test that fails.
        done = self.run_tests(preset="few", a="true", wrong="false")
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("wrong", done.stdout)

    def test_what_cannot_be_built_meanwhile(self):
        done = self.run_tests("false", a="true")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("could not be built", done.stdout)

    def test_tests_that_take_too_long(self):
        begun = time.monotonic()
        done = self.run_tests(limit=2, a="sleep 50")
        self.assertNotEqual(done.returncode, 0, done)
        self.assertLess(time.monotonic() - begun, 40)

    def test_the_limit_is_of_the_tests_alone(self):
        done = self.run_tests("sleep 4", limit=2, a="true")
        self.assertEqual(done.returncode, 0, done)

    def test_a_failure_ends_what_is_built(self):
        begun = time.monotonic()
        done = self.run_tests("sleep 50", a="sleep 1; false", b="false", c="false", d="false")
        self.assertNotEqual(done.returncode, 0, done)
        self.assertLess(time.monotonic() - begun, 40)


if __name__ == "__main__":
    unittest.main()
