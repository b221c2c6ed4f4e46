# SPDX-License-Identifier: Apache-2.0
"""Loops that are divided into what needs messages and what does not give the same bits, with the MPIs in turn;
-flapwing=verify finds nothing, and finds a loop that was divided without asking."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parents[1] / "support")]

from compiled import ProgramTest, main, way
from mpis import in_turn

# Loops that are divided, at least.
PROGRAMS = {"halo.c": 5, "halo.cpp": 2, "halo.f90": 2, "ghosts.c": 6, "ghosts.f90": 2, "lists.c": 6, "turns.c": 3, "sums.c": 6,
            "neighbours.c": 4, "sparse.cpp": 1, "grid.c": 6, "grid.f90": 2}
# With -flto, where functions are seen together.
WHOLE = {"members.cpp": 1, "members.f90": 1}
FOUND = 87


class Interior(ProgramTest):
    folder = HERE

    def check_whole(self, mpi, source, divided):
        plain, passed = self.each_way(mpi, [source], way("-O2", "--lapwing-off"),
                                      way("-O2", "-flto", "-flapwing-interior", "-Rpass=lapwing"))
        self.assertGreaterEqual(passed.said.count("the loop is divided"), divided, passed.said)
        expected = self.lines(mpi, plain)
        self.assertGreater(len(expected), 1)
        self.assertEqual(self.lines(mpi, passed), expected)

    def check(self, mpi):
        for index, (source, divided) in enumerate(PROGRAMS.items()):
            if not in_turn(index, mpi):
                continue
            with self.subTest(source=source, mpi=mpi):
                verify = ["-O2", "-flapwing=verify", "-flapwing-interior"]
                ways = [way("-O2", "--lapwing-off"), way("-O2", "-flapwing-interior", "-Rpass=lapwing"), way(*verify)]
                if source.startswith(("halo", "lists", "sums", "grid.c")):  # elsewhere the message lands where no loop looks
                    ways.append(way(*verify, fault="interior"))
                if source == "lists.c":
                    ways.append(way(*verify, fault="lists"))
                if source == "neighbours.c":
                    ways.append(way(*verify, fault="survey"))
                plain, passed, verified, *wrong = self.each_way(mpi, [source], *ways)
                expected = self.lines(mpi, plain)
                self.assertGreater(len(expected), 1)
                self.assertGreaterEqual(passed.said.count("the loop is divided"), divided, passed.said)
                self.assertEqual(self.lines(mpi, passed), expected)
                self.assertEqual(verified.said, "")
                self.assertEqual(self.lines(mpi, verified), expected)
                if source == "grid.c":  # MPICH names the datatypes that are left
                    self.assertNotIn("leaked", self.start(mpi, verified).stderr)
                for program in wrong:
                    if source == "neighbours.c":  # rounds run before what they read is unpacked, which is no message any more
                        self.assertNotEqual(self.lines(mpi, program), expected)
                        continue
                    ran = self.start(mpi, program)
                    self.assertEqual(ran.returncode, FOUND, ran.stdout + ran.stderr)
                    self.assertIn("before its wait", ran.stderr)

    def test_mpich(self):
        self.check("mpich")
        for source, divided in WHOLE.items():
            with self.subTest(source=source):
                self.check_whole("mpich", source, divided)

    def test_openmpi(self):
        self.check("openmpi")


if __name__ == "__main__":
    main()
