# SPDX-License-Identifier: Apache-2.0
"""MPI inside of tasks, with mpi4py: on each rank tasks receive arrays from the rank before it, and tasks that are spawned
behind them send arrays to the rank behind it. Those that wait do not hold their workers.

    LAPWING_TASKS_RANKS=off mpiexec -n 2 python3 pairs.py [MESSAGES]
"""

import os
import sys

import numpy as np
from mpi4py import MPI

os.environ["LAPWING_TASKS_RANKS"] = "off"  # each rank runs this program by itself

from lapwing import tasks  # noqa: E402

comm = MPI.COMM_WORLD
before, after = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
messages = int(sys.argv[1]) if len(sys.argv) > 1 else 8


@tasks.task(updates="values")
def receive(values, number):
    comm.Recv(values, source=before, tag=number)


@tasks.task(reads="values")
def send(values, number):
    comm.Ssend(values * number, dest=after, tag=number)


def program():
    ones = tasks.shared(np.ones(1000))
    received = [tasks.shared(np.zeros(1000)) for _ in range(messages)]
    for number in range(messages):
        receive(received[number], number)
    for number in reversed(range(messages)):
        send(ones, number)
    right = all((received[number].read() == number).all() for number in range(messages))
    print(f"rank {comm.rank}: {messages} arrays, {'right' if right else 'WRONG'}")
    if not right:
        raise RuntimeError("a wrong array")


tasks.run(program)
