# SPDX-License-Identifier: Apache-2.0
"""Poisson's equation in a periodic box, by Fourier transforms: in the frequencies it is a division.

    mpiexec -n 4 python3 poisson.py [N]
"""
import sys

from mpi4py import MPI
import lapwing
import numpy as np


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    world = MPI.COMM_WORLD
    tasks = lapwing.ArrayTasks.of_sizes(world, [world.size])
    # The field in slabs of the first axis; its frequencies in slabs of the second, which saves a redistribution.
    field = lapwing.Distribution([lapwing.block(n), lapwing.collapsed(n), lapwing.collapsed(n)], complex, grid=[world.size])
    waves = lapwing.Distribution([lapwing.collapsed(n), lapwing.block(n), lapwing.collapsed(n)], complex, grid=[world.size])
    plan = lapwing.FFT(tasks, field, waves)

    x, y, z = (2 * np.pi / n * index for index in field.indices(tasks.rank))
    solution = np.sin(x) * np.cos(2 * y) + np.cos(3 * z) * np.sin(y)
    f, u, spectrum = field.zeros(tasks.rank), field.zeros(tasks.rank), waves.zeros(tasks.rank)
    f[...] = 5 * np.sin(x) * np.cos(2 * y) + 10 * np.cos(3 * z) * np.sin(y)   # minus the Laplacian of the solution

    plan.forward(f, spectrum)
    kx, ky, kz = (np.where(2 * index > n, index - n, index) for index in waves.indices(tasks.rank))
    square = (kx**2 + ky**2 + kz**2).astype(float)
    spectrum[...] = np.where(square > 0, spectrum / np.where(square > 0, square, 1), 0)
    plan.backward(spectrum, u)

    error = tasks.comm.reduce(float(np.abs(u - solution).max(initial=0)), MPI.MAX)
    if tasks.rank == 0:
        print(f"poisson: {n} x {n} x {n}, error {error:.1E}")
    plan.free()
    tasks.free()


main()
