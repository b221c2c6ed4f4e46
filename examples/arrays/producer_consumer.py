# SPDX-License-Identifier: Apache-2.0
"""The producer and consumer of HPF/MPI (figure 2): a task sends an array that it has in blocks of rows to one
that wants it in blocks of columns.

    mpiexec -n 6 python3 producer_consumer.py                                     one program
    mpiexec -n 4 python3 producer_consumer.py producer : -n 2 python3 producer_consumer.py consumer
"""
import sys

from mpi4py import MPI
import lapwing

N, TIMES, TAG = 8, 10, 99


def main():
    world = MPI.COMM_WORLD
    if len(sys.argv) > 1:
        tasks = lapwing.ArrayTasks.of_programs()
        producer = sys.argv[1] == "producer"
    else:
        if world.size < 3:
            sys.exit("usage: mpiexec -n 6 producer_consumer, on 3 processes or more" if world.rank == 0 else 2)
        consumers = world.size // 3
        tasks = lapwing.ArrayTasks.of_sizes(world, [world.size - consumers, consumers])
        producer = tasks.task == 0
    rank, processes = tasks.rank, tasks.processes()

    # A (BLOCK, *) at the producer, B (*, BLOCK) at the consumer.
    dimensions = [lapwing.block(N), lapwing.collapsed(N)] if producer else [lapwing.collapsed(N), lapwing.block(N)]
    array = lapwing.Distribution(dimensions, float, grid=[processes])
    local = array.zeros(rank)
    i, j = array.indices(rank)

    total = 0.0
    for time in range(1, TIMES + 1):
        if producer:
            local[...] = 10000.0 * time + 100.0 * (i + 1) + (j + 1)
            tasks.send(local, array, dest=1, tag=TAG)
        else:
            tasks.recv(local, array, source=0, tag=TAG)
            total += float((local * ((i * N + j) % 13 + 1)).sum())
    if not producer:
        total = tasks.comm.reduce(total)
        if rank == 0:
            print(f"producer_consumer: {TIMES} arrays from {tasks.processes(0)} to {processes} processes, "
                  f"checksum {total:.0f}")
    tasks.free()


main()
