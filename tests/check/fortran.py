# SPDX-License-Identifier: Apache-2.0
"""Fortran programs under check, by each of the interfaces.

    fortran.py --build DIR --mpi mpich|openmpi
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import run as suite

# The right one makes a call of each kind; a wrong one is a line in its place.
TEXT = """
program checked
  {use}
  implicit none
  {include}
  {declare}
  integer :: rank, n, ierror, x(8), y(64), counts(4), places(4)
  integer :: status({status_size})
  call mpi_init(ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  call mpi_comm_size(MPI_COMM_WORLD, n, ierror)
  x = 1
  counts = 2
  places = (/ 0, 2, 4, 6 /)
  call mpi_barrier(MPI_COMM_WORLD, ierror)
  call mpi_bcast(x, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call mpi_allreduce(MPI_IN_PLACE, x, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call mpi_gatherv(x, 2, MPI_INTEGER, y, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call mpi_alltoall(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call mpi_comm_dup(MPI_COMM_WORLD, comm, ierror)
  call mpi_ibarrier(comm, request, ierror)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierror)
  call mpi_comm_free(comm, ierror)
  call mpi_sendrecv(x, 1, MPI_INTEGER, mod(rank + 1, n), 0, y, 1, MPI_INTEGER, mod(rank + n - 1, n), 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  {wrong}
  call mpi_finalize(ierror)
end program checked
"""
INTERFACES = {
    "mpif.h": {"use": "", "include": "include 'mpif.h'", "declare": "integer :: comm, request"},
    "mpi": {"use": "use mpi", "include": "", "declare": "integer :: comm, request"},
    "mpi_f08": {"use": "use mpi_f08", "include": "", "declare": "type(MPI_Comm) :: comm\n  type(MPI_Request) :: request"},
}
WRONG = {
    "missing": "if (rank /= 1) call mpi_barrier(MPI_COMM_WORLD, ierror)",
    "root": "call mpi_bcast(x, 1, MPI_INTEGER, rank, MPI_COMM_WORLD, ierror)",
    "count": "call mpi_allreduce(x, y, 1 + rank, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)",
    "operation": "call mpi_reduce(x, y, 1, MPI_INTEGER, merge(MPI_SUM, MPI_MAX, rank == 0), 0, MPI_COMM_WORLD, ierror)",
    "receives": "call mpi_recv(x, 1, MPI_INTEGER, mod(rank + 1, n), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpi", required=True, choices=suite.LAUNCHERS)
    options = parser.parse_args()
    options.build, options.timeout = os.path.abspath(options.build), 40
    options.only, failures = "", 0
    with tempfile.TemporaryDirectory(prefix="lapwing-fortran-") as name:
        folder = pathlib.Path(name)
        runner = suite.Suite(options, folder)
        kinds = list(WRONG)
        for number, (interface, words) in enumerate(INTERFACES.items()):
            # Each interface has some of the mistakes; handles of mpi_f08 are of a derived type.
            for wrong in (None, "missing", kinds[(2 * number + 3) % 5], kinds[(2 * number + 4) % 5]):
                if wrong == "operation" and interface == "mpi_f08":
                    continue
                text = TEXT.format(**words, wrong=WRONG.get(wrong, ""), status_size=10)
                source = folder / "checked.f90"
                source.write_text(text)
                program = folder / "checked"
                subprocess.run([f"mpifort.{options.mpi}", "-g", "-w", "-fallow-argument-mismatch", str(source), "-o",
                                str(program)], check=True, cwd=folder)
                result = runner.start(options.mpi, program, 3, [], folder / "found.json")
                line = 1 + text[:text.index(WRONG[wrong])].count("\n") if wrong else 0
                good = (result.returncode == 86 and f"checked.f90:{line}" in result.stderr if wrong
                        else result.returncode == 0 and not result.stderr)
                if not good:
                    failures += 1
                    print(f"FAILED {interface} {wrong or 'right'}: status {result.returncode}, expected line {line}\n"
                          f"{result.stdout}{result.stderr}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
