#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of ranks hand each other a large NumPy array and combine it with their own.

mpi4py belongs to one MPI; launch it with that one's mpiexec:
    mpiexec -n 2 python3 exchange.py [BYTES]
"""
import sys
import zlib

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
other = rank ^ 1 if rank ^ 1 < ranks else MPI.PROC_NULL
numbers = int(sys.argv[1]) // 8 if len(sys.argv) > 1 else 524288

mine = (numpy.arange(numbers) * 37 + rank) % 1009 / 1009.0
theirs = numpy.zeros(numbers)
status = MPI.Status()
for step in range(8):
    if rank % 2 == 0:
        world.Send(mine, dest=other, tag=step)
        world.Recv(theirs, source=other, tag=step, status=status)
    else:
        world.Recv(theirs, source=other, tag=step, status=status)
        world.Send(mine, dest=other, tag=step)
    assert other == MPI.PROC_NULL or status.Get_count(MPI.DOUBLE) == numbers
    mine = 0.75 * mine + 0.25 * numpy.sqrt(theirs)

checksums = world.gather(zlib.crc32(mine.tobytes()), root=0)
if rank == 0:
    print(f"exchange (mpi4py): {ranks} ranks, checksums {' '.join(f'{c:08x}' for c in checksums)}")
