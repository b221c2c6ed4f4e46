# SPDX-License-Identifier: Apache-2.0
"""A restart: what 4 processes wrote, 6 read. In memory, or through a file that holds the array in the order of its
indices, whoever wrote it and whoever reads it.

    mpiexec -n 6 python3 restart.py memory
    mpiexec -n 4 python3 restart.py write FILE; mpiexec -n 6 python3 restart.py read FILE
"""
import sys

from mpi4py import MPI
import lapwing

ROWS, COLUMNS = 20, 14


def make(rows, columns, grid):
    return lapwing.Distribution([rows, columns], "int64", grid=grid)


def main():
    world = MPI.COMM_WORLD
    mode, rank = (sys.argv[1:] + ["memory"])[0], world.rank
    if world.size < (4 if mode == "write" else 6):
        sys.exit("restart: start it on 4 processes to write, and on 6 to read")
    tasks = lapwing.Tasks.of_sizes(world, [world.size])

    # As the program of 4 processes has it, as that of 6 likes it, and as files do.
    written = make(lapwing.block(ROWS, 0), lapwing.block(COLUMNS, 1), [2, 2])
    wanted = make(lapwing.cyclic(ROWS, 3, 0), lapwing.cyclic(COLUMNS, 2, 1), [3, 2])
    in_file = make(lapwing.block(ROWS), lapwing.collapsed(COLUMNS), [world.size])
    source = in_file if mode == "read" else written
    destination = in_file if mode == "write" else wanted
    a, b = source.zeros(rank), destination.zeros(rank)

    def transfer_file(writing, local):
        file = MPI.File.Open(world, sys.argv[2], MPI.MODE_CREATE | MPI.MODE_WRONLY if writing else MPI.MODE_RDONLY)
        at = int(in_file.index(rank, 0)[0]) * COLUMNS * local.itemsize if local.size else 0
        (file.Write_at_all if writing else file.Read_at_all)(at, local)
        file.Close()

    if mode == "read":
        transfer_file(False, a)
    else:
        i, j = source.indices(rank)
        a[...] = 1000 * (i + 1) + j + 1
    tasks.redistribute(a, source, b, destination)
    if mode == "write":
        transfer_file(True, b)
    i, j = destination.indices(rank)
    total = world.reduce(int((b * ((i * COLUMNS + j) % 31 + 1)).sum()))
    if rank == 0:
        print(f"restart: {ROWS} x {COLUMNS}, checksum {total}")
    tasks.free()


main()
