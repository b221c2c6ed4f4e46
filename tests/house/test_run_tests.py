#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/run-tests: what fails alone fails the run; what passes then is named; many failures are not tried again."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "run-tests"
PRESETS = {"version": 6, "configurePresets": [{"name": "p", "generator": "Ninja", "binaryDir": "${sourceDir}/build/p"}],
           "testPresets": [{"name": "p", "configurePreset": "p"}]}
FLAKY = "test -e {0} || {{ touch {0}; exit 1; }}"


class RunTests(unittest.TestCase):
    def run_tests(self, **tests):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for part in ("tools", "build/p"):
                (tree / part).mkdir(parents=True)
            shutil.copy(TOOL, tree / "tools")
            (tree / "CMakePresets.json").write_text(json.dumps(PRESETS))
            (tree / "build/p/CTestTestfile.cmake").write_text(
                "".join(f'add_test({name} "/bin/sh" "-c" "{words.format(tree / name)}")\n' for name, words in tests.items()))
            return subprocess.run([tree / "tools" / "run-tests", "p"], capture_output=True, text=True, timeout=60, check=False)

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


if __name__ == "__main__":
    unittest.main()
