# SPDX-License-Identifier: Apache-2.0
"""lapwing report: tables and JSON from report files, whole and damaged."""
import json
import os
import pty
import subprocess
import unittest

from support import FLAVOURS, LAPWING, CommandTest, clean_environment, probe

HEAD = {"lapwing": "0.1.0", "mpi": "mpich", "ranks": 2, "guard": "userfaultfd", "helper": True,
        "mode": "auto",
        "wall_s": 10.0, "standing_aside": "", "max_rss_kib": [1000, 2000]}
SITES = [
    {"site": "heat.c:120", "function": "exchange", "call": "MPI_Recv", "module": "/bin/heat",
     "offset": "0x1234",
     "calls": 1500, "bytes": 3 << 30, "exposed_s": 0.5, "hidden_s": 4.5, "hidden": 0.9, "deferred": 1500,
     "stripped": 1500, "faults": 30000, "direction": "up", "decision": "hides", "hint": "order=down",
     "reason": "", "why": "",
     "waited_at": []},
    {"site": "heat+0x99", "function": "", "call": "MPI_Send", "module": "/bin/heat", "offset": "0x99",
     "calls": 70000, "bytes": 560000, "exposed_s": 1.25, "hidden_s": 0, "hidden": 0.0, "deferred": 0,
     "stripped": 0, "faults": 0, "direction": "-", "decision": "plain", "hint": "", "reason": "too-small",
     "why": "too small: 8 B a message",
     "waited_at": [{"site": "heat.c:140", "function": "main", "exposed_s": 1.0},
                   {"site": "heat.c:150", "function": "main", "exposed_s": 0.25}]},
]


