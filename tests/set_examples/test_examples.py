# SPDX-License-Identifier: Apache-2.0
"""The examples of process sets, compiled with --sets=run, give what their explicit versions give; those that plain
MPI cannot run are named by --sets=check and by lapwing check.

    test_examples.py BUILD FLAVOUR -- MPIEXEC...
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpis import in_turn  # noqa: E402

BUILD, FLAVOUR, MPIEXEC = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[4:]
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "sets"
FOUND = 86
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-set-examples-"))


def compiled(name, *options, compiler="lwcc"):
    program = FOLDER / (name + "".join(options))
    if not program.exists():
        subprocess.run([BUILD / "bin" / f"{compiler}.{FLAVOUR}", *options, "-g", "-O1", f"-I{ROOT / 'include'}",
                        "-o", program, EXAMPLES / name, "-lm"], check=True, capture_output=True, text=True)
    return program


def run(program, ranks, *words, before=(), **environment):
    command = ["timeout", "-k", "5", "120", *before, *MPIEXEC, "-n", str(ranks), program, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, **environment})


class Examples(unittest.TestCase):
    def same(self, name, explicit, rank_counts, compiler="lwcc"):
        """With each number of ranks under one of the MPIs."""
        for index, ranks in enumerate(rank_counts):
            if not in_turn(index, FLAVOUR):
                continue
            with self.subTest(name=name, ranks=ranks):
                sets = run(compiled(name, "--sets=run", compiler=compiler), ranks)
                self.assertEqual(sets.returncode, 0, sets.stdout + sets.stderr)
                self.assertIn("verified", sets.stdout)
                self.assertEqual(sets.stdout, run(compiled(explicit), ranks).stdout)

    def test_prefix(self):
        self.same("prefix.c", "prefix_explicit.c", (2, 3, 4, 7, 8))

    def test_refine(self):
        self.same("refine.c", "refine_explicit.c", (3, 7, 8))

    def test_refine_in_fortran(self):
        if not shutil.which("flang-new-19"):
            self.skipTest("flang-new-19 is not installed")
        if not shutil.which(f"mpifort.{FLAVOUR}"):
            self.skipTest(f"this {FLAVOUR} has no Fortran")
        self.same("refine.f90", "refine_explicit.c", (3, 7), compiler="lwfc")

    def test_search(self):
        self.same("search.c", "search_explicit.c", (2, 4, 7))

    def test_declared_communication(self):
        languages = [("halo.c", "lwcc")]
        if shutil.which("flang-new-19") and shutil.which(f"mpifort.{FLAVOUR}"):
            languages.append(("halo.f90", "lwfc"))
        for at, (name, compiler) in enumerate(languages):
            for index, ranks in enumerate((2, 3, 1)):
                if not in_turn(at + index, FLAVOUR):
                    continue
                with self.subTest(name=name, ranks=ranks):
                    done = run(compiled(name, "--declared", compiler=compiler), ranks, "7")
                    self.assertEqual((done.returncode, done.stdout), (0, f"halo: 7 steps on {ranks} processes, verified\n"), done.stderr)

    def test_search_in_fortran(self):
        if not shutil.which("flang-new-19"):
            self.skipTest("flang-new-19 is not installed")
        if not shutil.which(f"mpifort.{FLAVOUR}"):
            self.skipTest(f"this {FLAVOUR} has no Fortran")
        for index, (ranks, words, found) in enumerate(((3, (), 48036), (2, ("400000", "12345"), 0), (1, (), 48036))):
            if not in_turn(index, FLAVOUR):
                continue
            with self.subTest(ranks=ranks, words=words):
                done = run(compiled("search.f90", compiler="lwfc"), ranks, *words)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, rf"^search: {found}, after \d+ of 400000 numbers, verified\n$")

    def test_the_papers_recursion(self):
        counts = {2: (1, 3), 4: (5, 13), 8: (15, 39), 16: (39, 103)}
        if FLAVOUR == "mpich":
            del counts[16]  # its processes never yield: seconds become minutes
        for ranks, (calls, splits) in counts.items():
            for words in ((), ("0", "split")):
                done = run(compiled("recursion.c"), ranks, *words)
                self.assertRegex(done.stdout, rf"recursion: {calls} calls, {splits} splits, .* verified", done.stderr)

    def named(self, done, *patterns):
        self.assertEqual(done.returncode, FOUND, done.stdout + done.stderr)
        for pattern in patterns:
            self.assertRegex(done.stderr, pattern)

    def test_a_hang_is_named(self):
        places = (r"hang\.c:13", r"hang\.c:27")
        for ranks in (3, 7):
            self.named(run(compiled("hang.c", "--sets=check"), ranks), *places)
        self.named(run(compiled("hang.c"), 3, before=[BUILD / "bin" / "lapwing", "check", "--"]), *places)
        done = run(compiled("hang.c", "--sets=run"), 3)
        self.assertEqual((done.returncode, done.stdout), (0, "hang: mean energy 1.523810 of 3 processes\n"), done.stderr)
        done = run(compiled("hang.c", "--sets=run"), 7)
        self.assertEqual((done.returncode, done.stdout[-16:]), (0, " of 7 processes\n"), done.stderr)

    def test_a_loop_that_processes_leave_is_named(self):
        for ranks in (3, 7):
            self.named(run(compiled("refine.c", "--sets=check"), ranks), r"refine\.c:\d+")


if __name__ == "__main__":
    try:
        unittest.main(argv=[sys.argv[0], "-q"])
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
