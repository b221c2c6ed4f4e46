# SPDX-License-Identifier: Apache-2.0
"""Tables 1 and 6 of the Jade paper: programs with tasks on one processor, beside the same programs with the constructs stripped."""
from statistics import median

from lapwing_bench import jade, jade_paper

from . import judge
from .jade import NAMES
from .model import Entry, Grid, Measurement

ORIGINAL = {"dash": {"water": 3628.29, "string": 20594.50, "ocean": 102.99, "cholesky": 26.67},
            "ipsc": {"water": 2482.91, "string": 20270.45, "ocean": 54.19, "cholesky": 27.60}}
ROUNDS = (3, 7)
QUICK = {"water": ["--iterations", "2"], "string": ["--spacing", "45"], "ocean": ["--sweeps", "300"], "cholesky": []}


def _run(context):
    programs = jade.Applications(context.build)
    seconds = {}
    for name in NAMES:
        inputs = (QUICK[name] if context.quick else []) + (["--blocks", "1"] if name == "ocean" else [])
        if name == "cholesky":
            inputs = [*inputs, "--matrix", context.matrix]
        lines = {"stripped": [], "tasks": []}
        for turn in range(ROUNDS[0 if context.quick else 1]):
            for kind in sorted(lines, reverse=turn % 2 == 0):
                lines[kind].append(programs.run(name + ("_serial" if kind == "stripped" else ""), 1, inputs)["seconds"])
        seconds[name] = {kind: median(values) for kind, values in lines.items()}
        seconds[name]["over"] = median(a / b for a, b in zip(lines["tasks"], lines["stripped"]))
    return {"seconds": seconds, "command": "libexec/lapwing/applications/NAME_serial and NAME --workers 1, in turns"}


def _entry(number, machine, first):
    def claims(parts):
        told = []
        for name in NAMES:
            stripped, level = jade_paper.STRIPPED[machine][name], "no broadcast" if machine == "ipsc" and name in ("ocean", "cholesky") else "locality"
            there = jade_paper.SECONDS[machine, name, level][1][0] / stripped
            here = parts["jade.serial"]["seconds"][name]["over"]
            told.append(judge.holds(f"{NAMES[name]}: tasks on one processor cost little over the stripped program"
                                    if name != "cholesky" else f"{NAMES[name]}: the one program where tasks cost more",
                                    f"{there:.2f}", f"{here:.2f}", here < 1.1 if name != "cholesky" else here > 1.02,
                                    "more" if name != "cholesky" else "tasks cost next to nothing here"))
        return told

    def grid(parts):
        ours = parts["jade.serial"]["seconds"]
        return Grid(("seconds", *NAMES.values()), (
            ("serial, paper", *(ORIGINAL[machine][name] for name in NAMES)),
            ("stripped, paper", *(jade_paper.STRIPPED[machine][name] for name in NAMES)),
            ("stripped, here", *(ours[name]["stripped"] for name in NAMES)),
            ("tasks on one worker, here", *(ours[name]["tasks"] for name in NAMES))))

    return Entry(f"jade.T{number}", f"Table {number}. Serial and stripped programs ({first})",
                 "On one processor tasks cost next to nothing, but for Panel Cholesky. The original serial programs of the paper, before its "
                 "changes for Jade, do not exist here: the applications were written with tasks.", ("jade.serial",), claims, grid)


def register(registry):
    registry.add(Measurement("jade.serial", _run, (25, 110), timed=True, needs=("matrix",)),
                 _entry(1, "dash", "DASH"), _entry(6, "ipsc", "the iPSC/860"))
