# SPDX-License-Identifier: Apache-2.0
"""Smooths an image by rows, in Python: each task reads a band of one array and writes a band of another.

    python3 smooth.py [BANDS [ROUNDS]]                 on threads
    mpiexec -n 2 python3 smooth.py [BANDS [ROUNDS]]    on ranks

Bands that have no row in common are smoothed side by side, and a round need not end before the next begins.
"""
import sys

import numpy as np
from lapwing import tasks

ROWS, COLUMNS = 512, 256


def smoothed(image):
    """Of all rows but the first and the last."""
    return 0.25 * image[:-2] + 0.5 * image[1:-1] + 0.25 * image[2:]


@tasks.task(reads="image", writes="band")
def smooth(image, band):
    band[:] = smoothed(image)


def program(bands, rounds, image):
    if tasks.workers() > bands:
        sys.exit(f"usage: smooth.py [BANDS [ROUNDS]], at least a band for each of the {tasks.workers()} workers")
    both = [tasks.shared(image, "image"), tasks.shared(image, "next image")]
    inner = ROWS - 2
    for turn in range(rounds):
        old, new = both[turn % 2], both[1 - turn % 2]
        for i in range(bands):
            first, end = 1 + inner * i // bands, 1 + inner * (i + 1) // bands
            smooth(old[first - 1:end + 1], new[first:end])
    result = both[rounds % 2].read()
    for _ in range(rounds):
        image = np.vstack([image[:1], smoothed(image), image[-1:]])
    if not np.array_equal(image, result):
        sys.exit("smooth: NOT AS THE SERIAL PROGRAM")
    print(f"smooth: {rounds} rounds in {bands} bands on {tasks.workers()} workers, as the serial program")


def main():
    try:
        bands, rounds = (int(text) for text in (sys.argv[1:] + ["8", "10"][len(sys.argv) - 1:])[:2])
    except ValueError:
        bands, rounds = 0, 0
    if not 1 <= bands <= ROWS - 2 or rounds < 0:
        sys.exit(f"usage: smooth.py [BANDS [ROUNDS]], 1 to {ROWS - 2} bands")
    image = np.random.default_rng(1).random((ROWS, COLUMNS))
    tasks.run(lambda: program(bands, rounds, image))


if __name__ == "__main__":
    main()
