# SPDX-License-Identifier: Apache-2.0
"""`tasks`: what a task costs, beside GCC's OpenMP and StarPU, and how small a task may be; then on two ranks of each MPI.

Each system is a process of its own; they take turns. In the cases with a batch the main program waits after each
100 tasks, so that no system runs a task where it is spawned (GCC does once 64 a thread are waiting).
"""
import json
import os
import subprocess
import sys
from statistics import median

from . import statistics, table, tasks_ranks
from .errors import BenchError

CASES = ("independent", "independent_objects", "chain", "chains", "stencil", "random")
BATCHED = ("independent", "chain")
BATCH = 100
# The schedulers of StarPU that are worth comparing; the best one counts.
SCHEDULERS = ("lws", "eager", "prio")


class _Program:
    def __init__(self, build, workers):
        self.path = os.path.join(build.prefix, "libexec", "lapwing", "tasks")
        if not os.path.exists(self.path):
            raise BenchError(f"There is no {self.path}: build the target bench_tasks (it needs OpenMP).")
        self.workers = workers

    def run(self, system, case, tasks, rounds, iterations, batch):
        env = dict(os.environ, OMP_PROC_BIND="false", OMP_WAIT_POLICY="active")
        name = system
        if system.startswith("starpu:"):
            name, env["STARPU_SCHED"] = system.split(":")
        argv = [self.path, name, case, str(tasks), str(self.workers), str(rounds), str(iterations), str(batch)]
        done = subprocess.run(argv, capture_output=True, text=True, env=env, timeout=300, check=False)
        if done.returncode == 3:
            return None
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            raise BenchError(f"{' '.join(argv)} failed: {done.stderr.strip()}")
        return json.loads(lines[0])


def _systems(program):
    starpu = [f"starpu:{s}" for s in SCHEDULERS]
    found = program.run("starpu", "independent", 100, 1, 0, 0)
    if found is None:
        print("bench: tasks: StarPU is not in this build", file=sys.stderr)
        starpu = []
    return ["lapwing", "openmp", "serial", *starpu]


def _cost(program, systems, case, batch, turns, emit):
    lines = {system: [] for system in systems}
    for turn in range(turns):
        for system in systems[turn % len(systems):] + systems[:turn % len(systems)]:
            tasks = 2000 if system.startswith("starpu") else 20000
            lines[system].append(program.run(system, case, tasks, 3, 0, batch))
    us = {system: [median(line["us"]) for line in lines[system]] for system in systems}
    record = {"bench": "tasks", "case": case, "machine": "threads", "workers": program.workers,
              "batch": batch, "verified": all(line["verified"] for each in lines.values() for line in each)}
    statistics.put(record, "us_per_task", us["lapwing"])
    record["us_openmp"] = median(us["openmp"])
    statistics.put(record, "vs_openmp", [a / b for a, b in zip(us["lapwing"], us["openmp"])])
    peers = [system for system in systems if system.startswith("starpu")]
    if peers:
        best = min(peers, key=lambda system: median(us[system]))
        record["starpu_scheduler"] = best.split(":")[1]
        record["us_starpu"] = median(us[best])
        statistics.put(record, "vs_starpu", [a / b for a, b in zip(us["lapwing"], us[best])])
    record["us_serial"] = median(us["serial"])
    emit(record)


def _step_ns(program):
    line = program.run("serial", "independent", 1000, 5, 10000, 0)
    return 1e3 * min(line["us"]) / 10000


def _speedup(program, turns, emit):
    """Independent tasks of 10 us: how much faster than the serial program."""
    iterations = int(10000 / _step_ns(program))
    ratios, alone = [], []
    for _ in range(turns):
        serial = median(program.run("serial", "independent", 5000, 3, iterations, 0)["us"])
        ours = median(program.run("lapwing", "independent", 5000, 3, iterations, 0)["us"])
        ratios.append(serial / ours)
        alone.append(serial)
    record = {"bench": "tasks", "case": "speed-up of 10 us", "machine": "threads", "workers": program.workers,
              "us_serial": median(alone)}
    statistics.put(record, "speedup", ratios)
    emit(record)


