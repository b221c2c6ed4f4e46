# SPDX-License-Identifier: Apache-2.0
"""Tables 1 and 6 of the Jade paper: programs with tasks on one processor, beside the same programs with the constructs stripped, and
those before they were written with tasks."""
from statistics import median

from lapwing_bench import jade, jade_paper

from . import judge
from .jade import NAMES
from .model import Entry, Grid, Measurement

ORIGINAL = {"dash": {"water": 3628.29, "string": 20594.50, "ocean": 102.99, "cholesky": 26.67},
            "ipsc": {"water": 2482.91, "string": 20270.45, "ocean": 54.19, "cholesky": 27.60}}
# Quick and in full: the briefer a program, the larger the share of what disturbs a run.
ROUNDS = {"water": (3, 4), "string": (3, 4), "ocean": (3, 15), "cholesky": (3, 41)}
QUICK = {"water": ["--iterations", "2"], "string": ["--spacing", "45"], "ocean": ["--sweeps", "300"], "cholesky": []}


def _run(context):
    programs = jade.Applications(context.build)
    seconds = {}
    for name in NAMES:
        inputs = (QUICK[name] if context.quick else []) + (["--blocks", "1"] if name == "ocean" else [])
        if name == "cholesky":
            inputs = [*inputs, "--matrix", context.matrix]
        kinds, lines = ("original", "stripped", "tasks"), {"original": [], "stripped": [], "tasks": []}
        for turn in range(ROUNDS[name][0 if context.quick else 1]):
            for kind in kinds[turn % 3:] + kinds[:turn % 3]:
                words = [*inputs, "--original"] if kind == "original" else inputs
                lines[kind].append(programs.run(name + ("" if kind == "tasks" else "_serial"), 1, words)["seconds"])
        seconds[name] = {kind: median(values) for kind, values in lines.items()}
        seconds[name]["over"] = median(a / b for a, b in zip(lines["tasks"], lines["stripped"]))
        seconds[name]["changed"] = median(a / b for a, b in zip(lines["stripped"], lines["original"]))
    return {"seconds": seconds, "command": "libexec/lapwing/applications/NAME_serial --original, NAME_serial and NAME --workers 1, in turns"}


def _entry(number, machine, first):
    def claims(parts):
        """Section 5.2.1 compares the programs with tasks on one processor with the serial and the stripped ones."""
        told, seconds = [], parts["jade.serial"]["seconds"]
        for beside, theirs in (("original", ORIGINAL[machine]), ("stripped", jade_paper.STRIPPED[machine])):
            for name in NAMES:
                level = "no broadcast" if machine == "ipsc" and name in ("ocean", "cholesky") else "locality"
                there = jade_paper.SECONDS[machine, name, level][1][0] / theirs[name]
                here = seconds[name]["over"] if beside == "stripped" else seconds[name]["tasks"] / seconds[name]["original"]
                told.append(judge.holds(f"{NAMES[name]}: tasks on one processor cost little over the {beside} program" if name != "cholesky" else
                                        f"{NAMES[name]}: the one program where tasks cost more than the {beside} one does",
                                        f"{there:.2f}", f"{here:.2f}", here < 1.1 if name != "cholesky" else here > 1.02,
                                        "more" if name != "cholesky" else "tasks cost next to nothing here"))
        told.append(judge.Claim("the stripped program over the original one", ", ".join(f"{jade_paper.STRIPPED[machine][name] / ORIGINAL[machine][name]:.2f}" for name in NAMES),
                                ", ".join(f"{seconds[name]['changed']:.2f}" for name in NAMES), None, "the paper says nothing of it"))
        return told

    def grid(parts):
        ours = parts["jade.serial"]["seconds"]
        return Grid(("seconds", *NAMES.values()), (
            ("original, paper", *(ORIGINAL[machine][name] for name in NAMES)),
            ("stripped, paper", *(jade_paper.STRIPPED[machine][name] for name in NAMES)),
            ("original, here", *(ours[name]["original"] for name in NAMES)),
            ("stripped, here", *(ours[name]["stripped"] for name in NAMES)),
            ("tasks on one worker, here", *(ours[name]["tasks"] for name in NAMES))))

    return Entry(f"jade.T{number}", f"Table {number}. Serial and stripped programs ({first})",
                 "On one processor tasks cost next to nothing, but for Panel Cholesky. The original programs have no copies of arrays, no "
                 "blocks and no panels apart; they compute the same bits.", ("jade.serial",), claims, grid)


def register(registry):
    registry.add(Measurement("jade.serial", _run, (35, 150), timed=True, needs=("matrix",)),
                 _entry(1, "dash", "DASH"), _entry(6, "ipsc", "the iPSC/860"))
