# SPDX-License-Identifier: Apache-2.0
"""An unstructured mesh: each process has the cells of a list, in no order, and reads some of others. The cells that it
reads are a second list, its halo, which a persistent redistribution fills before each step.

    mpiexec -n 4 python3 mesh.py [CELLS STEPS]
"""
import sys

from mpi4py import MPI
import lapwing
import numpy as np


def main():
    world = MPI.COMM_WORLD
    cells, steps = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (60, 5)
    tasks = lapwing.ArrayTasks.of_sizes(world, [world.size])
    rank = tasks.rank

    # The mesh: who has a cell, and the two cells that it reads.
    every = np.arange(cells)
    owner = (every * every + every // 3) % world.size
    reads = np.stack([(3 * every + 1) % cells, (5 * every + 2) % cells], axis=1)

    # My cells, and those of others that they read, each once.
    mine = every[owner == rank][::-1]
    others = np.unique(reads[mine])
    others = others[owner[others] != rank]
    owned = lapwing.Distribution([lapwing.indexed(tasks.index_lists(cells, mine))], float, grid=[world.size])
    around = lapwing.Distribution([lapwing.indexed(tasks.index_lists(cells, others))], float, grid=[world.size])

    place = np.zeros(cells, int)
    place[mine] = np.arange(len(mine))
    place[others] = len(mine) + np.arange(len(others))
    u = np.zeros(len(mine) + len(others))  # mine, then the halo
    u[:len(mine)] = mine * mine % 17
    update = tasks.redistribute_init(u[:len(mine)], owned, u[len(mine):], around)
    for _ in range(steps):
        update.start()
        update.wait()
        u[:len(mine)] = 0.5 * u[:len(mine)] + 0.25 * u[place[reads[mine]]].sum(axis=1)

    # In blocks, for what follows.
    blocks = lapwing.Distribution([lapwing.block(cells)], float, grid=[world.size])
    b = blocks.zeros(rank)
    tasks.redistribute(u[:len(mine)], owned, b, blocks)
    cell, = blocks.indices(rank)
    total = world.reduce(float((b * (cell % 7 + 1)).sum()))
    if rank == 0:
        print(f"mesh: {cells} cells, {steps} steps, checksum {total:.6E}")
    update.free()
    tasks.free()


main()
