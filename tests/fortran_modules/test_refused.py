# SPDX-License-Identifier: Apache-2.0
"""What the interfaces must refuse at compile time, and what they must let through.

    test_refused.py --flang COMPILER --modules FOLDER [--large]

With --large routines with counts are generic names in mpi_f08, for their second form takes large ones.
"""

import argparse
import os
import re
import subprocess
import tempfile
import unittest

ARGUMENTS = None
PROGRAM = """
program p
  use {module}
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  type record
    integer :: a
    real(8) :: b(3)
  end type
  real(8) :: x(10, 10)
  type(record) :: r
  integer :: ierr, n, status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4), requests(4)
  integer(kind=MPI_ADDRESS_KIND) :: at
  logical :: flag
  character(len=10) :: text
  {declarations}
contains
  subroutine inner(a, b, c, t)
    real(8), asynchronous :: a(:)
    class(record), allocatable :: b(:)
    integer, pointer :: c(:, :)
    type(*) :: t
    {statement}
  end subroutine
  subroutine wrong(a)
    integer :: a
  end subroutine
end program
"""
# With mpi_f08's types in the names that the statements use.
F08 = """type(MPI_Comm) :: comm
  type(MPI_Request) :: request, more(4)
  type(MPI_Status) :: s, ss(4)
  type(MPI_Datatype) :: datatype
  type(MPI_Op) :: op
  type(MPI_Win) :: win
  type(c_ptr) :: base"""

# module, statement, a piece of the message; no message: it must compile
CASES = [
    ("mpi_f08", "call MPI_Send(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD)", ""),
    ("mpi_f08", "call MPI_Send(x(1, :), 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)", ""),
    ("mpi_f08", "call MPI_Isend(a, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, request)", ""),
    ("mpi_f08", "call MPI_Irecv(a(1:9:2), 1, MPI_REAL, 0, 0, comm, request)", ""),
    ("mpi_f08", "call MPI_Bcast(b, 1, datatype, 0, comm)", ""),
    ("mpi_f08", "call MPI_Bcast(c, 1, datatype, 0, comm)", ""),
    ("mpi_f08", "call MPI_Bcast(r, 1, datatype, 0, comm, ierror=ierr)", ""),
    ("mpi_f08", "call MPI_Bcast(root=0, comm=comm, datatype=datatype, count=1, buffer=text)", ""),
    ("mpi_f08", "call MPI_Recv(x, 1, MPI_REAL, 0, 0, comm, MPI_STATUS_IGNORE)", ""),
    ("mpi_f08", "call MPI_Waitall(4, more, MPI_STATUSES_IGNORE)", ""),
    ("mpi_f08", "flag = all(more == MPI_REQUEST_NULL) .and. datatype /= MPI_REAL", ""),
    ("mpi_f08", "call PMPI_Send(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD)", ""),
    ("mpi_f08", "call MPI_Send(x, 1, MPI_REAL, 0, 0, 0)", "INTEGER(4)' is not compatible"),
    ("mpi_f08", "call MPI_Send(x, 1, 17, 0, 0, comm)", "INTEGER(4)' is not compatible"),
    ("mpi_f08", "call MPI_Send(x, 1, MPI_COMM_WORLD, 0, 0, MPI_REAL)", "not compatible"),
    ("mpi_f08", "call MPI_Send(x, 1, MPI_REAL, 0, 0, comm%MPI_VAL)", "not compatible"),
    ("mpi_f08", "call MPI_Send(x, [1], MPI_REAL, 0, 0, comm)", "Whole|rank|array"),
    ("mpi_f08", "call MPI_Send(x, 1, MPI_REAL, 0, 0)", "comm"),
    ("mpi_f08", "call MPI_Wait(more, s)", "[Rr]ank|array"),
    ("mpi_f08", "call MPI_Wait(request, status)", "not compatible"),
    ("mpi_f08", "call MPI_Waitall(4, request, ss)", "[Ss]calar|rank|array"),
    ("mpi_f08", "call MPI_Waitall(4, more, MPI_STATUS_IGNORE)", "[Ss]calar|rank|array"),
    ("mpi_f08", "call MPI_Wait(MPI_REQUEST_NULL, s)", "definable|constant"),
    ("mpi_f08", "call MPI_Test(request, n, s)", "not compatible"),
    ("mpi_f08", "call MPI_Op_create(wrong, .true., op)", "[Ii]ncompatible|characteristics|interface"),
    ("mpi_f08", "call MPI_Comm_set_name(comm, 5)", "match|compatible"),
    ("mpi_f08", "call MPI_Get_address(x, n)", "compatible"),
    ("mpi_f08", "flag = comm == MPI_REQUEST_NULL", "[Oo]per|compar"),
    ("mpi", "call MPI_Send(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)", ""),
    ("mpi", "call MPI_Isend(x(1, :), 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, n, ierr)", ""),
    ("mpi", "call MPI_Waitall(4, requests, statuses, ierr)", ""),
    ("mpi", "call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, n, flag, ierr)", ""),
    ("mpi", "call MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, n, 0, ierr)", ""),
    ("mpi", "call MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)", ""),
    ("mpi", "call MPI_Op_create(wrong, .true., n, ierr)", ""),
    ("mpi", "call PMPI_Bcast(text, 10, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)", ""),
    ("mpi", "call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)", ""),
    ("mpi", "call MPI_Wait(requests(2), statuses(:, 1), ierr)", ""),
    ("mpi", "call MPI_Wait(requests(2), statuses(1, 1), ierr)", ""),
    ("mpi", "call MPI_Send(b(2), 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)", ""),
    ("mpi", "call MPI_Send(c(1, 2), 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)", ""),
    ("mpi", "call MPI_Isend(a, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, n, ierr)", "explicit interface"),
    ("mpi", "call MPI_Sendrecv(c(1, 2), 1, MPI_INTEGER, 0, 0, c, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, ierr)",
     ""),
    ("mpi", "call MPI_Get_address(c(1, 2), at, ierr)", ""),
    ("mpi", "call MPI_Barrier(MPI_COMM_WORLD)", "ierror"),
    ("mpi", "call MPI_Barrier(1.5, ierr)", "not compatible"),
    ("mpi_f08", "call MPI_Send(a(2), 1, MPI_REAL, 0, 0, MPI_COMM_WORLD)", "may not be associated"),
    ("mpi", "call MPI_Wait(requests(2), n, ierr)", "[Ss]calar|rank|array"),
    ("mpi", "call MPI_Waitall(4, n, statuses, ierr)", "[Ss]calar|rank|array"),
    ("mpi", "call MPI_Test(n, n, status, ierr)", "not compatible"),
]
# Taken where there are large counts, and refused where there are none.
LARGE = [
    ("mpi_f08", "call MPI_Get_count(s, datatype, at)", "INTEGER(8)' is not compatible"),
    ("mpi_f08", "call MPI_Send(x, at, MPI_REAL, 0, 0, comm)", "INTEGER(8)' is not compatible"),
    ("mpi_f08", "call MPI_Irecv(a(1:9:2), at, MPI_REAL, 0, 0, comm, request)", "INTEGER(8)' is not compatible"),
    ("mpi_f08", "call PMPI_Bcast(root=0, comm=comm, datatype=datatype, count=at, buffer=text)",
     "INTEGER(8)' is not compatible"),
]
# Refused everywhere: large and plain counts in one call, and what has no count.
NEVER_LARGE = [
    ("mpi_f08", "call MPI_Sendrecv(x, 1, MPI_REAL, 0, 0, x, at, MPI_REAL, 0, 0, comm, s)", "INTEGER(8)' is not compatible"),
    ("mpi_f08", "call MPI_Send(x, at, MPI_REAL, at, 0, comm)", "INTEGER(8)' is not compatible"),
    ("mpi_f08", "call MPI_Waitall(at, more, MPI_STATUSES_IGNORE)", "INTEGER(8)' is not compatible"),
]
GENERIC = "No specific subroutine of generic"


