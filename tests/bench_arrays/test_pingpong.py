#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench-driver pingpong`: figure 5's steps and the fit."""
import os
import unittest

from driver import MPIS, DriverTest
from lapwing_bench.pingpong import STEPS, fit


class PingPong(DriverTest):
    def test_records(self):
        records = self.drive("pingpong", "--mpi", MPIS[-1], "--ranks", "2,4", "--pairs", "2", "--quick", "--sizes", "4K,64K")
        transfers = [r for r in records if not r["case"].startswith("fit")]
        # Of the two, only Open MPI is run with more ranks than cores.
        runs = 2 if MPIS[-1] == "openmpi" or os.cpu_count() >= 4 else 1
        self.assertEqual(len(transfers), 4 * runs)
        for record in transfers:
            self.assert_fields(record, "one_way_us", "hand_us", "slowdown", *STEPS)
            self.assertTrue(record["verified"], record)
            # Persistent ones have taken steps 1 to 4 before; each process sends to all of the other task.
            if record["case"] == "persistent":
                self.assertEqual([record[name] for name in STEPS[:4]], [0, 0, 0, 0])
                self.assertEqual(record["messages"], record["processes"])
        self.assertEqual([r["case"] for r in records[4 * runs:]], ["fit, fresh", "fit, persistent"] if runs == 2 else [])

    def test_fit(self):
        a, b = fit([(1, 5.0), (2, 7.0), (4, 11.0)])
        self.assertAlmostEqual(a, 2)
        self.assertAlmostEqual(b, 3)


if __name__ == "__main__":
    unittest.main()
