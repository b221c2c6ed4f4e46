# SPDX-License-Identifier: Apache-2.0
"""A restart: what 4 processes wrote, 6 read. In memory, or through a file that holds the array in the order of its
indices, whoever wrote it and whoever reads it.

    mpiexec -n 6 python3 restart.py memory
    mpiexec -n 4 python3 restart.py write FILE; mpiexec -n 6 python3 restart.py read FILE

A FILE whose name ends in .h5 is an HDF5 file with the array as its dataset "x".
"""
import sys

from mpi4py import MPI
import lapwing

ROWS, COLUMNS = 20, 14


def make(rows, columns, grid):
    return lapwing.Distribution([rows, columns], "int64", grid=grid)


def main():
    world = MPI.COMM_WORLD
    hdf5 = sys.argv[-1].endswith(".h5")
    mode, rank = (sys.argv[1:] + ["memory"])[0], world.rank
    if world.size < (4 if mode == "write" else 6):
        sys.exit("restart: start it on 4 processes to write, and on 6 to read" if rank == 0 else 2)
    tasks = lapwing.ArrayTasks.of_sizes(world, [world.size])

    # As the program of 4 processes has it, and as that of 6 likes it.
    written = make(lapwing.block(ROWS, 0), lapwing.block(COLUMNS, 1), [2, 2])
    wanted = written if mode == "write" else make(lapwing.cyclic(ROWS, 3, 0), lapwing.cyclic(COLUMNS, 2, 1), [3, 2])
    a, b = written.zeros(rank), wanted.zeros(rank)
    i, j = written.indices(rank)
    a[...] = 1000 * (i + 1) + j + 1
    if mode == "write":
        if hdf5:
            tasks.write_hdf5(sys.argv[2], "x", a, written)
        else:
            tasks.write(sys.argv[2], a, written)
        b = a
    elif mode == "read":
        if hdf5:
            tasks.read_hdf5(sys.argv[2], "x", b, wanted)
        else:
            tasks.read(sys.argv[2], b, wanted)
    else:
        tasks.redistribute(a, written, b, wanted)
    i, j = wanted.indices(rank)
    total = world.reduce(int((b * ((i * COLUMNS + j) % 31 + 1)).sum()))
    if rank == 0:
        print(f"restart: {ROWS} x {COLUMNS}, checksum {total}")
    tasks.free()


main()
