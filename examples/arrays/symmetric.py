# SPDX-License-Identifier: Apache-2.0
"""The symmetric part of a matrix, (A + A^T) / 2, in one call: the matrix is transposed, scaled and added while it goes
from one distribution to another.

    mpiexec -n 4 python3 symmetric.py [N]
"""
import sys

from mpi4py import MPI
import lapwing


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    world = MPI.COMM_WORLD
    tasks = lapwing.ArrayTasks.of_sizes(world, [world.size])
    # Rows dealt out in turn; that they are elsewhere than its columns is the call's matter.
    matrix = lapwing.Distribution([lapwing.cyclic(n, 2), lapwing.collapsed(n)], float, grid=[world.size])
    a = matrix.zeros(tasks.rank)
    i, j = matrix.indices(tasks.rank)
    a[...] = (3 * i + 5 * j * j) % 17
    s = a.copy()
    tasks.transform(a, matrix, s, matrix, op="transpose", alpha=0.5, beta=0.5)
    total = tasks.comm.reduce(float((s * ((i + 2 * j) % 7 + 1)).sum()))
    if tasks.rank == 0:
        print(f"symmetric: {n} x {n}, checksum {total:.6E}")
    tasks.free()


main()