class Refused(unittest.TestCase):
    def compile(self, module, cases):
        """{number of the case: what is said about its line}, and what is said about the rest."""
        text = PROGRAM.format(module=module, statement="\n    ".join(c[1] for c in cases),
                              declarations=F08 if module == "mpi_f08" else "")
        first = text.split("\n").index("    " + cases[0][1])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.f90")
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            done = subprocess.run([ARGUMENTS.flang, "-fsyntax-only", f"-I{ARGUMENTS.modules}", path], cwd=folder,
                                  capture_output=True, text=True, check=False)
        said, rest = {}, []
        for line, sentence in re.findall(r"p\.f90:(\d+):\d+: (?:error|warning): (.*)", done.stdout + done.stderr):
            number = int(line) - 1 - first
            if 0 <= number < len(cases):
                said[number] = said.get(number, "") + sentence
            else:
                rest.append(sentence)
        return done.returncode, said, rest

    def check(self, module):
        large = [(c[0], c[1], "" if ARGUMENTS.large else c[2]) for c in LARGE]
        cases = [c for c in CASES + large + NEVER_LARGE if c[0] == module]
        good = [c for c in cases if not c[2]]
        bad = [c for c in cases if c[2]]
        self.assertEqual(self.compile(module, good), (0, {}, []))
        code, said, rest = self.compile(module, bad)
        self.assertNotEqual(code, 0)
        self.assertEqual(rest, [])
        for number, (_, statement, message) in enumerate(bad):
            with self.subTest(statement):
                wanted = message.replace("(", "\\(").replace(")", "\\)") + (f"|{GENERIC}" if ARGUMENTS.large else "")
                self.assertRegex(said.get(number, "it compiles"), wanted)

    def test_mpi(self):
        self.check("mpi")

    def test_mpi_f08(self):
        self.check("mpi_f08")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--flang", required=True)
    parser.add_argument("--modules", required=True)
    parser.add_argument("--large", action="store_true")
    ARGUMENTS = parser.parse_args()
    ARGUMENTS.modules = os.path.abspath(ARGUMENTS.modules)
    unittest.main(argv=["test_refused.py"])
