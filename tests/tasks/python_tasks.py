# SPDX-License-Identifier: Apache-2.0
"""The language of tasks in Python, on threads and on ranks. Ends with 0 if all is as it should be."""
import sys

import numpy as np
from lapwing import tasks


@tasks.task(reads="left", updates="mine")
def add(left, mine, by):
    mine += left + by


@tasks.task(writes="out")
def place(out):
    out[...] = tasks.worker()


@tasks.task(writes="rows")
def fill(rows, value):
    rows[:] = value


@tasks.task(commutes="total")
def count(total, by):
    total += by


@tasks.task(reads="x")
def writes_what_it_reads(x):
    x[0] = 1


@tasks.task(reads="x")
def spawns(x, y):
    fill(y, 1)


@tasks.task(updates="x")
def fails(x, why):
    raise KeyError(why)


def chain():
    n = 6
    x = [tasks.shared(np.full(50, float(i))) for i in range(n)]
    y = [np.full(50, float(i)) for i in range(n)]
    for step in range(20):
        for i in range(1, n):
            add(x[i - 1], x[i], by=step)
            y[i] += y[i - 1] + step
    for mine, expected in zip(x, y):
        assert np.array_equal(mine.read(), expected)
    x[0].destroy()


def language():
    scalar = tasks.shared(0)
    for i in range(tasks.workers()):
        place.options(worker=i, priority=i % 3 - 1)(scalar)
        assert scalar.read() == i
    rows = tasks.shared(np.zeros((12, 3), dtype=np.int32), "rows")
    for i in range(4):
        fill(rows[3 * i:3 * i + 3], i)
    assert np.array_equal(rows.read(), np.repeat(np.arange(4), 9).reshape(12, 3))
    fill(rows[1::2], 7)
    fill(rows[-1], 8)
    fill(rows[5:5], 9)
    assert np.array_equal(rows[1::2].read()[:, 0], [7, 7, 7, 7, 7, 8])
    assert rows[0].read().shape == (1, 3) and rows[4].read()[0, 0] == 1
    total = tasks.shared(np.zeros(1))
    for i in range(10):
        count(total, i)
    assert total.read()[0] == 45
    rows.read_write()[0] = 5
    add(rows[0], rows[1], 1)
    assert np.array_equal(rows[1].read(), [[13, 13, 13]])
    tasks.finish()


def message_of(call):
    try:
        call()
        tasks.finish()
    except (tasks.TaskError, TypeError, IndexError, ValueError) as error:
        return str(error)
    return "nothing was raised"


def mistakes():
    x, y = tasks.shared(np.zeros(4), "x"), tasks.shared(np.zeros(4), "y")

    def told(call, *words):
        text = message_of(call)
        assert all(word in text for word in words), text
    told(lambda: writes_what_it_reads(x), "writes_what_it_reads", "read-only")
    told(lambda: spawns(x, y), "task 'spawns' spawns fill()", "only the main program")
    told(lambda: fails(x, "why not"), "fails", "KeyError", "why not")
    told(lambda: fill(np.zeros(3), 1), "'rows' of fill()", "ndarray")
    told(lambda: tasks.shared(np.array([None])), "Python objects")
    told(lambda: x[9], "row 9", "4 rows")
    told(lambda: x[::-1], "positive")
    told(lambda: tasks.task(reads="a", writes="a"), "declared twice")
    fails(x, "at the end")


def main():
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    tasks.run(chain, threads)
    tasks.run(language, threads)
    try:
        tasks.run(mistakes, threads)
        ended = True
    except tasks.TaskError as error:
        ended = "at the end" not in str(error)
    # The other ranks only serve.
    return 1 if ended and tasks_rank() == 0 else 0


def tasks_rank():
    from mpi4py import MPI
    return MPI.COMM_WORLD.Get_rank()


if __name__ == "__main__":
    sys.exit(main())