def _smallest(program, systems, case, emit):
    """The smallest task for which the workers are busy half of the time."""
    step = _step_ns(program)
    for system in ("lapwing", "openmp", *[s for s in systems if s == "starpu:lws"]):
        smallest = None
        for length in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200):
            iterations = int(1000 * length / step)
            tasks = max(300, int(20000 / max(1, length)))
            line = program.run(system, case, tasks, 3, iterations, 0)
            if length / program.workers / median(line["us"]) >= 0.5:
                smallest = length
                break
        emit({"bench": "tasks", "case": f"smallest task, {case}", "machine": "threads", "workers": program.workers,
              "system": system, "us_smallest": smallest})


def _flat(program, emit):
    """Cost and memory of a task as their number grows."""
    for tasks in (1000, 10000, 100000, 1000000):
        line = program.run("lapwing", "chains", tasks, 3, 0, 0)
        emit({"bench": "tasks", "case": "flat", "machine": "threads", "workers": program.workers, "tasks": tasks,
              "us_per_task": median(line["us"]), "rss_kib": line["rss_kib"], "verified": line["verified"]})


def measure(options, build, _where, emit):
    program = _Program(build, 2)
    systems = _systems(program)
    turns = 3 if options.quick else options.pairs or 30
    cases = options.cases.split(",") if options.cases else CASES
    if cases == ["ranks"]:
        return _ranks(options, build, turns, emit)
    for case in cases:
        if case not in CASES:
            raise BenchError(f"tasks has no case '{case}'; there are {', '.join(CASES)}, and ranks alone.")
        for batch in (BATCH, 0) if case in BATCHED else (0,):
            _cost(program, systems, case, batch, turns, emit)
            print(f"bench: tasks, {case}, batch {batch}: {turns} turns", file=sys.stderr)
    if options.cases:
        return
    _speedup(program, turns, emit)
    for case in ("independent", "stencil"):
        _smallest(program, systems, case, emit)
    _flat(program, emit)
    _ranks(options, build, turns, emit)


def _ranks(options, build, turns, emit):
    for mpi in options.mpis:
        tasks_ranks.measure(build, mpi, turns, emit)


COLUMNS = (
    ("case", "case", str), ("machine", "machine", str), ("mpi", "mpi", str), ("bytes", "bytes", table.size), ("workers", "workers", str), ("batch", "batch", str), ("system", "system", str),
    ("tasks", "tasks", str), ("us/task", "us_per_task", table.two), ("openmp", "us_openmp", table.two),
    ("vs openmp", "vs_openmp", table.two), ("from", "vs_openmp_lo", table.two), ("to", "vs_openmp_hi", table.two),
    ("starpu", "us_starpu", table.two), ("vs starpu", "vs_starpu", table.two), ("from", "vs_starpu_lo", table.two),
    ("to", "vs_starpu_hi", table.two), ("speed-up", "speedup", table.two), ("us smallest", "us_smallest", table.two),
    ("KiB", "rss_kib", str), ("threads", "us_threads", table.two), ("vs threads", "vs_threads", table.two),
    ("from", "vs_threads_lo", table.two), ("to", "vs_threads_hi", table.two), ("ping-pong", "us_pingpong", table.two),
    ("vs it", "vs_pingpong", table.two), ("from", "vs_pingpong_lo", table.two), ("to", "vs_pingpong_hi", table.two),
    ("messages/fetch", "messages_per_fetch", table.two), ("idle CPU %", "cpu_percent", table.two))
EXPLANATION = """us/task: wall time over the number of tasks, none of which computes; below 1 in vs: Lapwing is cheaper.
batch: the main program waits after so many tasks, and no system runs a task where it is spawned.
us smallest: the shortest task, in microseconds, with which the workers are busy at least half of the time.
Ranks: two, one worker each. local: vs the same on threads. remote: an object of so many bytes goes to a task on the other
rank and back, vs a ping-pong of as many bytes; messages for each way. idle CPU: of a rank that waits, percent of a core."""
