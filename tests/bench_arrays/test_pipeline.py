#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench-driver pipeline`: both programs agree, and what is replayed is what was counted."""
import unittest

from driver import MPIS, DriverTest


class Pipeline(DriverTest):
    def test_records(self):
        records = self.drive("pipeline", "--mpi", MPIS[-1], "--ranks", "8", "--pairs", "2", "--quick", "--sizes", "16,32",
                             "--cases", "fft")
        self.assertEqual([r["case"] for r in records], ["timed"] * 2 + ["replayed, this", "replayed, SP"] * 2)
        for record in records:
            self.assert_fields(record, "parallel_s", "pipeline_s", "pipeline_vs_parallel", "parallel_messages",
                               "pipeline_messages")
            self.assertTrue(record["verified"], record)
            if record["ranks"] == 8:
                self.assertEqual((record["parallel_messages"], record["pipeline_messages"]), (7, 4))

    def test_landed(self):
        records = self.drive("pipeline", "--mpi", MPIS[0], "--pairs", "2", "--quick", "--sizes", "64", "--cases", "landed")
        self.assertEqual([(r["case"], r["n"]) for r in records], [("landed", 64)])
        self.assert_fields(records[0], "whole_s", "landed_s", "transfer_s", "compute_s", "landed_vs_whole", "hidden")
        self.assertTrue(records[0]["verified"], records)


if __name__ == "__main__":
    unittest.main()
