#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/options-table: finds documents and sources that do not agree with the table of options, and mends documents."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "options-table"


class OptionsTable(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("README.md", "CONTRIBUTING.md", "src/options/options.def", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)

    def tool(self, action):
        return subprocess.run([sys.executable, TOOL, action, "--root", self.root], capture_output=True, text=True, check=False)

    def change(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        (self.root / name).write_text(text.replace(old, new, 1))

    def test_a_changed_default_is_found_and_mended(self):
        self.change("src/options/options.def", '"8K"', '"4K"')
        found = self.tool("--check")
        self.assertEqual(found.returncode, 1)
        self.assertIn("README.md: its table of options is not that of", found.stdout)
        self.assertEqual(self.tool("--write").returncode, 0)
        self.assertEqual(self.tool("--check").stdout, "")
        self.assertIn("| `--strip-first` | `LAPWING_STRIP_FIRST=BYTES` | 4K |", (self.root / "README.md").read_text())

    def test_a_change_of_a_document_is_found(self):
        self.change("docs/tasks.md", "| `LAPWING_TASKS_LEND=", "| `LAPWING_TASKS_LENT=")
        self.assertIn("docs/tasks.md: its table", self.tool("--check").stdout)

    def test_a_part_that_no_document_shows_is_found(self):
        self.change("docs/tasks.md", "<!-- options: tasks -->", "<!-- optional: tasks -->")
        self.assertIn("no document has the table of 'tasks'", self.tool("--check").stdout)

    def test_a_variable_that_is_not_in_the_table_is_found(self):
        (self.root / "src" / "new.cpp").write_text('auto a = std::getenv("LAPWING_DEFER");\nauto b = std::getenv("LAPWING_NEW");\n')
        self.assertEqual(self.tool("--check").stdout, "src/new.cpp:2: LAPWING_NEW is not in src/options/options.def\n")


if __name__ == "__main__":
    unittest.main()
