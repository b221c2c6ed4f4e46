#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The simulation against what can be reckoned by hand."""
import unittest

from lapwing_bench import replay


class Replay(unittest.TestCase):
    def test_one_message(self):
        network = replay.Network(2.0, 3.0, 0.5)
        marks = replay.replay([iter([("compute", 1.0), ("send", 1, 10, 0), ("mark", "a")]),
                               iter([("recv", 0, 0), ("mark", "b")])], network)
        self.assertEqual(marks, {(0, "a"): 3.0, (1, "b"): 1 + 2 + 5 + 3 + 2})

    def test_ports(self):
        # Two messages that cross: one after the other where ports carry one at a time.
        for duplex, end in ((True, 10.0), (False, 20.0)):
            programs = [iter([("send", 1 - i, 10, 0), ("recv", 1 - i, 0), ("mark", "end")]) for i in (0, 1)]
            marks = replay.replay(programs, replay.Network(0.0, 0.0, 1.0, duplex))
            self.assertEqual(max(marks.values()), end)

    def test_the_papers_argument(self):
        # Without costs of bytes the pipeline has P / 2 starts for P - 1 sends and P - 1 receives.
        network = replay.Network(1.0, 0.0, 0.0)
        self.assertAlmostEqual(replay.per_image(replay.data_parallel, 8, network, 1, 0.0, 0.0, 64), 14)
        self.assertAlmostEqual(replay.per_image(replay.pipeline, 8, network, 1, 0.0, 0.0, 64), 4)

    def test_nobody_sends(self):
        with self.assertRaisesRegex(ValueError, "process 0 waits"):
            replay.replay([iter([("recv", 1, 0)]), iter([])], replay.Network(1, 1, 1))


if __name__ == "__main__":
    unittest.main()
