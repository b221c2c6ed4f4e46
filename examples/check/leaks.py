# SPDX-License-Identifier: Apache-2.0
"""Leaks. A communicator and a datatype that are made once for each step and never freed, and a request that is started and
never completed. MPI permits the former: the checker warns of them, and with --leaks=error ends the job. The latter is an
error in any case; a word on the command line adds it.

    lapwing check -- mpiexec -n 2 python3 leaks.py [request]
"""
import sys

from mpi4py import MPI
import numpy as np

world = MPI.COMM_WORLD
total = 0
for step in range(3):
    half = world.Split(world.rank % 2, world.rank)  # Free() is missing
    total += half.allreduce(world.rank)
column = MPI.DOUBLE.Create_vector(4, 1, 4)  # Free() is missing
column.Commit()
number = np.zeros(1, "i")
if len(sys.argv) > 1:
    request = world.Irecv(number, MPI.ANY_SOURCE, 7)
if world.rank == 0:
    print(f"leaks: sum {total}")
