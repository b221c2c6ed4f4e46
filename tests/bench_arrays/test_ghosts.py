#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench-driver ghosts`: all cases, both MPIs, ghosts equal to those of the exchange by hand."""
import unittest

from driver import MPIS, DriverTest


class Ghosts(DriverTest):
    def test_records(self):
        for mpi in MPIS:
            records = self.drive("ghosts", "--mpi", mpi, "--ranks", "2", "--sizes", "6", "--pairs", "2", "--cases",
                                 "rows,pencils,points,grid")
            self.assertEqual([r["case"] for r in records], ["rows", "pencils", "points", "grid"])
            for record in records:
                self.assert_fields(record, "persistent_s", "blocking_s", "hand_s", "vs_hand", "vs_hand_lo", "control", "hidden",
                                   "hand_hidden", "persistent_cpu_s")
                self.assertTrue(record["verified"], record)
                self.assertEqual(record["bytes"], 6 * 6 * 8)

    def test_corners(self):
        # 2 x 2 x 1 processes: two faces and an edge each.
        if "openmpi" in MPIS:
            records = self.drive("ghosts", "--mpi", "openmpi", "--ranks", "4", "--sizes", "6", "--pairs", "2", "--cases", "grid")
            self.assertEqual([(r["case"], r["bytes"], r["verified"]) for r in records], [("grid", (2 * 36 + 6) * 8, True)])

    def test_bad_case(self):
        self.drive("ghosts", "--cases", "planes", status=1)
        self.assertIn("no case 'planes'", self.errors)


if __name__ == "__main__":
    unittest.main()
