# SPDX-License-Identifier: Apache-2.0
"""Unsafe sends. Neighbours send to each other first and receive then, which works as long as MPI buffers the messages, and
hangs where it does not: with larger messages, on another machine. The checker warns of it in the run that works; with
--sends=error it ends the job.

    lapwing check -- mpiexec -n 2 python3 head_to_head.py [NUMBERS]        2 processes or more
"""
import sys

import mpi4py
mpi4py.rc.thread_level = "single"  # else it asks for threads, with which fewer mistakes are found
from mpi4py import MPI  # noqa: E402
import numpy as np  # noqa: E402

world = MPI.COMM_WORLD
if world.size < 2:
    sys.exit("usage: mpiexec -n 2 head_to_head.py [NUMBERS], on 2 processes or more")
n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
partner = world.rank + 1 if world.rank % 2 == 0 else world.rank - 1  # the last of an odd number has none
mine, theirs = world.rank + np.arange(float(n)), np.zeros(n)
if partner < world.size:
    world.Send(mine, partner, 1)  # Sendrecv is right
    world.Recv(theirs, partner, 1)
if world.rank == 0:
    print(f"head_to_head: {n} numbers from rank {partner}, the first is {theirs[0]:.0f}")
