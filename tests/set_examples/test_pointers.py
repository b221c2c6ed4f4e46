# SPDX-License-Identifier: Apache-2.0
"""Calls through pointers part processes; what can never go on in run mode is reported, with status 86.

    test_pointers.py BUILD FLAVOUR -- MPIEXEC...
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, FLAVOUR, MPIEXEC = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[4:]
HERE = pathlib.Path(__file__).resolve().parent
FOLDER = tempfile.TemporaryDirectory(prefix="lapwing-pointers-")
FOUND = 86


def tool(*words):
    subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True)


def run(program, ranks, *words, **environment):
    command = ["timeout", "-k", "5", "60", *MPIEXEC, "-n", str(ranks), program, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, **environment})


class Pointers(unittest.TestCase):
    def test_targets_that_differ_part_processes(self):
        for level in ("-O0", "-O2"):
            program = pathlib.Path(FOLDER.name) / f"pointers{level}"
            tool(BUILD / "bin" / f"lwc++.{FLAVOUR}", "--sets=run", "-g", level, HERE / "pointers.cpp", "-o", program)
            for ranks in (2, 5):
                done = run(program, ranks)
                self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)
        # Without sets the first virtual call differs, and check mode says so and where they parted.
        done = run(program, 2, LAPWING_SETS="check")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        self.assertRegex(done.stderr, r"They parted at pointers\.cpp:\d+: .*rank 0 called .*Adds::step.*"
                                      r"rank 1 called .*Maximises::step")

    def test_what_waits_for_ever_is_reported(self):
        program, library = pathlib.Path(FOLDER.name) / "stuck", pathlib.Path(FOLDER.name) / "library.o"
        tool(f"mpicc.{FLAVOUR}", "-g", "-c", HERE / "stuck_library.c", "-o", library)
        tool(BUILD / "bin" / f"lwcc.{FLAVOUR}", "--sets=run", "-g", HERE / "stuck.c", library, "-o", program)
        for case, words in ((0, (r"do not make the same call", r"rank 0: MPI_Barrier at stuck_library\.c:8 on MPI_COMM_WORLD",
                                 r"ranks 1-2: MPI_Allreduce at stuck_library\.c:7")),
                            (1, (r"have come to the end", r"ranks 1-2: MPI_Barrier at stuck_library\.c:9",
                                 r"rank 0: MPI_Comm_free at stuck\.c:\d+|rank 0: MPI_Finalize")),
                            (2, (r"never go on|for ever", r"rank 0: MPI_Barrier at stuck\.c:\d+ waits for votes",
                                 r"ranks 1-2: MPI_Barrier at stuck_library\.c:9"))):
            done = run(program, 3, case)
            self.assertEqual(done.returncode, FOUND, f"case {case}: {done.stdout}{done.stderr}")
            for word in words:
                self.assertRegex(done.stderr, word, f"case {case}")
            self.assertEqual(done.stderr.count("lapwing:"), 1, done.stderr)
        done = run(program, 3, 3)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    try:
        unittest.main(argv=[sys.argv[0], "-q"])
    finally:
        FOLDER.cleanup()
