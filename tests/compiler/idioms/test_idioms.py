# SPDX-License-Identifier: Apache-2.0
"""The programs print the same with the pass and without, with the MPIs in turn."""
import concurrent.futures
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parents[1] / "support")]

from compiled import ProgramTest, main, way
from mpis import in_turn

# Sources, ranks, lines that they print, and what the pass moves at least, else nothing is tested.
PROGRAMS = {
    "idioms": (["idioms.c"], 2, 30, 3),
    "requests": (["requests.c"], 2, 12, 3),
    "ring": (["ring.c"], 4, 36, 1),
    "answered": (["answered.c"], 3, 4, 1),
    "arguments": (["arguments.c"], 2, 29, 4),
    "bottom": (["bottom.c"], 2, 6, 1),
    "room": (["room.c"], 2, 3, 1),
    "stack": (["stack.c"], 2, 2, 2),
    "operations": (["operations.c"], 2, 1, 0),
    "volatile_status": (["volatile_status.c"], 2, 5, 3),
    "mirror": (["mirror.c"], 2, 2, 0),
    "earlier_error": (["earlier_error.c"], 2, 2, 0),
    "freed": (["freed.c"], 2, 2, 0),
    "failing": (["failing.c"], 2, 5, 3),
    "forked": (["forked.c"], 2, 2, 1),
    "answers": (["answers.c"], 2, 11, 1),
    "synchronous": (["synchronous.c"], 4, 6, 1),
    "windows": (["windows.c"], 3, 2, 0),
    "threads": (["threads.c", "-pthread"], 2, 2, 0),
    "handlers": (["handlers.cpp"], 2, 1, 0),
    "handlers_note": (["handlers_note.c"], 2, 2, 0),
    "generalised": (["generalised.c"], 2, 1, 0),
    "mapped": (["mapped.c"], 2, 1, 0),
    "pool": (["pool.c"], 2, 2, 1),
    "divided": (["divided.cpp"], 2, 2, 1),
    "windows_synchronous": (["windows_synchronous.c"], 3, 1, 0),
    "levels": (["levels.f90"], 3, 3, 0),
    "dummies": (["dummies.f90", "dummies_apart.f90"], 2, 3, 3),
    "names": (["names.f90"], 2, 2, 1),
    "optional": (["optional.f90"], 2, 2, 1),
    "lifetimes": (["lifetimes.f90"], 2, 2, 1),
    "error_word": (["error_word.f90"], 2, 5, 2),
    "error_in_status": (["error_in_status.f90"], 2, 1, 1),
    "former_owner": (["former_owner.f90"], 2, 4, 2),
}
# Under MPICH the first hangs without the pass, and MPI_Finalize aborts behind the second:
# the lock that it was thrown through stays taken. The third is about waits that raise errors elsewhere.
OPENMPI_ONLY = ("threads", "handlers", "earlier_error")


class Idioms(ProgramTest):
    folder = HERE

    def check(self, mpi, option, only=None):
        for index, (name, (sources, ranks, lines, moved)) in enumerate(PROGRAMS.items()):
            if name in OPENMPI_ONLY and mpi != "openmpi":
                continue
            if name == only or only is None and (name in OPENMPI_ONLY or in_turn(index, mpi)):
                with self.subTest(program=name, mpi=mpi, option=option):
                    plain, passed = self.each_way(mpi, sources, way(option, "--lapwing-off"), way(option, "-Rpass=lapwing"))
                    # Most sleep more than they compute.
                    with concurrent.futures.ThreadPoolExecutor(2) as pool:
                        expected, printed = pool.map(lambda program: self.lines(mpi, program, ranks, 60), (plain, passed))
                    self.assertEqual(len(expected), lines, expected)
                    self.assertGreaterEqual(passed.said.count("its wait stands"), moved, passed.said)
                    self.assertEqual(printed, expected)

    def test_mpich(self):
        self.check("mpich", "-O1", only="idioms")
        self.check("mpich", "-O2")

    def test_openmpi(self):
        self.check("openmpi", "-O2")


if __name__ == "__main__":
    main()
