# SPDX-License-Identifier: Apache-2.0
"""`jade`: the four applications of the Jade paper on threads and on ranks: where tasks run, what managing them costs, and
what each optimisation is worth; then a replay of their tasks on 1 to 32 simulated processors beside the tables of the Jade paper."""
import json
import os
import subprocess
import sys
from statistics import median

from . import jade_ranks, jade_replay, statistics, table
from .errors import BenchError

APPLICATIONS = ("water", "string", "ocean", "cholesky")
PLACED = ("ocean", "cholesky")
# The measurements on threads; inputs of the Jade paper's size unless --quick.
QUICK = {"water": ["--molecules", "512", "--iterations", "4"], "string": ["--spacing", "45"],
         "ocean": ["--sweeps", "300"], "cholesky": []}
# Blocks for two workers: on so few processors "one for each but the main one" would be a single block.
BLOCKS = {"ocean": ["--blocks", "4"]}
LEVELS = {"placement": (["--place"], {}), "locality": ([], {}),
          "no locality": ([], {"LAPWING_TASKS_LOCALITY": "off"})}


class Applications:
    def __init__(self, build):
        self.folder = os.path.join(build.prefix, "libexec", "lapwing", "applications")
        if not os.path.exists(os.path.join(self.folder, "water")):
            raise BenchError(f"There is no {self.folder}/water: build the whole project.")

    def run(self, name, workers, extra=(), variables=None, launcher=()):
        """0 workers: what the variables say."""
        argv = [*launcher, os.path.join(self.folder, name), "--json", *extra]
        if workers:
            argv += ["--workers", str(workers)]
        try:
            done = subprocess.run(argv, capture_output=True, text=True, env=dict(os.environ, **(variables or {})),
                                  timeout=3600, check=False)
        except subprocess.TimeoutExpired as error:
            raise BenchError(f"{' '.join(argv)} took more than an hour.") from error
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            raise BenchError(f"{' '.join(argv)} failed: {done.stderr.strip()}")
        return json.loads(lines[0])


def _threads(programs, name, workers, options, emit):
    """The levels of locality in turn, each also free of work."""
    inputs = (QUICK[name] if options.quick else []) + BLOCKS.get(name, [])
    if options.matrix and name == "cholesky":
        inputs = [*inputs, "--matrix", options.matrix]
    levels = [level for level in LEVELS if name in PLACED or level != "placement"]
    turns = 3 if options.quick else options.pairs or 9
    lines = {level: [] for level in levels}
    free = {level: [] for level in levels}
    for turn in range(turns):
        for level in levels[turn % len(levels):] + levels[:turn % len(levels)]:
            extra, variables = LEVELS[level]
            lines[level].append(programs.run(name, workers, [*inputs, *extra], variables))
            free[level].append(programs.run(name, workers, [*inputs, *extra, "--work-free"], variables))
    seconds = {level: [line["seconds"] for line in lines[level]] for level in levels}
    checksums = {line["checksum"] for each in lines.values() for line in each}
    for level in levels:
        targeted = sum(line["targeted"] for line in lines[level])
        record = {"bench": "jade", "case": name, "machine": "threads", "workers": workers, "level": level,
                  "tasks": lines[level][0]["tasks"],
                  "locality_percent": 100 * sum(line["on_target"] for line in lines[level]) / targeted,
                  "verified": len(checksums) == 1 and all(line["verified"] for line in lines[level])}
        statistics.put(record, "seconds", seconds[level])
        statistics.put(record, "management_share",
                       [a["seconds"] / b for a, b in zip(free[level], seconds[level])])
        if level != "locality":
            statistics.put(record, "vs_locality", statistics.ratios(seconds[level], seconds["locality"]))
        emit(record)


def measure(options, build, _where, emit):
    programs = Applications(build)
    names = options.cases.split(",") if options.cases else APPLICATIONS
    for name in names:
        if name not in APPLICATIONS:
            raise BenchError(f"jade has no case '{name}'; there are {', '.join(APPLICATIONS)}.")
        for workers in (2,) if options.quick else (1, 2):
            _threads(programs, name, workers, options, emit)
        print(f"bench: jade, {name} on threads", file=sys.stderr)
        for mpi in options.mpis:
            jade_ranks.measure(programs, name, name in PLACED, options, mpi, emit)
    jade_replay.measure(programs, names, options, build, emit)


COLUMNS = (
    ("case", "case", str), ("machine", "machine", str), ("workers", "workers", str), ("level", "level", str),
    ("tasks", "tasks", str), ("locality %", "locality_percent", table.one), ("seconds", "seconds", table.three),
    ("mpi", "mpi", str), ("management", "management_share", table.three), ("vs locality", "vs_locality", table.two),
    ("from", "vs_locality_lo", table.two), ("to", "vs_locality_hi", table.two),
    *jade_replay.COLUMNS, ("most messages", "most_messages", str), ("CPU s", "cpu_seconds", table.three),
    ("most CPU s", "most_cpu_seconds", table.three), ("moved", "objects_moved", str))
EXPLANATION = """locality %: tasks that ran on their target processor, the owner of their locality object.
management: time of the work-free version over the time with work. vs locality: time over that at level locality.
Ranks: at the highest level of locality what is switched off; most messages: sent by one rank; CPU s: of all
ranks, and of the busiest; moved: versions of objects.
""" + jade_replay.EXPLANATION
