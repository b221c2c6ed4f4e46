# SPDX-License-Identifier: Apache-2.0
"""lapwing demo, on this host's own transport: results equal, table complete."""
import json
import re
import time
import unittest

from support import FLAVOURS, CommandTest

NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}


class Demo(CommandTest):
    def test_json(self):
        start = time.monotonic()
        found = json.loads(self.lapwing("demo", "--local", "--json", "--size", "1M", "--seconds", 6, status=0,
                                        timeout=150).stdout)
        self.assertLess(time.monotonic() - start, 120)
        self.assertTrue(found["equal"])
        self.assertEqual(found["hosts"], 1)
        self.assertEqual({(row["mpi"], row["program"]) for row in found["rows"]},
                         {(mpi, program) for mpi in FLAVOURS
                          for program in ("plain", "lapwing", "hand")})
        self.assertEqual(len({row["checksum"] for row in found["rows"]}), 1)
        for row in found["rows"]:
            self.assertGreater(row["seconds"], 0)
            self.assertRegex(row["checksum"], "^[0-9a-f]{16}$")

    def test_text(self):
        mpi = next(iter(FLAVOURS))
        text = self.lapwing("demo", "--local", "--mpi", mpi, "--size", "256K", "--seconds", 4, status=0,
                            timeout=150).stdout
        self.assertIn("Results: bitwise equal in all runs.", text)
        for title in ("plain program", "the same, with Lapwing", "rewritten by hand"):
            self.assertRegex(text, rf"(?m)^{NAMES[mpi]} +{re.escape(title)} ")

    def test_bad_size(self):
        self.assertIn("such as 4M", self.lapwing("demo", "--size", "tiny", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
