# SPDX-License-Identifier: Apache-2.0
"""Gets, puts and accumulates end while their target computes: the helper carries them out there."""
import unittest

import running

# A rank whose messages leave its node only, as between hosts. Where all ranks share a node nothing is tried without a free core.
OVER_TCP = {"UCX_TLS": "tcp,self", "MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_SHM_ENABLE": "0"}
SERVED = {**OVER_TCP, "LAPWING_TESTING": "1", "LAPWING_FAULT": "free_core"}
LONG, SHORT = "30", "0.3"


@unittest.skipUnless("mpich" in running.MPIS, "this tree is not built for mpich, whose windows need the target's help over TCP")
class OneSided(running.ProgramTest):
    def run_one(self, seconds, how, lapwing):
        program = ["env", *(f"{name}={value}" for name, value in OVER_TCP.items()), running.program("mpich", "programs_one_sided")]
        plainly = lapwing is None
        for _ in range(5 if plainly else 1):
            ran = self.mpirun("mpich", [*program, seconds, *how], lapwing, limit=8 if plainly else 100)
            if ran.status is not None:  # MPICH itself hangs now and then in MPI_Finalize over a network
                break
        self.succeeds(ran, how)
        return ran

    def both(self, *how, more=None):
        plain = self.run_one(SHORT, how, None)
        served = self.run_one(LONG, how, {**SERVED, **(more or {})})
        self.assertIn("rank 1 saw it", served.out)
        sums = [[line for line in sorted(ran.out.splitlines()) if "sum" in line] for ran in (plain, served)]
        self.assertEqual(*sums)
        self.assertEqual(len(sums[0]), 2)

    def test_create(self):
        self.both("create", "all")

    def test_allocate_with_a_lock_for_each_access(self):
        self.both("allocate", "each")

    def test_dynamic(self):
        self.both("dynamic", "all")

    def test_gets_deferred_too(self):
        self.both("create", "all", more={"LAPWING_ONE_SIDED": "on"})

    def test_off(self):
        ran = self.run_one(SHORT, ["create", "all"], {**SERVED, "LAPWING_ONE_SIDED": "off"})
        self.assertIn("rank 1 saw nothing", ran.out)


if __name__ == "__main__":
    running.main()
