# SPDX-License-Identifier: Apache-2.0
"""lapwing run --hints: hints by call site are used, named in the report, and said where they match nothing."""
import json
import unittest

from support import BUILD, FLAVOURS, PROGRAMS, SOURCE, CommandTest
from test_pages import CHECKSUM, MIB

TEXT = (SOURCE / "tests" / "cli" / "pages.c").read_text().splitlines()
# Strips also where ranks share a node without a free core.
ON = ("--defer", "on")


def line(words):
    return next(f"pages.c:{number}" for number, text in enumerate(TEXT, 1) if words in text)


SENT, RECEIVED = line("MPI_Send(out"), line("/* received */")


class Hints(CommandTest):
    def run_with(self, flavour, hints, *options, how="down"):
        (self.folder / "hints").write_text(hints)
        result = self.lapwing("run", *ON, "--hints", self.folder / "hints", "--report", self.folder / "r", *options,
                              "-n", 2, PROGRAMS / flavour / "pages", how, MIB, status=0)
        self.assertEqual(result.stdout.split()[0], CHECKSUM)
        return result, json.loads(self.lapwing("report", "--json", self.folder / "r", status=0).stdout)

    def site(self, found, place):
        return next(site for site in found["sites"] if site["site"] == place)

    def test_used_and_unused(self):
        for flavour in FLAVOURS:
            with self.subTest(mpi=flavour):
                result, found = self.run_with(flavour, f"{SENT} order=down first=16K\nnosuch.c:7 order=up\n"
                                                       "receive max=64K  # the function\n")
                self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
                self.assertIn("hints were not used: nosuch.c:7;", result.stderr)
                self.assertEqual(self.site(found, SENT)["hint"], "order=down first=16K")
                self.assertEqual(self.site(found, RECEIVED)["hint"], "max=64K")
                self.assertEqual(found["unused_hints"], ["nosuch.c:7"])
                text = self.lapwing("report", self.folder / "r", status=0).stdout
                self.assertIn("There is a hint for nosuch.c:7, which is no call site of this run", text)
                self.assertIn("order=down first=16K", text)

    def test_told_by_the_receiver(self):
        for flavour in FLAVOURS:
            with self.subTest(mpi=flavour):
                result, found = self.run_with(flavour, f"{RECEIVED} order=down\n")
                self.assertEqual(result.stderr, "")
                self.assertEqual(self.site(found, SENT)["hint"], "order=down (of the receiver)")

    def test_bad_files(self):
        for flavour in FLAVOURS:
            with self.subTest(mpi=flavour):
                result, found = self.run_with(flavour, f"{SENT} ordr=up\n{SENT} train=3\n")
                self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
                self.assertIn("line 1: ordr=up is no hint; did you mean order?", result.stderr)
                self.assertEqual(self.site(found, SENT)["hint"], "train=3")
        result = self.lapwing("run", *ON, "--hints", "/nowhere/h", "-n", 2, PROGRAMS / flavour / "pages", "up", MIB,
                              status=0)
        self.assertEqual(result.stderr.strip(),
                         "lapwing: the hints in /nowhere/h cannot be read: No such file or directory.")

    def test_what_a_trace_advises_is_understood(self):
        flavour = next(iter(FLAVOURS))
        self.lapwing("run", "--pages", self.folder / "p", "-n", 2, PROGRAMS / flavour / "pages", "later", MIB,
                     status=0)
        hints = self.lapwing("pages", self.folder / "p", "--hints", status=0).stdout
        self.assertIn("first=64K max=256K", hints)
        result, found = self.run_with(flavour, hints, how="later")
        self.assertEqual(result.stderr, "")
        self.assertIn("first=64K max=256K", [site["hint"] for site in found["sites"]])

    def test_example(self):
        for flavour in FLAVOURS:
            results = set()
            for language in ("c", "cpp", "f90"):
                program = BUILD / "libexec" / "lapwing" / flavour / f"substitute_{language}"
                if language == "f90" and not program.exists():
                    continue  # no compiler of Fortran for this MPI
                with self.subTest(mpi=flavour, language=language):
                    report = self.folder / f"{flavour}-{language}"
                    ran = self.lapwing("run", *ON, "--report", report, "-n", 2, program, 40000, 3, status=0)
                    results.add(ran.stdout)
                    found = json.loads(self.lapwing("report", "--json", report, status=0).stdout)
                    hints = [site["hint"] for site in found["sites"] if site.get("hint")]
                    self.assertEqual(hints, ["by calls"] * 3)
                    off = self.lapwing("run", "--defer", "off", "-n", 2, program, 40000, 3, status=0)
                    results.add(off.stdout)
            self.assertEqual(len(results), 1, results)
            self.assertIn("substitute: 40000 rows, 3 steps, checksum ", results.pop())


if __name__ == "__main__":
    unittest.main()
