# SPDX-License-Identifier: Apache-2.0
"""Two ranks exchange large messages and print a sum of all that they have received."""
import zlib

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
total = 0
for turn in range(8):
    out, into, status = numpy.arange(1 << 18) * 0.5 + world.rank * 1e6 + turn, numpy.empty(1 << 18), MPI.Status()
    if world.rank == 0:
        world.Send(out, 1, turn)
    world.Recv(into, 1 - world.rank, MPI.ANY_TAG, status)
    if world.rank == 1:
        world.Send(out, 0, turn)
    total = zlib.crc32(into.tobytes(), total) ^ status.Get_count(MPI.DOUBLE) ^ status.tag
total = world.reduce(total, MPI.SUM, 0)
if world.rank == 0:
    print("sum", total)
