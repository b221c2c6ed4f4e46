#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/costs: the processor time of all that a test or a step of a build starts, and of no waiting."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BURN = "import time\nwhile time.process_time() < 0.3: pass\n"
PRESETS = {"version": 6, "configurePresets": [{"name": "p", "generator": "Ninja", "binaryDir": "${sourceDir}/build/p"}]}
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES NONE)
add_custom_target(burning ALL COMMAND %s ${CMAKE_SOURCE_DIR}/burn.py)
"""


class Costs(unittest.TestCase):
    def setUp(self):
        self.tree = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for part in ("tools/costs", "cmake/LapwingCosts.cmake"):
            (self.tree / part).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / part, self.tree / part)
        (self.tree / "CMakePresets.json").write_text(json.dumps(PRESETS))
        (self.tree / "burn.py").write_text(BURN)

    def costs(self, *words):
        done = subprocess.run([sys.executable, "-B", self.tree / "tools" / "costs", *words], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def written(self, folder):
        """{name: (processor seconds, seconds, status)}"""
        rows = [line.split("\t") for line in (self.tree / "build" / folder / "costs.tsv").read_text().splitlines()]
        return {name: (float(spent), float(wall), int(status)) for spent, wall, status, name in rows}

    def test_tests(self):
        (self.tree / "build" / "p").mkdir(parents=True)
        # Ranks, too, may outlive the one who started them.
        tests = {"left_behind": f"({sys.executable} {self.tree}/burn.py &); true", "waits": "sleep 0.6; exit 3", "other": "true"}
        (self.tree / "build" / "p" / "CTestTestfile.cmake").write_text(
            "".join(f'add_test({name} "/bin/sh" "-c" "{words}")\n' for name, words in tests.items()))
        said = self.costs("tests", "p", "-R", "left|waits")
        found = self.written("p")
        self.assertEqual(sorted(found), ["left_behind", "waits"])
        self.assertGreater(found["left_behind"][0], 0.25)
        self.assertEqual(found["left_behind"][2], 0)
        self.assertLess(found["waits"][0], 0.2)
        self.assertGreater(found["waits"][1], 0.55)
        self.assertEqual(found["waits"][2], 3)
        self.assertLess(said.index("left_behind"), said.index("waits"))
        self.costs("tests", "p")   # goes on with the rest
        self.assertEqual(sorted(self.written("p")), ["left_behind", "other", "waits"])

    def test_build(self):
        (self.tree / "CMakeLists.txt").write_text(PROJECT % sys.executable)
        self.costs("build", "p", "all")
        (name, (spent, _, status)), = self.written("costs/p").items()
        self.assertIn("burn.py", name)
        self.assertGreater(spent, 0.25)
        self.assertEqual(status, 0)


if __name__ == "__main__":
    unittest.main()
