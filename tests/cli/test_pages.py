# SPDX-License-Identifier: Apache-2.0
"""lapwing run --pages and lapwing pages: programs whose use of received pages is known, and damaged traces."""
import json
import os
import unittest

from support import FLAVOURS, PROGRAMS, SOURCE, CommandTest

TEXT = (SOURCE / "tests" / "cli" / "pages.c").read_text().splitlines()
HEAD = {"lapwing_pages": 1, "version": "0.1.0", "mpi": "mpich", "rank": 0, "ranks": 1}
RUN = {"run": 7, "guard": "userfaultfd"}


MIB = 0.25


def checksum():
    """Of the last message of pages.c."""
    total = 0
    for i in range(int(MIB * (1 << 20))):
        total = (total * 31 + ((i * 7 + i // 4096 + 4) & 255)) & 0xffffffff
    return str(total)


CHECKSUM = checksum()


def place(mark):
    """The line of pages.c that ends with this mark."""
    return next(f"pages.c:{number}" for number, line in enumerate(TEXT, 1) if f"/* {mark} */" in line)


def receive(touches, waited_s=0.01, **changes):
    """A line of a trace: touches are pairs of a page and the milliseconds of its first touch."""
    line = {"site": "heat.c:10", "function": "main", "call": "MPI_Recv", "wait": "heat.c:10", "wait_call": "MPI_Recv",
            "peer": 1, "bytes": 64 * 4096, "started": 0.0, "waited": 0.0, "landed": waited_s, "waited_s": waited_s,
            "offset": 0, "part_bytes": 4096, "parts": 64, "ended": "touched", "ended_us": 50000.0,
            "first_use": "heat.c:20", "touches": [[page, 1e3 * ms, 1e3 * ms] for page, ms in touches]}
    return {**line, **changes}


class Pages(CommandTest):
    def write(self, *lines, name="p.0"):
        path = self.folder / name
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return self.folder / "p"

    def site(self, *lines):
        found = json.loads(self.lapwing("pages", "--json", self.write(HEAD, RUN, *lines), status=0).stdout)
        self.assertEqual(len(found["sites"]), 1, found)
        return found["sites"][0]

    def test_what_would_pay(self):
        each = range(64)
        follows = self.site(receive([(page, page * 10 / 64) for page in each]))
        self.assertEqual((follows["order"], follows["hint"]), ("ascending", "order=up"))
        self.assertGreater(follows["saves_s"], 0.007)
        down = self.site(receive([(63 - page, page * 10 / 64) for page in each]))
        self.assertEqual((down["order"], down["hint"]), ("descending", "order=down"))
        self.assertGreater(down["strips_down_s"], down["strips_up_s"] + 0.005)
        at_once = self.site(receive([(page, page / 1000) for page in each]))
        self.assertEqual((at_once["hint"], at_once["saves_s"]), ("", 0))
        self.assertIn("used at once and whole", at_once["advice"])
        later = self.site(receive([(page, 30 + page / 1000) for page in each]))
        self.assertIn("MPI_Irecv and wait at heat.c:20", later["advice"])
        self.assertAlmostEqual(later["saves_s"], 0.01, 4)
        never = self.site(receive([], ended="overwritten"))
        self.assertEqual(never["untouched"], 1)
        self.assertIn("None of it is ever touched", never["advice"])
        brief = self.site(receive([(0, 1)], waited_s=1e-5))
        self.assertIn("Nothing to gain: a receive is waited for 10.0 us only", brief["advice"])

    def test_orders_and_shares(self):
        strided = self.site(receive([(first + 8 * i, 0) for first in range(8) for i in range(8)]))
        self.assertEqual(strided["order"], "strided")
        random = self.site(receive([((i * 37 + 11) % 64 ^ (i & 5), 0) for i in range(64)]))
        self.assertEqual(random["order"], "random")
        half = self.site(receive([(page, 0) for page in range(32)], ended="overwritten"))
        self.assertEqual((half["order"], half["untouched"]), ("ascending", 0.5))
        # A watch that was broken off does not tell what would not have been touched.
        self.assertIsNone(self.site(receive([(0, 0), (1, 0)], ended="unknown"))["untouched"])

    def test_a_train(self):
        wait = {"call": "MPI_Irecv", "wait": "heat.c:12", "wait_call": "MPI_Waitall", "waited_s": 0.005}
        site = self.site(*(receive([(page, 5 * number) for page in range(64)], peer=number, **wait)
                           for number in range(4)))
        self.assertEqual((site["train"], site["hint"]), (4, "train=1"))
        self.assertIn("used one after the other", site["advice"])

    def test_table_and_hints(self):
        path = self.write(HEAD, RUN, receive([(63 - page, page * 10 / 64) for page in range(64)]),
                          {"site": "heat.c:10", "call": "MPI_Recv", "receives": 1500, "all_bytes": 1})
        text = self.lapwing("pages", path, status=0).stdout
        self.assertRegex(text, r"heat\.c:10 +MPI_Recv +- +1,500 +1 +256 KiB +descending +0 % +10\.0 ms .* order=down ")
        self.assertIn("heat.c:10 (MPI_Recv): Strips from its end", text)
        hints = self.lapwing("pages", path, "--hints", status=0).stdout
        self.assertTrue(hints.startswith("heat.c:10 order=down  # "), hints)

    def test_damaged_traces(self):
        result = self.lapwing("pages", self.folder / "none", status=125)
        self.assertIn("lapwing run --pages", result.stderr)
        for lines, words in [(["nonsense"], "line 1: this is no page trace"), ([], "is empty"),
                             ([HEAD, RUN, "nonsense", RUN], "line 3: this is no line of a page trace"),
                             ([HEAD, receive([(64, 0)]), RUN], "line 2: this is no line of a page trace")]:
            result = self.lapwing("pages", self.write(*lines), status=125)
            self.assertIn(words, result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.write({**HEAD, "rank": 1, "ranks": 3}, {**RUN, "run": 8}, receive([(0, 0)]), name="p.1")
        text = self.lapwing("pages", self.write({**HEAD, "ranks": 3}, RUN, '{"site":"hea'), status=0).stdout
        for words in ("is cut short and left out", "of 1 of 3 ranks are not here", "of 1 of 3 ranks are of another run",
                      "No receive of this job was traced"):
            self.assertIn(words, text)

    def traced(self, flavour, how, *more, guard="auto"):
        """Runs pages.c with a trace: what it has received is right, and the trace as JSON."""
        result = self.lapwing("run", "--pages", self.folder / "p", "--guard", guard, *more, "-n", 2,
                              PROGRAMS / flavour / "pages", how, MIB, status=0)
        self.assertEqual((result.stdout.split()[0], result.stderr), (CHECKSUM, ""))
        return json.loads(self.lapwing("pages", "--json", self.folder / "p", status=0).stdout)

    def test_programs(self):
        first, last = list(FLAVOURS)[0], list(FLAVOURS)[-1]
        for flavour, how, guard, order in [(first, "up", "userfaultfd", "ascending"),
                                           (last, "up", "mprotect", "ascending"),
                                           (last, "down", "userfaultfd", "descending"),
                                           (first, "half", "mprotect", "ascending"),
                                           (last, "passed-on", "userfaultfd", "ascending"),
                                           (first, "two-mappings", "mprotect", "-")]:
            with self.subTest(mpi=flavour, how=how, guard=guard):
                found = self.traced(flavour, how, guard=guard)
                site = next(s for s in found["sites"] if s["site"] == place("received"))
                self.assertEqual((site["receives"], site["traced"], site["order"]), (5, 4, order), site)
                if how == "half":
                    self.assertAlmostEqual(site["untouched"], 0.5, 1)
                if how == "up":
                    self.assertEqual((site["first_use"], site["untouched"]), (place("use"), 0))

    def test_looks_keep_memory_in_two_mappings(self):
        looks = ("--env", "LAPWING_TESTING=1", "--env", "LAPWING_FAULT=restless")
        for flavour in FLAVOURS:
            with self.subTest(mpi=flavour):
                result = self.lapwing("run", *looks, "-n", 2, PROGRAMS / flavour / "pages", "two-mappings", MIB,
                                      status=0)
                self.assertEqual(result.stdout.split()[0], CHECKSUM)

    def test_a_wait_that_could_be_later(self):
        for flavour in FLAVOURS:
            with self.subTest(mpi=flavour):
                site = self.traced(flavour, "later", "--defer", "on")["sites"][0]
                self.assertEqual((site["site"], site["call"], site["wait"], site["first_use"]),
                                 (place("started: later"), "MPI_Irecv", place("waited: later"), place("used: later")))
                self.assertGreater(site["first_touch_s"], 0.011)
                self.assertIn(f"move its wait from {place('waited: later')}", site["advice"])

    def test_places_that_cannot_be_written(self):
        os.symlink("/dev/full", self.folder / "full.0")
        os.symlink("/dev/full", self.folder / "full.1")
        places = [(self.folder / "full", "No space left"), ("/nowhere/p", "No such file")]
        for flavour, (path, why) in zip((list(FLAVOURS)[0], list(FLAVOURS)[-1]), places):
            with self.subTest(mpi=flavour, place=path):
                result = self.lapwing("run", "--pages", path, "-n", 2, PROGRAMS / flavour / "pages", "freed", MIB,
                                      status=0)
                self.assertEqual(result.stdout, "0 0\n")
                self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
                self.assertIn(f"the page trace cannot be written to {path}.0: {why}", result.stderr)


if __name__ == "__main__":
    unittest.main()
