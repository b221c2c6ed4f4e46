# SPDX-License-Identifier: Apache-2.0
"""Two-dimensional FFTs of a series of images (HPF/MPI, section 3.2): as one data-parallel program that transposes
among all its processes, or as a pipeline of two tasks, of which the first transforms rows and the second columns.

    mpiexec -n 4 python3 fft2d.py parallel [N] [IMAGES]
    mpiexec -n 4 python3 fft2d.py pipeline [N] [IMAGES]      N is a power of two
"""
import sys

from mpi4py import MPI
import lapwing
import numpy as np


def fft_rows(x):
    """Radix 2; all rows at once."""
    n = x.shape[1]
    bits = n.bit_length() - 1
    reverse = [int(format(i, f"0{bits}b")[::-1], 2) if bits else 0 for i in range(n)]
    x[...] = x[:, reverse]
    length = 2
    while length <= n:
        half = length // 2
        angle = -2 * np.pi / length * np.arange(half)
        blocks = x.reshape(x.shape[0], n // length, length)
        a, b = blocks[:, :, :half].copy(), blocks[:, :, half:] * (np.cos(angle) + 1j * np.sin(angle))
        blocks[:, :, :half], blocks[:, :, half:] = a + b, a - b
        length *= 2


def main():
    words = sys.argv[1:] + [None] * 3
    pipeline = words[0] == "pipeline"
    n, images = int(words[1] or 32), int(words[2] or 3)
    world = MPI.COMM_WORLD
    if pipeline and world.size < 2:
        sys.exit("usage: mpiexec -n 4 fft2d pipeline [N] [IMAGES], on 2 processes or more" if world.rank == 0 else 2)
    half = world.size // 2
    tasks = lapwing.ArrayTasks.of_sizes(world, [world.size - half, half] if pipeline else [world.size])
    rank = tasks.rank

    # Rows in blocks, and the same shape again for the transposed array.
    image = lapwing.Distribution([lapwing.block(n), lapwing.collapsed(n)], complex, grid=[tasks.processes()])
    transposed = image.transposed()
    a, b = image.zeros(rank), image.zeros(rank)
    i, j = image.indices(rank)

    total = 0.0
    for number in range(images):
        if tasks.task == 0:
            a[...] = np.sin(0.1 * ((i + 1) * (number + 1))) + 0.5 * np.cos(0.3 * (j + 1))
            fft_rows(a)
        if not pipeline:
            tasks.redistribute(a, image, b, transposed)
        elif tasks.task == 0:
            tasks.send(a, image, dest=1, tag=number)
        else:
            tasks.recv(b, transposed, source=0, tag=number)
        if not pipeline or tasks.task == 1:
            fft_rows(b)
            total += float((np.abs(b) * ((7 * j + 3 * i) % 11 + 1)).sum())
    total = tasks.comm.reduce(total)
    if rank == 0 and (not pipeline or tasks.task == 1):
        print(f"fft2d: {images} images of {n} x {n}, checksum {total:.6E}")
    tasks.free()


main()
