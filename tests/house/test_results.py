#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/results: takes the output of `lapwing bench NAME --json` as it is, and says where the page is out of date."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "results"
# As bench/lapwing_bench/programs.py prints them.
PROGRAM = {"bench": "programs", "case": "npb-cg", "size": "A", "mpi": "mpich", "transport": "netlab-tcp", "rate": "1gbit", "ranks": 2,
           "variant": "run", "speed": 1.012, "speed_lo": 0.99, "speed_hi": 1.03, "control": 1.0, "control_lo": 0.98, "control_hi": 1.02,
           "plain_s": 3.1, "plain_s_lo": 3.0, "plain_s_hi": 3.2, "variant_s": 3.0, "variant_s_lo": 3.0, "variant_s_hi": 3.1,
           "verified": True, "hung": 0, "plain_hung": 0, "pairs": 9, "fault": None, "verdict": "even"}
ABSENT = {**dict.fromkeys(PROGRAM), "bench": "programs", "case": "lu", "mpi": "mpich", "variant": "lto", "hung": 0, "pairs": 0,
          "fault": "does not build", "verdict": "absent"}


class Results(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "docs" / "results").mkdir(parents=True)

    def drop(self, *records, name="2026-12-01-programs.json"):
        (self.root / "docs" / "results" / name).write_text("".join(json.dumps(record) + "\n" for record in records))

    def tool(self, action):
        return subprocess.run([sys.executable, TOOL, action, "--root", self.root], capture_output=True, text=True, check=False)

    def page(self):
        done = self.tool("--write")
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.root / "docs" / "results.md").read_text()

    def test_output_of_a_benchmark_becomes_a_table(self):
        self.drop(PROGRAM, {**PROGRAM, "variant": "compiled", "speed": 0.95, "speed_lo": 0.94, "speed_hi": 0.96}, ABSENT)
        page = self.page()
        self.assertIn("2026-12-01, machine not stated: [`lapwing bench programs --json`]", page)
        self.assertIn("| npb-cg, run | MPICH | 1.01 (0.99 to 1.03) | 1.00 (0.98 to 1.02) |", page)
        self.assertIn("| npb-cg, compiled | MPICH | **0.95** (0.94 to 0.96) |", page)
        self.assertIn("| lu, lto | MPICH | **does not build** |", page)

    def test_the_first_line_may_say_more(self):
        self.drop({"about": {"title": "CG", "machine": "a laptop", "command": "lapwing bench programs D"}}, PROGRAM)
        self.assertIn("## CG\n\n2026-12-01, a laptop: [`lapwing bench programs D`](results/2026-12-01-programs.json)\n", self.page())

    def test_a_wrong_result_is_said(self):
        self.drop({**PROGRAM, "verified": False, "fault": "another checksum"})
        self.assertIn("**another checksum**", self.page())

    def test_a_page_that_is_out_of_date_is_found(self):
        self.drop(PROGRAM)
        self.page()
        self.assertEqual(self.tool("--check").returncode, 0)
        self.drop({**PROGRAM, "speed": 1.5})
        self.assertIn("is not the page", self.tool("--check").stdout)

    def test_a_file_that_is_no_output_is_refused(self):
        self.drop({"speed": 1})
        self.assertIn("neither a record", self.tool("--write").stderr)


if __name__ == "__main__":
    unittest.main()
