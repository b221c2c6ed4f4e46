#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench-driver redistribute`: all cases, both MPIs, results equal to pdgemr2d's element by element."""
import unittest

from driver import MPIS, DriverTest


class Redistribute(DriverTest):
    def test_transfers(self):
        for mpi in MPIS:
            ranks = "2,4" if mpi == "openmpi" else "2"
            records = self.drive("redistribute", "--mpi", mpi, "--ranks", ranks, "--sizes", "50", "--pairs", "2", "--cases",
                                 "1,2,3,4,5")
            self.assertEqual(len(records), 5 * len(ranks.split(",")))
            for record in records:
                self.assert_fields(record, "case", "ranks", "n", "fresh_s", "persistent_s", "pdgemr2d_s", "fresh_vs_pdgemr2d",
                                   "persistent_vs_pdgemr2d", "memcpy_share", "persistent_s_lo", "persistent_s_hi")
                self.assertTrue(record["verified"], record)
                self.assertGreater(record["persistent_s"], 0)

    def test_small(self):
        for record in self.drive("redistribute", "--mpi", MPIS[-1], "--ranks", "2,4", "--pairs", "2", "--cases", "small"):
            self.assert_fields(record, "persistent_s", "hand_s", "slowdown", "control")
            self.assertTrue(record["verified"], record)

    def test_lists(self):
        records = self.drive("redistribute", "--mpi", MPIS[-1], "--ranks", "2", "--pairs", "2", "--cases", "lists", "--sizes", "500")
        self.assertEqual(len(records), 4)
        for record in records:
            self.assert_fields(record, "lists_s", "hand_s", "slowdown", "control", "fresh_s")
            self.assertTrue(record["verified"], record)
        self.assertGreater(records[0]["vs_closed"], 0)

    def test_construction(self):
        records = self.drive("redistribute", "--pairs", "2", "--construct")
        self.assertEqual(records[0]["case"], "CYCLIC(1000)/1024 -> CYCLIC(999)/1023")
        for record in records:
            self.assertTrue(record["verified"], record)
            self.assertEqual(record["n"], 10 ** 9)
            self.assertGreaterEqual(record["segments"], record["partners"])
        # That many indices would take longer than these segments by far; the bar is 10 ms.
        self.assertLess(records[0]["construct_cpu_ms"], 200)

    def test_bad_case(self):
        self.drive("redistribute", "--cases", "6", status=1)
        self.assertIn("no case '6'", self.errors)


if __name__ == "__main__":
    unittest.main()
