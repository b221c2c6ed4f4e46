# SPDX-License-Identifier: Apache-2.0
"""An ensemble: up to three models of one field, each a task with its share of the processes, and collective calls
between them. In each step a task gets a band of rows of all models (alltoall) and forms their mean; the bands of all
tasks are the mean field (allgather), which each model draws near to. The same calls with plain arguments tell what a
task knows as a whole: its weight, and its distances from the mean.

    mpiexec -n 6 python3 ensemble.py [BAND] [COLUMNS] [STEPS]        any number of processes
"""
import sys

from mpi4py import MPI
import numpy as np
import lapwing


def main():
    words = sys.argv[1:] + [None] * 3
    band, columns, steps = int(words[0] or 5), int(words[1] or 12), int(words[2] or 4)
    world = MPI.COMM_WORLD
    models = min(world.size, 3)
    tasks = lapwing.ArrayTasks(world, world.rank * models // world.size)
    model, rank, grid = tasks.task, tasks.rank, [tasks.processes()]

    # A model, and the mean field; one band of all models, one behind the other; that band of the mean.
    rows = lapwing.Distribution([lapwing.block(models * band), lapwing.collapsed(columns)], float, grid=grid)
    bands = lapwing.Distribution([lapwing.collapsed(models * band), lapwing.block(columns)], float, grid=grid)
    one_band = lapwing.Distribution([lapwing.collapsed(band), lapwing.block(columns)], float, grid=grid)
    field, mean, everything, mine = rows.zeros(rank), rows.zeros(rank), bands.zeros(rank), one_band.zeros(rank)
    i, j = rows.indices(rank)
    field[...] = (7 * i + 3 * j + 11 * model) % 13

    weights = np.zeros(models)
    tasks.allgather(np.array([model + 1.0]), weights)
    weights /= weights.sum()
    checksum = 0.0
    for _ in range(steps):
        tasks.alltoall(field, everything, rows, bands)
        mine[...] = np.tensordot(weights, everything.reshape(models, band, -1), 1)
        tasks.allgather(mine, mean, one_band, rows)

        distance = abs(mean - field)
        far = np.array([distance[(i // band == m).ravel()].max(initial=0) for m in range(models)])
        field += 0.25 * (mean - field)
        tasks.comm.Allreduce(MPI.IN_PLACE, far, MPI.MAX)  # all processes of a task have plain arguments alike
        reported = np.zeros(models)
        tasks.alltoall(far, reported)
        if rank == 0:
            checksum += float((reported * (3 * model + 1 + np.arange(models))).sum())

    checksum += (model + 1) * float((field * ((i + 2 * j) % 7 + 1)).sum())
    total = world.reduce(checksum)
    if world.rank == 0:
        print(f"ensemble: {models} models of {models * band} x {columns}, {steps} steps, checksum {total:.6E}")
    tasks.free()


main()
