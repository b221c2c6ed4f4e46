# SPDX-License-Identifier: Apache-2.0
"""The report of programs whose waiting is known: who waited where, for what, and why."""
import json
import unittest

from support import FLAVOURS, PROGRAMS, SOURCE, CommandTest

LATE_S = 3 * 0.15
LEAST_S = 0.7 * LATE_S   # a rank that a busy machine makes late itself waits less
TEXT = (SOURCE / "tests" / "cli" / "waits.c").read_text().splitlines()


def place(mark, text=TEXT, name="waits.c"):
    """The line of waits.c that ends with this mark."""
    return next(f"{name}:{number}" for number, line in enumerate(text, 1) if f"/* {mark} */" in line)


class Waits(CommandTest):
    def reported(self, flavour, what, *options, program="waits"):
        path = self.folder / f"{flavour}-{what}"
        self.lapwing("run", "--report", path, *options, "-n", 2, PROGRAMS / flavour / program, what, status=0)
        text = self.lapwing("report", path, status=0).stdout
        found = json.loads(self.lapwing("report", "--json", path, status=0).stdout)
        self.assertFalse([site for site in found["sites"] if site["call"].startswith("MPI_Wait")])
        return found, text

    def for_each_mpi(self, test):
        for flavour in FLAVOURS:
            with self.subTest(mpi=flavour):
                test(flavour)

    def site(self, found, **wanted):
        sites = [s for s in found["sites"] if all(s[key] == value for key, value in wanted.items())]
        self.assertEqual(len(sites), 1, (wanted, found["sites"]))
        return sites[0]

    def test_a_late_partner(self):
        def test(flavour):
            found, text = self.reported(flavour, "late")
            site = self.site(found, call="MPI_Irecv")
            self.assertEqual(site["site"], place("started: late"))
            self.assertEqual([wait["site"] for wait in site["waited_at"]], [place("waited: late")])
            self.assertEqual((site["calls"], site["bytes"]), (3, 3 << 20))
            self.assertEqual(site["reason"], "late-partner", site)
            self.assertGreater(site["exposed_s"], LEAST_S)
            self.assertLess(site["exposed_s"], 3 * LATE_S)
            self.assertIn("ranks that come late", found["advice"])
            self.assertIn(place("waited: late"), text)
            # Hidden is a share of all waiting, the late partner's included.
            self.assertLess(found["hidden"], 0.2)
            self.assertAlmostEqual(found["hidden"], found["hidden_s"] / (found["hidden_s"] + found["exposed_s"]), 4)
        self.for_each_mpi(test)

    def test_split_calls(self):
        """Their waits are charged to them, wherever these stand, and with the bytes that came."""
        text = (SOURCE / "tests" / "cli" / "split_waits.c").read_text().splitlines()

        def test(flavour):
            found, _ = self.reported(flavour, "split", "--defer", "on", program="split_waits")
            receive, send = self.site(found, call="MPI_Recv"), self.site(found, call="MPI_Send")
            for site, started, waited in ((receive, "started", "receive"), (send, "send", "send")):
                self.assertEqual(site["site"], place(started, text, "split_waits.c"))
                self.assertEqual((site["calls"], site["bytes"]), (6, 6 << 20))
                allowed = {place(f"waited: {waited}", text, "split_waits.c"), site["site"]}
                self.assertLessEqual({wait["site"] for wait in site["waited_at"]}, allowed)
            self.assertGreater(receive["exposed_s"], LEAST_S)
            self.assertEqual(receive["reason"], "late-partner", receive)
        self.for_each_mpi(test)

    def test_a_pair_of_requests(self):
        def test(flavour):
            found, _ = self.reported(flavour, "pair", "--defer", "off")
            receive, send = self.site(found, call="MPI_Irecv"), self.site(found, call="MPI_Isend")
            self.assertEqual((receive["site"], send["site"]), (place("started: receive"), place("started: send")))
            self.assertEqual((receive["calls"], receive["bytes"], send["bytes"]), (6, 6 * 64, 6 * 64))
            for site in (receive, send):
                self.assertEqual([wait["site"] for wait in site["waited_at"]], [place("waited: pair")])
            # The receive is what the wait was for.
            self.assertGreater(receive["exposed_s"], LEAST_S)
            self.assertLess(send["exposed_s"], 0.3 * receive["exposed_s"])
            self.assertEqual(receive["reason"], "late-partner")
        self.for_each_mpi(test)

    def test_collectives_and_synchronisation(self):
        def test(flavour):
            found, _ = self.reported(flavour, "group")
            for call in ("MPI_Allreduce", "MPI_Iallreduce", "MPI_Barrier", "MPI_Win_fence"):
                site = self.site(found, call=call)
                self.assertEqual(site["calls"], 6)
                self.assertEqual(site["reason"], "imbalance", site)
                self.assertGreater(site["exposed_s"], LEAST_S)
            split = self.site(found, call="MPI_Iallreduce")
            self.assertEqual((split["site"], split["bytes"]), (place("started: group"), 6 * 4))
            self.assertEqual([wait["site"] for wait in split["waited_at"]], [place("waited: group")])
            self.assertEqual(self.site(found, call="MPI_Allreduce")["bytes"], 6 * 4)
            self.assertIn("Balance the work", found["advice"])
        self.for_each_mpi(test)

    def test_small_messages(self):
        def test(flavour):
            found, _ = self.reported(flavour, "small")
            site = self.site(found, call="MPI_Recv")
            self.assertEqual((site["calls"], site["bytes"]), (40000, 160000))
            # On a machine with other work, the partner does have to be waited for.
            busy = site["exposed_s"] / site["calls"] > 1e-4
            self.assertIn(site["reason"], ("too-small", "little", "late-partner") if busy else ("too-small", "little"))
        self.for_each_mpi(test)

    def test_persistent_requests(self):
        def test(flavour):
            found, _ = self.reported(flavour, "any")
            site = self.site(found, site=place("started: any"))
            self.assertEqual((site["calls"], site["bytes"]), (3, 3 * 4000))
            self.assertEqual([wait["site"] for wait in site["waited_at"]], [place("waited: any")])
            both = sum(s["exposed_s"] for s in found["sites"] if s["call"] == "MPI_Recv_init")
            self.assertGreater(both, LEAST_S)
        self.for_each_mpi(test)

    def test_probes(self):
        def test(flavour):
            found, _ = self.reported(flavour, "probe")
            site = self.site(found, call="MPI_Probe")
            self.assertEqual((site["calls"], site["reason"]), (3, "late-partner"))
            self.assertGreater(site["exposed_s"], LEAST_S)
        self.for_each_mpi(test)

    def test_without_a_report_nothing_is_kept(self):
        for flavour in FLAVOURS:
            self.lapwing("run", "-n", 2, PROGRAMS / flavour / "waits", "group", status=0)


if __name__ == "__main__":
    unittest.main()
