# SPDX-License-Identifier: Apache-2.0
"""The replay of `jade`: recorded tasks on 1 to 32 simulated processors, by Lapwing's own scheduler."""
import json
import os
import subprocess
import sys
import tempfile
from statistics import median

from . import jade_paper, table
from .errors import BenchError

# The Jade paper does not tell Ocean's sweeps: 600 suit Tables 4 and 9.
# The Jade paper fits these to the number of processors; the others' tasks are always the same. One processor creates
# Ocean's and Cholesky's tasks, the others have the blocks.
INPUTS = {"water": lambda p: ["--parts", str(p), "--inside"], "string": lambda p: ["--parts", str(p), "--inside"],
          "ocean": lambda p: ["--blocks", str(max(1, p - 1)), "--sweeps", "600"], "cholesky": lambda p: []}
APART = "--inside"   # without it tasks of their own add up the arrays of Water and String
QUICK = {"water": ["--iterations", "2"], "string": ["--spacing", "45"], "ocean": [], "cholesky": []}
QUICK_PROCESSORS = (8, 32)
OMIT_MAIN = ("ocean", "cholesky")
LEVELS = {"placement": ["--place"], "locality": [], "no locality": ["--no-locality"]}
# The other things that can be switched off (or on: latency hiding, Jade 5.4), at the highest level of locality.
SWITCHES = {"no broadcast": ["--no-broadcast"], "no replication": ["--no-replication"],
            "no concurrent fetches": ["--no-concurrent-fetches"], "two tasks each": ["--target", "2"]}
FULL_NAME = {"dash": "DASH", "ipsc": "iPSC/860", "threads": "threads", "ranks": "ranks"}


RECORDED = 3   # times: which task comes first is chance where many are ready, and moves some times by a twentieth


def middle(runs):
    """Of each figure the median of the runs."""
    return {name: median(values) if all(isinstance(value, (int, float)) for value in values) else values[0]
            for name, values in ((name, [run[name] for run in runs]) for name in runs[0])}


class Recordings:
    """Recordings for each decomposition, made when they are wanted: several, or with `quick` one."""

    def __init__(self, programs, folder, options, quick):
        self.times = 1 if quick else RECORDED
        self.programs, self.folder, self.options = programs, folder, options
        self.program = os.path.join(os.path.dirname(programs.folder), "replay_tasks")
        if not os.path.exists(self.program):
            raise BenchError(f"There is no {self.program}: build the whole project.")

    def inputs(self, name, processors, apart=False):
        inputs = INPUTS[name](processors) + (QUICK[name] if self.options.quick else [])
        if apart:
            inputs.remove(APART)
        if name == "cholesky" and self.options.matrix:
            inputs = [*inputs, "--matrix", self.options.matrix]
        return inputs

    def file(self, name, processors, apart, turn):
        inputs = self.inputs(name, processors, apart)
        path = os.path.join(self.folder, "_".join([name, *[i.strip("-").replace("/", "_") for i in inputs], str(turn)]) + ".replay")
        if not os.path.exists(path):
            done = self.programs.run(name, 1, inputs, {"LAPWING_TASKS_TRACE": path, "LAPWING_TASKS_WINDOW": "64"})
            if not done["verified"]:
                raise BenchError(f"{name} computed something wrong while it was recorded.")
        return path

    def replay(self, name, machine, processors, words, eager=True, apart=False):
        options = ["--machine", machine, "--processors", str(processors), *words]
        if name in OMIT_MAIN:
            options.append("--omit-main")
        if machine in jade_paper.STRIPPED:
            options += ["--serial-seconds", str(jade_paper.STRIPPED[machine][name])]
            options += ["--eager"] if eager else []
        runs = []
        for turn in range(self.times):
            argv = [self.program, self.file(name, processors, apart, turn), *options]
            done = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode != 0:
                raise BenchError(f"{' '.join(argv)} failed: {done.stderr.strip()}")
            runs.append(json.loads(done.stdout))
        return middle(runs)


def _record(name, machine, level, processors, inputs, got):
    record = {"bench": "jade", "case": name, "machine": FULL_NAME[machine], "workers": processors, "level": level,
              "replayed": True, "inputs": " ".join(inputs)}
    found = jade_paper.SECONDS.get((machine, name, level))
    # The matrix of the Jade paper is BCSSTK15: another one is not to be compared.
    if found and (name != "cholesky" or "--matrix" in inputs):
        record["table"] = found[0]
        record["paper_seconds"] = found[1][jade_paper.PROCESSORS.index(processors)]
    record["replay_seconds"] = got["seconds"]
    for field in ("tasks", "locality_percent", "task_seconds", "management_percent", "messages"):
        record[field] = got[field]
    if machine in ("ipsc", "ranks"):
        for field in ("object_mbytes", "mbytes_per_task_second", "broadcasts", "object_over_task_latency",
                      "object_latency_over_task_time"):
            record[field] = got[field]
    return record


def measure(programs, names, options, _build, emit):
    wanted = QUICK_PROCESSORS if options.quick else jade_paper.PROCESSORS
    with tempfile.TemporaryDirectory(prefix="lapwing-jade-") as folder:
        recordings = Recordings(programs, folder, options, options.quick)
        for name in names:
            best = "placement" if name in OMIT_MAIN else "locality"
            levels = {level: words for level, words in LEVELS.items() if level != "placement" or name in OMIT_MAIN}
            for machine in ("dash", "ipsc") if options.quick else ("dash", "ipsc", "threads", "ranks"):
                runs = dict(levels)
                if machine in ("ipsc", "ranks"):
                    runs.update({level: [*LEVELS[best], *words] for level, words in SWITCHES.items()})
                for level, words in runs.items():
                    for processors in wanted:
                        emit(_record(name, machine, level, processors, recordings.inputs(name, processors),
                                     recordings.replay(name, machine, processors, words)))
            print(f"bench: jade, {name} replayed", file=sys.stderr)


COLUMNS = (
    ("table", "table", str), ("replayed s", "replay_seconds", table.two), ("paper s", "paper_seconds", table.two),
    ("in tasks s", "task_seconds", table.two), ("management %", "management_percent", table.one),
    ("messages", "messages", str), ("MB", "object_mbytes", table.one), ("MB/task s", "mbytes_per_task_second", table.two),
    ("broadcasts", "broadcasts", str), ("object/task latency", "object_over_task_latency", table.two),
    ("latency/task", "object_latency_over_task_time", table.two))
EXPLANATION = """Replayed: tasks recorded here, on simulated processors, by Lapwing's synchroniser, scheduler and decisions. On DASH and
the iPSC/860 all that is computed takes as long in sum as in Tables 1 and 6 of the Jade paper; table: where that has it.
The costs of managing a task there are fitted to Panel Cholesky with placement, the number of Ocean's sweeps to Tables 4 and 9;
by sections 3.2.1 and 3.4.3 idle processors take what an end lets run before the ending one is free.
Replayed threads and ranks: a machine of today, with plausible figures, not measured ones."""
