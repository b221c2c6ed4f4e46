# SPDX-License-Identifier: Apache-2.0
"""Buffers in use. A process writes the next values into the array that it still sends. It looks right in most runs.
`lapwing check --buffers` watches the memory of operations that the program has not completed, and names the first such
access; `write` on the command line makes it. (An early read is not found in Python: mpi4py refers to
MPI_Request_get_status, and received arrays of such programs are not watched.)

    lapwing check --buffers -- mpiexec -n 2 python3 buffers.py write        2 processes or more
"""
import sys

import mpi4py
mpi4py.rc.thread_level = "single"  # else it asks for threads, with which fewer mistakes are found
from mpi4py import MPI  # noqa: E402
import numpy as np  # noqa: E402

NUMBERS = 20000
world = MPI.COMM_WORLD
if world.size < 2:
    sys.exit("usage: mpiexec -n 2 buffers.py write, on 2 processes or more")
sent, received = np.arange(1.0, NUMBERS + 1), np.zeros(NUMBERS)
if world.rank == 1:
    request = world.Isend(sent, 0, 1)
    if "write" in sys.argv:
        sent[NUMBERS // 2 - 1] = 0  # belongs behind the wait
    request.Wait()
elif world.rank == 0:
    world.Recv(received, 1, 1)
    print(f"buffers: in the middle is {received[NUMBERS // 2 - 1]:.0f}")
