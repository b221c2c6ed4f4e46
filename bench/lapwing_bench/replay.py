# SPDX-License-Identifier: Apache-2.0
"""Replays messages with LogGP parameters: what processes would take on a machine that is not there."""
import heapq


class Network:
    """o: processor seconds to send or receive a message; latency L; G: seconds per byte at a process' port. A port
    that is not duplex carries one message at a time, in or out: where processors move the bytes, as in HPF/MPI's
    model, both sides are busy for N t_b."""

    def __init__(self, o, latency, gap, duplex=False):
        self.o, self.latency, self.gap, self.duplex = o, latency, gap, duplex


class _Process:
    def __init__(self, number, operations):
        self.number, self.operations, self.clock = number, operations, 0.0
        self.operation = next(operations, None)


def replay(programs, network):
    """Runs one generator of operations per process: ("compute", s), ("send", peer, bytes, key), ("recv", peer, key),
    ("left", peer, key): until that send has left; ("mark", name). Returns {(process, name): clock}, last ones."""
    processes = [_Process(i, iter(p)) for i, p in enumerate(programs)]
    out_free, in_free = [0.0] * len(processes), [0.0] * len(processes)
    arrived, left, marks, blocked = {}, {}, {}, {}
    ready = [(0.0, i) for i in range(len(processes))]
    heapq.heapify(ready)
    while ready:
        _, number = heapq.heappop(ready)
        here = processes[number]
        if here.operation is None:
            continue
        what, *args = here.operation
        if what == "compute":
            here.clock += args[0]
        elif what == "mark":
            marks[number, args[0]] = here.clock
        elif what == "left":
            here.clock = max(here.clock, left[number, args[0], args[1]])
        elif what == "send":
            peer, size, key = args
            here.clock += network.o
            begin = max(here.clock, out_free[number], in_free[peer])
            end = begin + network.gap * size
            out_free[number], in_free[peer] = end, end
            if not network.duplex:
                in_free[number], out_free[peer] = end, end
            left[number, peer, key] = end
            arrived[number, peer, key] = end + network.latency
            waiting = blocked.pop((number, peer, key), None)
            if waiting is not None:
                heapq.heappush(ready, (max(processes[waiting].clock, here.clock), waiting))
        elif what == "recv":
            peer, key = args
            if (peer, number, key) not in arrived:
                blocked[peer, number, key] = number
                continue
            here.clock = max(here.clock, arrived.pop((peer, number, key))) + network.o
        here.operation = next(here.operations, None)
        heapq.heappush(ready, (here.clock, number))
    stuck = [p.number for p in processes if p.operation is not None]
    if stuck:
        raise ValueError(f"the replay stops: process {stuck[0]} waits for a message that nobody sends")
    return marks


def data_parallel(processes, rank, images, message, row, pack, n):
    """Of figure 6's first program: FFTs of rows, the transposition among all, FFTs of columns."""
    rows = n / processes
    for i in range(images):
        yield "compute", rows * row + pack * processes * message
        for d in range(1, processes):
            yield "send", (rank + d) % processes, message, i
        for d in range(1, processes):
            yield "recv", (rank - d) % processes, i
        yield "compute", pack * processes * message + rows * row
        yield "mark", i


def pipeline(processes, rank, images, message, row, pack, n):
    """Of the second: half of the processes transform rows, the others columns; two buffers on each side."""
    half = processes // 2
    work = n / half * row + pack * half * message
    for i in range(images):
        if rank < half:
            for d in range(half):
                if i >= 2:
                    yield "left", half + (rank + d) % half, i - 2
            yield "compute", work
            for d in range(half):
                yield "send", half + (rank + d) % half, message, i
        else:
            for d in range(half):
                yield "recv", (rank - half - d) % half, i
            yield "compute", work
        yield "mark", i


def per_image(program, processes, network, message, row, pack, n, images=40, skipped=10):
    """Seconds from image to image once the pipe is full."""
    marks = replay([program(processes, r, images, message, row, pack, n) for r in range(processes)], network)
    begin = max(t for (_, image), t in marks.items() if image == skipped - 1)
    end = max(t for (_, image), t in marks.items() if image == images - 1)
    return (end - begin) / (images - skipped)
