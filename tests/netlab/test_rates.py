# SPDX-License-Identifier: Apache-2.0
"""How fast the links of a lab are. These tests measure, so no other test runs beside them."""
import os
import re
import time

import support
from support import OWN_FAILURE, for_each_mpi, program


def bandwidth(out):
    return float(re.search(r"MB/s ([\d.]+)", out).group(1))


class Rates(support.NetlabTest):
    def best_bandwidth(self, flavour, rate, low, high):
        """No run may be faster than high; a run may be slower than low, as other work on the machine can make
        it, but not six in a row on a machine that has a core for each rank."""
        seen = []
        begin = time.monotonic()
        while len(seen) < 6 and (not seen or max(seen) < low) and time.monotonic() < begin + 30:
            seen.append(bandwidth(self.good("run", "--rate", rate, "--", program(flavour), 1 << 20, 12)))
            self.assertLess(seen[-1], high, f"MB/s at {rate}")
        waiting = os.getloadavg()[0]
        if max(seen) < low and waiting > os.cpu_count() + 2:
            self.skipTest(f"the machine is too busy (load {waiting}) to fill a link of {rate}: {seen} MB/s")
        self.assertGreater(max(seen), low, f"MB/s at {rate}: {seen}")

    @for_each_mpi
    def test_links_have_the_rate(self, flavour):
        for rate, megabytes in (("240mbit", 30.0), ("1gbit", 125.0)):
            self.best_bandwidth(flavour, rate, 0.85 * megabytes, 1.15 * megabytes)

    @for_each_mpi
    def test_without_limit_it_is_faster(self, flavour):
        self.best_bandwidth(flavour, "none", 1.5 * 125, 1e9)

    def test_latency_is_added_or_refused(self):
        status, out, err = self.netlab("run", "--latency", "5ms", "--", program("mpich"), 1000, 5)
        if status == 0:   # one message of 1000 bytes takes 5 ms
            self.assertAlmostEqual(bandwidth(out), 1e-6 * 1000 / 5e-3, delta=0.3 * 0.2)
        else:
            self.assertEqual(status, OWN_FAILURE)
            self.assertIn("this kernel has no netem", err)
            self.assert_nothing_left()


if __name__ == "__main__":
    support.main()