class Report(CommandTest):
    def write(self, *lines, name="r.json"):
        path = self.folder / name
        path.write_text("".join((line if isinstance(line,
                                                    str) else json.dumps(line)) + "\n" for line in lines))
        return path

    def complaint(self, path, *words):
        result = self.lapwing("report", path, status=125)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_table(self):
        text = self.lapwing("report", self.write(HEAD, *SITES), status=0).stdout
        self.assertRegex(text,
                         r"heat\.c:120 +exchange +MPI_Recv +- +1,500 +3\.00 GiB +500 ms +90 % "
                                r"+30,000 +up +hides +order=down *\n")
        self.assertRegex(text, r"heat\+0x99 +MPI_Send +heat\.c:140 \+1 +70,000 +547 KiB +1\.25 s +0 % +0 +- +plain +"
                               r"too small: 8 B a message\n")
        self.assertIn("2 ranks, MPICH", text)
        self.assertIn("Exposed wait: 1.75 s summed over ranks, 9 % of their time.", text)
        self.assertIn("Hidden: 4.50 s, 72 % of all waiting", text)
        self.assertIn("Most of it, 1.25 s (71 %), is for messages too small to be hidden", text)
        self.assertNotIn("\033", text)

    def test_order_and_top(self):
        path = self.write(HEAD, *SITES)
        first = {"exposed": "MPI_Send", "calls": "MPI_Send", "bytes": "MPI_Recv"}
        for order, call in first.items():
            sites = json.loads(self.lapwing("report", path, "--json", "--sort", order, "--top", 1,
                                            status=0).stdout)["sites"]
            self.assertEqual([site["call"] for site in sites], [call])
        self.assertIn("... and 1 more", self.lapwing("report", path, "--top", 1, status=0).stdout)

    def test_remarks(self):
        record = self.folder / "heat.opt.yaml"
        record.write_text("--- !Missed\nPass: lapwing\nName: Stopped\n"
                          "DebugLoc: { File: '/src/heat.c', Line: 120, Column: 3 }\nFunction: exchange\nArgs:\n"
                          "  - Call:            MPI_Recv\n  - String:          ': stopped at '\n"
                          "  - At:              'heat.c:130'\n  - Reason:          ': the caller''s write'\n...\n"
                          "--- !Passed\nPass: inline\nDebugLoc: { File: heat.c, Line: 120, Column: 1 }\nArgs:\n...\n")
        path = self.write(HEAD, *SITES)
        text = self.lapwing("report", path, "--remarks", record, status=0).stdout
        self.assertIn("heat.c:120 (500 ms exposed): MPI_Recv: stopped at heat.c:130: the caller's write\n", text)
        sites = json.loads(self.lapwing("report", path, "--json", "--remarks", record, status=0).stdout)["sites"]
        told = {site["site"]: site["remarks"] for site in sites}
        self.assertEqual(told, {"heat.c:120": [{"moved": False,
                                                "text": "MPI_Recv: stopped at heat.c:130: the caller's write"}],
                                "heat+0x99": []})
        result = self.lapwing("report", path, "--remarks", path, status=125)
        self.assertIn("is no optimisation record", result.stderr)

    def test_sites_that_hardly_wait_stand_last(self):
        little = dict(SITES[1], site="heat.c:9", exposed_s=1e-5, reason="little", why="hardly waits")
        path = self.write(HEAD, little, *SITES)
        text = self.lapwing("report", path, status=0).stdout
        self.assertNotIn("heat.c:9 ", text)
        self.assertIn("... and 1 more that hardly wait (--top 0 shows all)", text)
        self.assertIn("heat.c:9 ", self.lapwing("report", path, "--top", 0, status=0).stdout)

    def test_reports_of_before(self):
        old = {key: value for key, value in SITES[1].items() if key not in ("reason", "why", "waited_at")}
        self.assertIn("heat+0x99", self.lapwing("report", self.write(HEAD, old), status=0).stdout)

    def test_json(self):
        found = json.loads(self.lapwing("report", "--json", self.write(HEAD, *SITES), status=0).stdout)
        self.assertEqual(found["mpi"], "mpich")
        self.assertEqual(found["exposed_s"], 1.75)
        self.assertAlmostEqual(found["hidden"], 0.72)
        self.assertIn("too small", found["advice"])
        by_call = {site["call"]: site for site in found["sites"]}
        for site in SITES:
            self.assertEqual(by_call[site["call"]], site)

    def test_standing_aside(self):
        path = self.write(dict(HEAD, standing_aside="MPI_THREAD_MULTIPLE cannot be had"))
        text = self.lapwing("report", path, status=0).stdout
        self.assertIn("Lapwing stood aside: MPI_THREAD_MULTIPLE cannot be had", text)

    def test_default_file(self):
        self.write(HEAD, *SITES, name="lapwing-report.json")
        self.assertIn("heat.c:120", self.lapwing("report", status=0).stdout)
        self.write(HEAD, name="other")
        self.assertNotIn("heat.c", self.lapwing("report", status=0, env={"LAPWING_REPORT": "other"}).stdout)

    def test_missing_empty_damaged(self):
        self.complaint(self.folder / "nothing", "cannot read", "lapwing run --report", "MPI_Init")
        result = self.lapwing("report", status=125)
        self.assertIn("which report?", result.stderr)
        self.complaint(self.write(), "is empty")
        self.complaint(self.write("hello"), "line 1", "no Lapwing report")
        self.complaint(self.write({"foo": 1}), "line 1", "no Lapwing report")
        self.complaint(self.write("[1, 2]"), "line 1", "no Lapwing report")
        self.complaint(self.write(HEAD, SITES[0], json.dumps(SITES[1])[:40]), "line 3", "cut short")
        self.complaint(self.write(HEAD, {"site": 5}, SITES[0]), "line 2", "no call site")
        self.complaint(self.folder, "r")   # a folder
        (self.folder / "binary").write_bytes(bytes(range(256)) * 10)
        self.complaint(self.folder / "binary", "line 1")

    def test_strange_bytes_in_names_stay_valid_json(self):
        odd = dict(SITES[0], function="f\u00fc\"r\n", site="\u4e2d.c:1")
        found = json.loads(self.lapwing("report", "--json", self.write(HEAD, odd), status=0).stdout)
        self.assertEqual(found["sites"][0]["function"], "f\u00fc\"r\n")

    def on_terminal(self, path, **env):
        leader, follower = pty.openpty()
        subprocess.run([str(LAPWING), "report", str(path)], stdout=follower, check=True, timeout=30,
                       env=clean_environment(**{"TERM": "xterm", **env}))
        os.close(follower)
        text = b""
        try:
            while block := os.read(leader, 65536):
                text += block
        except OSError:
            pass
        os.close(leader)
        return text.decode()

    def test_colour_on_terminals_only(self):
        path = self.write(HEAD, *SITES)
        self.assertIn("\033[", self.on_terminal(path))
        self.assertNotIn("\033[", self.on_terminal(path, NO_COLOR="1"))
        self.assertNotIn("\033[", self.on_terminal(path, TERM="dumb"))

    def test_of_a_real_job(self):
        for flavour in FLAVOURS:
            with self.subTest(flavour):
                path = self.folder / flavour
                self.lapwing("run", "--report", path, "-n", 2, probe(flavour), "lines", status=0)
                found = json.loads(self.lapwing("report", "--json", path, status=0).stdout)
                self.assertEqual((found["mpi"], found["ranks"]), (flavour, 2))
                site = next(site for site in found["sites"] if site["call"] == "MPI_Sendrecv")
                self.assertEqual(site["calls"], 2)
                self.assertIn("MPI_Sendrecv", self.lapwing("report", path, status=0).stdout)


if __name__ == "__main__":
    unittest.main()
