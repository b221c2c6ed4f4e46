# SPDX-License-Identifier: Apache-2.0
"""A multiblock code: three blocks of a domain lie side by side. Each is a task of its own size that relaxes its block,
rows distributed; neighbours send each other the columns next to their common boundary, by persistent requests.

    mpiexec -n 6 python3 multiblock.py [ROWS] [COLUMNS] [STEPS]
"""
import sys

from mpi4py import MPI
import lapwing

BLOCKS = 3


def exchange_rows(u, comm):
    """Rows of the neighbours above and below into the ghost rows."""
    up = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    down = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    comm.Sendrecv(u[1], up, 1, u[-1], down, 1)
    comm.Sendrecv(u[-2], down, 2, u[0], up, 2)


def main():
    words = sys.argv[1:] + [None] * 3
    rows, columns, steps = int(words[0] or 12), int(words[1] or 9), int(words[2] or 20)
    world = MPI.COMM_WORLD
    if world.size < 6:
        sys.exit("usage: mpiexec -n 6 multiblock [ROWS] [COLUMNS] [STEPS], on 6 processes or more" if world.rank == 0 else 2)
    sizes = [world.size // 2, world.size - world.size // 2 - world.size // 6, world.size // 6]  # 6: 3, 2, 1
    tasks = lapwing.ArrayTasks.of_sizes(world, sizes)
    task, rank, processes, comm = tasks.task, tasks.rank, tasks.processes(), tasks.comm

    # Equal shares of rows, with a ghost row on both sides.
    bounds = [rows * p // processes for p in range(processes + 1)]
    block = lapwing.Distribution([lapwing.irregular(bounds).with_ghosts(1, 1), lapwing.collapsed(columns)], float,
                                 grid=[processes])
    u = block.zeros(rank)
    i, j = block.indices(rank)
    owned = block.owned(u, rank)
    owned[...] = (3 * i + 5 * j + 7 * task) % 17

    # My outermost inner columns go to the neighbours' boundary columns.
    requests = []
    for side in (-1, 1):
        if 0 <= task + side < BLOCKS:
            inner = block.section([0, 1 if side < 0 else columns - 2], [rows, 1])
            outer = block.section([0, 0 if side < 0 else columns - 1], [rows, 1])
            requests.append(tasks.send_init(u, inner, dest=task + side, tag=5))
            requests.append(tasks.recv_init(u, outer, source=task + side, tag=5))

    low = 2 if bounds[rank] == 0 else 1
    high = len(u) - (2 if bounds[rank + 1] == rows else 1)
    for _ in range(steps):
        lapwing.startall(requests)
        exchange_rows(u, comm)
        lapwing.waitall(requests)
        u[low:high, 1:-1] = 0.25 * ((u[low - 1:high - 1, 1:-1] + u[low + 1:high + 1, 1:-1]) +
                                    (u[low:high, :-2] + u[low:high, 2:]))

    total = world.reduce(float((owned * ((i + 2 * j + 3 * task) % 7 + 1)).sum()))
    if task == 0 and rank == 0:
        print(f"multiblock: {BLOCKS} blocks of {rows} x {columns}, {steps} steps, checksum {total:.6E}")
    for request in requests:
        request.free()
    tasks.free()


main()
