# SPDX-License-Identifier: Apache-2.0
"""A Jacobi sweep over an array in blocks of both dimensions. Each block has a layer of ghosts, which a persistent update
fills while the elements that need none are computed. The outermost elements of the array are its boundary.

    mpiexec -n 4 python3 jacobi.py [ROWS] [COLUMNS] [STEPS]        any number of processes
"""
import sys

from mpi4py import MPI
import lapwing


def range_of(numbers, extent):
    """Along one dimension: which owned elements change, and which of these need no ghosts."""
    mine = len(numbers)
    low = 1 if mine and numbers[0] == 0 else 0
    high = mine - 1 if mine and numbers[-1] == extent - 1 else mine
    inner_low = min(max(low, 1), high)
    return low, inner_low, max(inner_low, min(high, mine - 1)), high


def relax(u, new, i0, i1, j0, j1):
    """Owned elements count from 0 here, and from 1 in local memory."""
    if i0 < i1 and j0 < j1:
        new[i0 + 1:i1 + 1, j0 + 1:j1 + 1] = 0.25 * ((u[i0:i1, j0 + 1:j1 + 1] + u[i0 + 2:i1 + 2, j0 + 1:j1 + 1]) +
                                                    (u[i0 + 1:i1 + 1, j0:j1] + u[i0 + 1:i1 + 1, j0 + 2:j1 + 2]))


def main():
    words = sys.argv[1:] + [None] * 3
    rows, columns, steps = int(words[0] or 40), int(words[1] or 30), int(words[2] or 50)
    tasks = lapwing.ArrayTasks(MPI.COMM_WORLD, 0)
    grid = MPI.Compute_dims(tasks.processes(), 2)
    array = lapwing.Distribution([lapwing.block(rows, 0).with_ghosts(1, 1), lapwing.block(columns, 1).with_ghosts(1, 1)],
                                 float, grid=grid)
    i, j = array.indices(tasks.rank)

    # Two arrays that take turns, each with its update.
    memory = array.zeros(tasks.rank), array.zeros(tasks.rank)
    for one in memory:
        array.owned(one, tasks.rank)[...] = (3 * i + 5 * j) % 17
    updates = [tasks.update_ghosts_init(one, array, corners=False) for one in memory]

    low, inner_low, inner_high, high = range_of(i.ravel(), rows)
    left, inner_left, inner_right, right = range_of(j.ravel(), columns)
    for step in range(steps):
        u, new = memory[step % 2], memory[(step + 1) % 2]
        updates[step % 2].start()
        relax(u, new, inner_low, inner_high, inner_left, inner_right)
        updates[step % 2].wait()
        relax(u, new, low, inner_low, left, right)
        relax(u, new, inner_high, high, left, right)
        relax(u, new, inner_low, inner_high, left, inner_left)
        relax(u, new, inner_low, inner_high, inner_right, right)

    result = array.owned(memory[steps % 2], tasks.rank)
    total = MPI.COMM_WORLD.reduce(float((result * ((i + 2 * j) % 7 + 1)).sum()))
    if tasks.rank == 0:
        print(f"jacobi: {rows} x {columns}, {steps} steps, checksum {total:.6E}")
    for update in updates:
        update.free()
    tasks.free()


main()
