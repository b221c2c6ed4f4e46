#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`exchange`, `collectives` and `memory`: all idioms and kinds come out right, with one round through shared memory."""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from mpis import MPIS  # noqa: E402

BUILD = os.environ["LAPWING_BUILD"]


class Exchange(unittest.TestCase):
    def drive(self, *options):
        done = subprocess.run([os.path.join(BUILD, "libexec", "lapwing", "bench-driver"), *options, "--prefix", BUILD, "--local",
                               "--quick", "--json", "--pairs", "1", "--mpi", MPIS[0]],
                              capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_exchange(self):
        records = self.drive("exchange", "--cases", "irecv_isend_wait", "--sizes", "64K")
        self.assertEqual({r["load"] for r in records}, {"none", "compute"})
        for record in records:
            self.assertTrue(record["verified"])
            self.assertGreater(record["vs_plain"], 0)
            self.assertGreater(record["lapwing_s"], 0)

    def test_collectives(self):
        records = self.drive("collectives", "--cases", "p2p", "--sizes", "64K")
        for record in records:
            self.assertTrue(record["verified"])
            self.assertTrue(0 <= record["overlap"] <= 1, record)

    def test_memory(self):
        for record in self.drive("memory", "--cases", "put", "--sizes", "64K"):
            self.assertTrue(record["verified"])
            self.assertGreater(record["vs_plain"], 0)

    def test_programs(self):
        folder = os.path.join(BUILD, "libexec", "lapwing", MPIS[0])
        for ranks, idiom in ("2", "irecv_isend_wait"), ("2", "sendrecv"), ("2", "send_irecv"), ("3", "send_irecv"):
            line = self.once(ranks, os.path.join(folder, "exchange-plain"), "--idiom", idiom, "--bytes", "4K",
                             "--iterations", "8", "--unequal", "--steps", "300")
            self.assertTrue(line["verified"], (ranks, idiom))
        for kind in ("iallreduce", "ialltoall", "ibcast", "iallgather", "ireduce", "igather", "iscatter", "ialltoallv", "ibarrier",
                     "p2p"):
            line = self.once("2", os.path.join(folder, "collectives-plain"), "--kind", kind, "--bytes", "4K", "--seconds", "0.01")
            self.assertTrue(line["verified"], kind)
        for access in "get", "put", "put_two":
            for hand in [], ["--hand"]:
                line = self.once("2", os.path.join(folder, "memory-plain"), "--access", access, "--bytes", "320K", "--iterations", "3",
                                 "--steps", "300", *hand)
                self.assertTrue(line["verified"], (access, hand))

    def once(self, ranks, *argv):
        done = subprocess.run(["mpiexec." + MPIS[0], "-n", ranks, *argv], capture_output=True, text=True, timeout=60, check=True)
        return json.loads(done.stdout)


if __name__ == "__main__":
    unittest.main()
