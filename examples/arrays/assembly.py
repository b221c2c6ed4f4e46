# SPDX-License-Identifier: Apache-2.0
"""An assembly by cells, as finite elements have it: nodes on a torus, and a cell between each four of them. A process has a
block of the nodes and computes the cells that begin at these; the nodes behind its block are ghosts. Values of nodes are
brought there before the cells are computed, and what the cells add to ghosts goes to the nodes' owners.

    mpiexec -n 4 python3 assembly.py [ROWS] [COLUMNS] [STEPS]        any number of processes
"""
import sys

from mpi4py import MPI
import lapwing


def corners(nodes):
    """Of each cell the four nodes: itself, to the right, below, and below to the right."""
    return nodes[:-1, :-1], nodes[:-1, 1:], nodes[1:, :-1], nodes[1:, 1:]


def add_cells(stiffness, x, load):
    k = sum(corners(stiffness))
    here, right, below, across = corners(x)
    force = 0.0075 * k * ((here + across) - (right + below))
    for node, sign in zip(corners(load), (-1, 1, 1, -1)):
        node += sign * force


def main():
    words = sys.argv[1:] + [None] * 3
    rows, columns, steps = int(words[0] or 40), int(words[1] or 30), int(words[2] or 50)
    tasks = lapwing.ArrayTasks(MPI.COMM_WORLD, 0)
    grid = MPI.Compute_dims(tasks.processes(), 2)
    nodes = lapwing.Distribution([lapwing.block(rows, 0).with_ghosts(0, 1), lapwing.block(columns, 1).with_ghosts(0, 1)],
                                 float, grid=grid)
    i, j = nodes.indices(tasks.rank)
    stiffness, x, load = (nodes.zeros(tasks.rank) for _ in range(3))
    nodes.owned(stiffness, tasks.rank)[...] = 1 + i * j % 3
    mine, added = nodes.owned(x, tasks.rank), nodes.owned(load, tasks.rank)
    mine[...] = (3 * i + 5 * j) % 17

    torus = (True, True)
    tasks.update_ghosts(stiffness, nodes, corners=True, periodic=torus)  # it stays as it is: once is enough
    for _ in range(steps):
        update = tasks.iupdate_ghosts(x, nodes, corners=True, periodic=torus)
        load[...] = 0
        add_cells(stiffness[:-1, :-1], x[:-1, :-1], load[:-1, :-1])  # these need no ghosts
        update.wait()
        add_cells(stiffness[-2:], x[-2:], load[-2:])
        add_cells(stiffness[:-1, -2:], x[:-1, -2:], load[:-1, -2:])
        tasks.add_ghosts(load, nodes, corners=True, periodic=torus)
        mine += added

    total = MPI.COMM_WORLD.reduce(float((mine * ((i + 2 * j) % 7 + 1)).sum()))
    if tasks.rank == 0:
        print(f"assembly: {rows} x {columns}, {steps} steps, checksum {total:.6E}")
    tasks.free()


main()
